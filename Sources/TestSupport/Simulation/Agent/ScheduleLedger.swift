import Agent
import AppWire
import Scheduling

/// A check that every due date fires exactly once, that no date fires early, and that no date of a removed request
/// fires.
///
/// The ledger computes the dates independently of the agent.
final class ScheduleLedger {
  private struct Waiting {
    let order: UInt64
    let trigger: Trigger
    let since: Int64
    /// The number of the latest repetition that fired, counted from the first.
    var fired: Int64?
    /// The number of times that the clock had been set back when the latest repetition fired.
    var setBacks = 0
    /// The number of the latest repetition of a calendar trigger that was handled; nil if unknown.
    var handled: Int64?
  }

  private struct State {
    var timed: [AppNotificationID: Waiting] = [:]
    var placed: [AppNotificationID: NotificationRegion] = [:]
  }

  private unowned let world: AgentSimulation
  private var state = State()
  private var durable = State()
  private(set) var firedCount = 0
  /// The notifications that fired in the current event.
  private(set) var firing: Set<AppNotificationID> = []
  /// The number of times that the agent was notified of a clock change.
  private var heardClockSets = 0

  init(in world: AgentSimulation) { self.world = world }

  func agentCrashed() { state = durable }

  func agentStarts() {
    heardClockSets = world.machine.clockSetCount
    for key in state.timed.keys { state.timed[key]?.handled = nil }
  }

  func onDurable() { durable = state }

  // MARK: Decisions

  /// Processes the decisions in order.
  ///
  /// A firing consists of a change to an entry, followed immediately by the effects on the notification.
  func onDecided(_ effects: [AgentEffect], _ event: AgentEvent) {
    /// The entry that was just changed, and its previous state.
    var changed: (key: AppNotificationID, waiting: Waiting?)?
    /// The changed requests that wait for a region.
    var crossed: Set<AppNotificationID> = []
    /// For each region, whether the device is inside or outside, according to the records.
    var sides: [AppNotificationID: RegionState] = [:]
    var gone: [AppNotificationID] = []
    /// The apps whose requests waited for permission and are now added, which can replace earlier requests.
    var permitted: Set<String> = []
    firing = []
    var isChanged = false
    for effect in effects {
      switch effect {
      case .persist(.put(.schedule, let key, let value)) where key != ScheduleRecord.clockKey:
        isChanged = true
        changed = onPut(key, value).map { ($0, state.timed[$0]) }
      case .persist(.remove(.schedule, let key)):
        guard let key = Self.key(key) else { break }
        changed = (key, state.timed.removeValue(forKey: key))
        gone.append(key)
      case .persist(.put(.regions, let name, let value)):
        guard case .request(let key)? = RegionRecord.key(name) else { continue }
        guard let (region, _, side) = RegionRecord.read(value) else {
          return world.fail("the record \(name) cannot be decoded")
        }
        if state.placed.updateValue(region, forKey: key) != nil {
          crossed.insert(key)
          sides[key] = side
        }
        changed = nil
      case .persist(.remove(.regions, let name)):
        guard case .request(let key)? = RegionRecord.key(name) else { continue }
        if state.placed.removeValue(forKey: key) != nil { crossed.insert(key) }
        gone.append(key)
        changed = nil
      case .persist(.remove(.waiting, let key)):
        if let slash = key.lastIndex(of: "/") { permitted.insert(String(key[..<slash])) }
        continue
      case .persistClock, .persist(.remove(.pending, _)): continue
      case .log(.notificationExpired(let key)):
        gone.removeAll { $0 == key }
        changed = nil
      default:
        if let (key, waiting) = changed, isAbout(key, effect) {
          // An app's notifications are removed together with the app, whether or not they were shown.
          if !Self.removesApp(event, of: key) {
            onFired(key, waiting, isGone: gone.contains(key), event)
            gone.removeAll { $0 == key }
          }
        } else if let key = crossed.first(where: { isAbout($0, effect) }),
          !Self.removesApp(event, of: key)
        {
          crossed.remove(key)
          if !Self.adds(event, key) {
            firedCount += 1
            onCrossed(key, sides[key])
          }
          firing.insert(key)
          gone.removeAll { $0 == key }
        }
        changed = nil
      }
    }
    for key in gone where !Self.removes(event, key) && !permitted.contains(key.app.text) {
      world.fail("\(key.recordKey) was removed without firing and without a request")
    }
    if isChanged { checkLimit() }
    checkRepeats(event)
  }

  /// Checks that all due wall-clock repetitions have fired once an event has been handled, regardless of earlier clock
  /// changes.
  private func checkRepeats(_ event: AgentEvent) {
    let now = world.machine.now
    // A manual clock does not advance while apps are being asked.
    guard world.ledger.hasStarted, !world.profile.hasManualClock else { return }
    var isCountedAnew = false
    switch event {
    case .clockWasSet:
      heardClockSets = world.machine.clockSetCount
      isCountedAnew = true
    case .zonesChanged: isCountedAnew = true
    default: break
    }
    guard heardClockSets == world.machine.clockSetCount else { return }
    for (key, waiting) in state.timed {
      guard case .calendar(let match, true) = waiting.trigger, match[.second] != nil,
        let number = dueNumber(waiting, now)
      else { continue }
      if let handled = waiting.handled, !isCountedAnew {
        world.expect(
          number <= handled || firing.contains(key), "\(key.recordKey) was due, but did not fire")
      }
      state.timed[key]?.handled = number
    }
  }

  private static func key(_ recordKey: String) -> AppNotificationID? {
    AgentLedger.notification(
      recordKey: recordKey.replacing("\n", with: "/", maxReplacements: 1))
  }

  private func onPut(_ recordKey: String, _ value: [UInt8]) -> AppNotificationID? {
    guard let key = Self.key(recordKey),
      let entry = ScheduleRecord.entry(key: recordKey, value: value)
    else {
      world.fail("the record \(recordKey) cannot be decoded")
      return nil
    }
    if state.timed[key]?.order != entry.order {
      state.timed[key] = Waiting(order: entry.order, trigger: entry.trigger, since: entry.since)
    }
    return key
  }

  /// Returns true if an effect shows or withholds the notification.
  private func isAbout(_ key: AppNotificationID, _ effect: AgentEffect) -> Bool {
    switch effect {
    case .persist(.put(.delivered, let record, _)), .persist(.remove(.delivered, let record)):
      record.hasSameBytes(as: key.recordKey)
    case .ask(let question, .willPresent(let notification), _):
      notification.request.id.hasSameBytes(as: key.id)
        && world.ledger.knowledge.app(of: question.connection) == key.app
    case .suppressed(let other, _), .sound(let other, _, _): other == key
    default: false
    }
  }

  // MARK: Firing

  private func onFired(
    _ key: AppNotificationID, _ waiting: Waiting?, isGone: Bool, _ event: AgentEvent
  ) {
    let now = world.machine.now
    firing.insert(key)
    guard var waiting else { return world.fail("\(key.recordKey) fired after it was removed") }
    // A notification that is shown immediately replaces a waiting notification with the same name.
    if isGone, Self.adds(event, key) { return }
    firedCount += 1
    guard waiting.trigger.repeats else {
      world.expect(dueNumber(waiting, now) != nil, "\(key.recordKey) fired too early")
      return
    }
    guard let number = dueNumber(waiting, now) else {
      return world.fail("\(key.recordKey) fired too early")
    }
    let isComputedAnew =
      !waiting.trigger.countsElapsedTime && waiting.setBacks != world.machine.setBackCount
    if let fired = waiting.fired, !isComputedAnew {
      world.expect(number > fired, "\(key.recordKey) fired twice for the same date")
    }
    waiting.fired = number
    waiting.setBacks = world.machine.setBackCount
    if !isGone { state.timed[key] = waiting }
  }

  private func onCrossed(_ key: AppNotificationID, _ side: RegionState?) {
    world.expect(
      world.ledger.mayLocate(key.app),
      "\(key.recordKey) fired for a region without location permission")
    guard let side, let region = state.placed[key] else { return }
    world.ledger.places.checkIsWanted(region, side, "\(key.recordKey) fired")
  }

  /// Returns the number of the latest date that has passed, counted from the first.
  ///
  /// Returns nil if no date has passed, and 0 for triggers that this ledger does not count.
  private func dueNumber(_ waiting: Waiting, _ now: AgentTime) -> Int64? {
    switch waiting.trigger {
    case .interval(let length, _):
      let number = (now.elapsed - waiting.since) / length
      return number >= 1 ? number : nil
    case .moment(.instant(let moment), _): return now.wall >= moment ? 1 : nil
    case .calendar(let match, true):
      // The offset of every time zone from UTC is a whole number of minutes.
      guard let second = match[.second] else { return 0 }
      return Int64(Gregorian.floorDivide(Int(now.wall) / 1_000 - second, 60))
    default: return 0
    }
  }

  /// Returns true if an event can add another notification with that name, now or later.
  private static func adds(_ event: AgentEvent, _ key: AppNotificationID? = nil) -> Bool {
    switch event {
    case .appRequested(_, .add(let request)), .appRequested(_, .control(.notify(_, let request))):
      key.map { request.id.hasSameBytes(as: $0.id) } ?? true
    case .promptAnswered, .provisionalDecided, .appRequested(_, .control(.changeSettings)),
      .appRequested(_, .requestAuthorization):
      true
    default: false
    }
  }

  private static func removesApp(_ event: AgentEvent, of key: AppNotificationID) -> Bool {
    if case .appRequested(_, .control(.removeApp(key.app.text))) = event { true } else { false }
  }

  private static func removes(_ event: AgentEvent, _ key: AppNotificationID) -> Bool {
    switch event {
    case .appRequested(_, .removePending), .appRequested(_, .control(.cancel)),
      .appRequested(_, .control(.removeApp)):
      true
    default: adds(event)
    }
  }

  private func checkLimit() {
    var counts: [AppID: Int] = [:]
    for key in state.timed.keys { counts[key.app, default: 0] += 1 }
    for (app, count) in counts where count > world.profile.pendingLimit {
      world.fail(
        "\(count) notifications of \(app) are pending; the limit is \(world.profile.pendingLimit)")
    }
  }

  // MARK: The end of the run

  func checkEnd() {
    let now = world.machine.now
    let recently = AgentTime(
      wall: now.wall - 2_000, elapsed: now.elapsed - 2_000, awake: now.awake - 2_000)
    for (key, waiting) in state.timed.sorted(by: { $0.key.recordKey < $1.key.recordKey }) {
      guard let number = dueNumber(waiting, recently), number > 0 else { continue }
      let isDone =
        waiting.trigger.repeats
        && (waiting.fired.map { $0 >= number } ?? !waiting.trigger.countsElapsedTime)
      world.expect(isDone, "\(key.recordKey) was due, but did not fire")
    }
  }
}
