@testable import Agent
import BelfryWire

/// Every fired date exactly once, none of a request that was removed, none early: counted here on its own.
final class ScheduleLedger {
  private struct Waiting {
    let order: UInt64
    let trigger: Trigger
    let since: Int64
    /// The latest repeat that fired, counted from the beginning.
    var fired: Int64?
    /// How often the clock was set back before that.
    var setBacks = 0
    /// The latest repeat of a calendar trigger that is dealt with by now; nil where that is not known.
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
  /// Those that the event at hand made fire.
  private(set) var firing: Set<AppNotificationID> = []
  /// How often the agent has heard that the clock was set.
  private var heardClockSets = 0

  init(in world: AgentSimulation) { self.world = world }

  func agentCrashed() { state = durable }

  func agentStarts() {
    heardClockSets = world.machine.clockSetCount
    for key in state.timed.keys { state.timed[key]?.handled = nil }
  }

  func onDurable() { durable = state }

  // MARK: Decisions

  /// Walks through what was decided: a firing is a change of an entry, and right after it what is done of
  /// the notification.
  func onDecided(_ effects: [AgentEffect], _ event: AgentEvent) {
    /// The entry that has just changed, with what was known of it.
    var changed: (key: AppNotificationID, waiting: Waiting?)?
    /// Those that wait for a place and have changed.
    var crossed: Set<AppNotificationID> = []
    /// On which side of their regions the device is, where the records say it.
    var sides: [AppNotificationID: RegionState] = [:]
    var gone: [AppNotificationID] = []
    /// Apps for which what waited for a permission is added now, and takes the place of its former self.
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
          return world.fail("the record \(name) cannot be read")
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
          // An app's notifications go with it, shown or not.
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
      world.fail("\(key.recordKey) was removed, and neither fired nor did anybody ask for that")
    }
    if isChanged { checkLimit() }
    checkRepeats(event)
  }

  /// What repeats with the wall clock has fired whenever an event was handled, however the clock was set before.
  private func checkRepeats(_ event: AgentEvent) {
    let now = world.machine.now
    // A manual clock stands still while apps are asked.
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
          number <= handled || firing.contains(key), "\(key.recordKey) was due and has not fired")
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
      world.fail("the record \(recordKey) cannot be read")
      return nil
    }
    if state.timed[key]?.order != entry.order {
      state.timed[key] = Waiting(order: entry.order, trigger: entry.trigger, since: entry.since)
    }
    return key
  }

  /// Whether an effect shows, or withholds, that notification.
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
    guard var waiting else { return world.fail("\(key.recordKey) fires, and was removed") }
    // What is shown at once takes the place of what waits under its name.
    if isGone, Self.adds(event, key) { return }
    firedCount += 1
    guard waiting.trigger.repeats else {
      world.expect(dueNumber(waiting, now) != nil, "\(key.recordKey) fires too early")
      return
    }
    guard let number = dueNumber(waiting, now) else {
      return world.fail("\(key.recordKey) fires too early")
    }
    let isComputedAnew =
      !waiting.trigger.countsElapsedTime && waiting.setBacks != world.machine.setBackCount
    if let fired = waiting.fired, !isComputedAnew {
      world.expect(number > fired, "\(key.recordKey) fires twice for one date")
    }
    waiting.fired = number
    waiting.setBacks = world.machine.setBackCount
    if !isGone { state.timed[key] = waiting }
  }

  private func onCrossed(_ key: AppNotificationID, _ side: RegionState?) {
    world.expect(
      world.ledger.mayLocate(key.app),
      "\(key.recordKey) fires at a place that its app may not know")
    guard let side, let region = state.placed[key] else { return }
    world.ledger.places.checkIsWanted(region, side, "\(key.recordKey) tells")
  }

  /// The number of the latest date that has come, counted from the beginning; nil while none has, 0 where
  /// this ledger does not count.
  private func dueNumber(_ waiting: Waiting, _ now: AgentTime) -> Int64? {
    switch waiting.trigger {
    case .interval(let length, _):
      let number = (now.elapsed - waiting.since) / length
      return number >= 1 ? number : nil
    case .moment(.instant(let moment), _): return now.wall >= moment ? 1 : nil
    case .calendar(let match, true):
      // Zones are whole minutes from UTC.
      guard let second = match[.second] else { return 0 }
      return Int64(Gregorian.floorDivide(Int(now.wall) / 1_000 - second, 60))
    default: return 0
    }
  }

  /// Whether an event may put another notification under that name, now or later.
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
      world.fail("\(count) notifications of \(app) wait, more than may")
    }
  }

  // MARK: The end

  func checkEnd() {
    let now = world.machine.now
    let recently = AgentTime(
      wall: now.wall - 2_000, elapsed: now.elapsed - 2_000, awake: now.awake - 2_000)
    for (key, waiting) in state.timed.sorted(by: { $0.key.recordKey < $1.key.recordKey }) {
      guard let number = dueNumber(waiting, recently), number > 0 else { continue }
      let isDone =
        waiting.trigger.repeats
        && (waiting.fired.map { $0 >= number } ?? !waiting.trigger.countsElapsedTime)
      world.expect(isDone, "\(key.recordKey) was due and has not fired")
    }
  }
}
