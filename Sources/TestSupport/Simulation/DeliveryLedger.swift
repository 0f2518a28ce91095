import BelfryWire
import PushWire
import Gateway
import Storage

/// A ledger that records the promises about each push and its outcome, and checks the invariants.
final class DeliveryLedger {
  /// The recipient of a push.
  struct Target: Hashable {
    let device: UInt64
    let topic: LinkTopic
  }

  struct Push {
    let number: UInt64
    let target: Target
    let priority: UInt8
    /// The expiration in seconds since 1970.
    ///
    /// If the provider did not specify an expiration, it is 30 days after creation.
    let expiration: Int64
    /// True if the provider specified an expiration.
    ///
    /// Without an expiration, the gateway stores the push for 30 days, starting at the gateway's own current time.
    let isExpirationNamed: Bool
    let collapseID: UTF8Text
    let keep: UInt32
    var isAnswered = false
    var isRefused = false
    var isOrphaned = false
    /// True if the delivery log identifies the push by an ID that the gateway generated.
    ///
    /// The ledger cannot match such an ID to the push.
    var isUnlogged = false
    var states: [DeliveryState] = []
    /// The process that logged the latest final state.
    var endLogger: SimulatedGatewayProcess?
    /// The position of the push in the gateway's order of acceptance, if the delivery log reported it.
    var acceptance: Int?
    var shown = 0
    /// The unique IDs with which devices displayed the push.
    var shownIDs: [NotificationID] = []
    /// The number of times that the provider has sent the push again after a 503 response.
    var repetitions = 0
    /// The position of the push in the order in which devices first displayed pushes.
    var firstShowing: Int?
    var isUnregistered = false
    /// True if the store removed the push because of its age.
    ///
    /// A crash might have prevented the log entry.
    var hasExpired = false
    /// True if an old copy of the store was restored after the push was created, because the copy might not contain the
    /// push.
    var isForgotten = false
    /// True if the device reported that it discarded the push for a reason other than lack of space.
    var isThrownAway = false
    /// The number of positions in the order of acceptance that were taken before the push was sent.
    ///
    /// The value is nil if the provider does not report when it sends a push.
    var placesBefore: Int?
    /// The number of positions in the order of acceptance that were taken when the push was answered, including the
    /// push's own position.
    var placesAtAnswer: Int?
    /// The range that contains the time of acceptance on the gateway's expiry clock, in seconds since 1970.
    ///
    /// The clock follows small steps of the wall clock with a delay, so the exact time is unknown.
    var clockSeconds: ClosedRange<Int64>
    /// The latest second since 1970 until which the gateway can store the push.
    ///
    /// Storage ends at the expiration, but no later than 30 days after acceptance. The gateway's wall clock might have
    /// been slow at that time.
    var storedUntil: Int64
    /// The time, in nanoseconds on the virtual clock, at which the gateway accepted the push.
    var receivedNanoseconds: Int64?
    /// The process that accepted the push at that time, and its start.
    var receiver: (process: SimulatedGatewayProcess, life: Int)?

    /// The number of times that a gateway has received the push; more than 1 only in a cluster.
    var receptions: Int { states.count { $0 == .received } }

    /// True if the gateway might have made only one delivery attempt, because the push had expired by the gateway's
    /// clock.
    var mayBeOnce: Bool {
      isExpirationNamed && expiration <= clockSeconds.upperBound
    }
    /// True if the gateway might have stored the push.
    var mayBeStored: Bool {
      !isExpirationNamed || expiration > clockSeconds.lowerBound
    }
    /// Returns true if the present start of a process accepted the push last.
    func isHeld(by process: SimulatedGatewayProcess) -> Bool {
      receiver.map { $0.process === process && $0.life == process.life } ?? false
    }

    /// True if the gateway accepted the push, or might have accepted it without being able to answer.
    ///
    /// A crash can prevent the answer although the push is on disk. The push then counts if it was displayed, or if the
    /// delivery log reports that it was received or expired. A push that cannot be found in the log also counts,
    /// because it might have been on disk.
    var counts: Bool {
      isAnswered || shown > 0
        || isOrphaned
          && (isUnlogged || states.contains(.discardedExpired) || states.contains(.received))
    }
  }

  private unowned let world: GatewaySimulation
  private(set) var pushes: [Push] = []
  private var accepted = 0
  private var showings = 0
  private static let states = Dictionary(
    uniqueKeysWithValues: DeliveryState.allCases.map { ($0.label, $0) })

  /// The states after which the gateway no longer stores a push for its device.
  private static let ends: Set<DeliveryState> = [
    .delivered, .deliveredFromStorage, .replaced, .discardedUnregistered,
    .discardedUnregisteredFromStorage, .discardedExpired, .discardedDisabled,
    .discardedDisabledFromStorage, .withdrawn,
  ]

  init(in world: GatewaySimulation) { self.world = world }

  /// Records a new push and returns its number, which the payload contains.
  func open(
    _ target: Target, priority: UInt8, expiration named: Int64?, collapseID: String, keep: UInt32
  ) -> UInt64 {
    let seconds = world.time.unixMilliseconds / 1_000
    let expiration = named ?? seconds + Int64(WireLimits.storageDaysMax) * 86_400
    pushes.append(
      Push(
        number: UInt64(pushes.count), target: target, priority: priority, expiration: expiration,
        isExpirationNamed: named != nil, collapseID: UTF8Text(collapseID), keep: keep,
        clockSeconds: clockSeconds, storedUntil: expiration))
    return UInt64(pushes.count - 1)
  }

  private func change(_ number: UInt64, _ body: (inout Push) -> Void) {
    guard pushes.indices.contains(Int(number)) else {
      return world.fail("push #\(number) does not exist")
    }
    body(&pushes[Int(number)])
  }

  /// Records that the provider sends the push, which might never appear in the delivery log.
  func sent(_ number: UInt64) { change(number) { $0.placesBefore = accepted } }

  /// Records that the provider sends the push again, because the gateway could not accept it.
  func sentAgain(_ number: UInt64) { change(number) { $0.repetitions += 1 } }

  func answered(_ number: UInt64) {
    change(number) { push in
      world.expect(!push.isAnswered && !push.isRefused, "#\(number) was answered twice")
      world.note("#\(number) was accepted")
      push.isAnswered = true
      push.placesAtAnswer = accepted
    }
  }

  func refused(_ number: UInt64) {
    change(number) { push in
      world.expect(!push.isAnswered && !push.isRefused, "#\(number) was answered twice")
      world.note("#\(number) was refused")
      push.isRefused = true
    }
  }

  /// Records that the provider's connection was closed, so that the answer to the push remains unknown.
  func orphaned(_ number: UInt64, isUnlogged: Bool = false) {
    change(number) { push in
      push.isUnlogged = isUnlogged
      world.note("#\(number) lost its connection before it was answered")
      push.isOrphaned = true
    }
  }

  /// Handles a line of the gateway's delivery log, in the turn in which it was written.
  func recorded(_ line: DeliveryLogLine, by process: SimulatedGatewayProcess) {
    if line.state == DeliveryLogLine.refused { return recorded(refusal: line) }
    guard let state = Self.states[line.state] else {
      return world.fail("the delivery log contains the unknown state '\(line.state)'")
    }
    if state == .sent { world.sent(line, by: process) }
    world.hostedService?.recorded(line)
    guard let number = GatewaySimulation.push(line.id) else { return }
    world.note("\(process.node.map { $0.name + " " } ?? "")#\(number): \(state)")
    accepted += 1
    let place = accepted
    change(number) { push in
      if Self.ends.contains(state) { push.endLogger = process }
      push.states.append(state)
      if state == .received {
        push.acceptance = place
        // Each node that receives a push, and each repetition, can store it.
        let former = push.receptions > 1 ? push.clockSeconds : clockSeconds
        push.clockSeconds =
          min(
            former.lowerBound, clockSeconds.lowerBound)...max(
            former.upperBound, clockSeconds.upperBound)
        // The line contains the wall clock's time, but the slower of the two clocks determines when the 30 days start.
        let accepted = min(line.atMilliseconds / 1_000, world.latestExpirySeconds)
        let latest = accepted + Int64(WireLimits.storageDaysMax) * 86_400
        push.storedUntil = push.isExpirationNamed ? min(push.expiration, latest) : latest
        push.receivedNanoseconds = world.time.now
        push.receiver = (process, process.life)
      } else if push.mayBeOnce, push.expiration == 0 || !world.profile.hasUnevenClocks,
        let received = push.receivedNanoseconds, push.isHeld(by: process),
        !process.wasFrozen(since: received),
        push.states.dropLast().last == .received, !push.mayBeStored
      {
        // Allow five seconds, plus time for loops that are paused for half a second, possibly repeatedly.
        world.expect(
          world.time.now - received <= 7_000_000_000,
          "#\(number) waited \(world.time.now - received) ns for its device, but cannot be stored"
        )
      }
      checkTruth(of: state, push, by: process)
      // docs/cluster.md, "Revocation": a node that has not followed the addition of an app logs `(removed)`.
      let isUnknownApp =
        world.cluster?.mayLack(push.target.topic, process, at: world.time.now) ?? false
      let isForgottenApp =
        line.topic == "(removed)" && (world.controlRestorations > 0 || isUnknownApp)
      world.expect(
        line.device == push.target.device
          && (line.topic == push.target.topic.bundleID || isForgottenApp),
        "#\(number) was logged for another target: device \(line.device) and \(line.topic)")
    }
  }

  /// Checks that no push that was answered with 200 is logged as refused.
  private func recorded(refusal line: DeliveryLogLine) {
    guard let number = GatewaySimulation.push(line.id) else { return }
    change(number) { push in
      world.expect(!push.isAnswered, "#\(number) was logged as refused, although it was accepted")
    }
  }

  /// Checks that the delivery log reports the true state of a push.
  private func checkTruth(
    of state: DeliveryState, _ push: Push, by process: SimulatedGatewayProcess
  ) {
    switch state {
    case .delivered, .deliveredFromStorage:
      world.expect(
        push.shown > 0, "#\(push.number) was logged as delivered, although no device displayed it")
    case .storedOffline:
      // docs/cluster.md, "Lost, doubled and late messages": a node can send a push to its device, and the accepting node
      // can store it.
      let isDoubled = world.cluster != nil && push.receptions > 1
      // A node that was paused logs a row only after another node has taken over the device and replaced the row.
      let isLate = push.endLogger.map { $0 !== process } ?? false
      world.expect(
        isDoubled || isLate || !push.states.contains { Self.ends.contains($0) },
        "#\(push.number) was logged as stored after its final state")
    case .storedNoRoom:
      let device = world.recipient(push.target.device)
      world.expect(
        device?.hasLackedRoom == true,
        "#\(push.number) was logged as stored for lack of room, although its device had room")
    case .discardedExpired where !push.mayBeOnce && !world.profile.hasFailingCommits:
      world.expect(
        push.storedUntil <= world.latestExpirySeconds + lagSeconds,
        "#\(push.number) expired too early")
    default: break
    }
  }

  /// Records that the store removes the push because of its age.
  func expired(_ number: UInt64) {
    change(number) { push in
      push.hasExpired = true
      world.expect(
        push.storedUntil <= world.latestExpirySeconds + lagSeconds,
        "#\(number) expired too early")
    }
  }

  private var clockSeconds: ClosedRange<Int64> {
    world.earliestExpirySeconds - lagSeconds...world.latestExpirySeconds + lagSeconds
  }

  /// The maximum difference in seconds between a loop's expiry clock and the world's clock.
  ///
  /// The expiry clock rounds, and follows small steps with a delay.
  private var lagSeconds: Int64 {
    let difference = (world.profile.cluster?.clockDifferenceMilliseconds ?? 0) / 1_000
    return (world.profile.hasClockSteps ? 180 : 1) + difference
  }

  /// Handles the restoration of an old copy of the store, in which everything stored after the copy is lost.
  func restored() { for index in pushes.indices { pushes[index].isForgotten = true } }

  func unregistered(_ key: NotificationKey) {
    for index in pushes.indices where pushes[index].target.device == key.device {
      guard world.app(of: pushes[index].target.topic) == key.app, pushes[index].shown == 0 else {
        continue
      }
      pushes[index].isUnregistered = true
    }
  }

  func push(_ number: UInt64) -> Push? {
    pushes.indices.contains(Int(number)) ? pushes[Int(number)] : nil
  }

  func arrived(
    _ number: UInt64, for topic: LinkTopic, on device: SimulatedDevice,
    _ notification: LinkNotification
  ) {
    change(number) { push in
      world.expect(
        push.target.device == device.number, "#\(number) was delivered to another device")
      world.expect(push.target.topic == topic, "#\(number) was delivered to another app")
      world.expect(device.wants(topic), "#\(number) was delivered to an app that is not registered")
      world.expect(
        notification.priority == push.priority,
        "#\(number) has priority \(notification.priority) instead of \(push.priority)")
      world.expect(
        notification.collapseID.elementsEqual(push.collapseID.utf8),
        "#\(number) arrived with another collapse ID")
    }
  }

  /// Records that the device discards the push for a reason other than lack of space.
  func thrownAway(_ number: UInt64) { change(number) { $0.isThrownAway = true } }

  /// Records that a push was displayed.
  ///
  /// A device detects duplicates of the notifications that it remembers. A push can be displayed twice only if the
  /// device has forgotten it, and only in two cases:
  ///
  /// - The gateway's store failed or was restored from an old copy, so that the gateway resends older notifications.
  /// - A power restriction or a rate limit held older pushes back, so that newer pushes arrived first.
  func shown(_ number: UInt64, _ id: NotificationID, on device: any SimulatedRecipient) {
    showings += 1
    let place = showings
    change(number) { push in
      push.shown += 1
      if push.shown == 1 { push.firstShowing = place }
    }
    guard pushes.indices.contains(Int(number)), pushes[Int(number)].shown > 1 else {
      if pushes.indices.contains(Int(number)) { pushes[Int(number)].shownIDs.append(id) }
      return
    }
    if world.cluster != nil { return checkRepetition(of: number, id, on: device) }
    // In practice, a provider that gets no answer retries, and the retry is a separate push. In the simulation, each
    // push is sent once.
    let mayBeForgotten =
      world.gateway.notificationStore.mayHaveSettledRows || cameEarly(pushes[Int(number)])
    world.expect(!device.remembers(id) && mayBeForgotten, "#\(number) was displayed twice")
  }

  /// Checks that a repeated push in a cluster has another unique ID, or that its device has forgotten the ID.
  ///
  /// docs/cluster.md, "Lost, doubled and late messages": "A device recognizes a repeated notification only among the next
  /// window of deliveries." A push that a provider sends again after a 503 response has another unique ID, and its node
  /// can have delivered the first one.
  private func checkRepetition(
    of number: UInt64, _ id: NotificationID, on device: any SimulatedRecipient
  ) {
    let push = pushes[Int(number)]
    if push.shownIDs.contains(id) {
      world.expect(!device.remembers(id), "#\(number) was displayed twice")
    } else {
      world.expect(
        push.shownIDs.count <= push.repetitions,
        "#\(number) was displayed with \(push.shownIDs.count + 1) unique IDs, but was repeated only "
          + "\(push.repetitions) times")
      pushes[Int(number)].shownIDs.append(id)
    }
  }

  /// Returns true if a push was displayed before an older push that its device did not have yet, or if the push itself
  /// might have been held back until newer pushes arrived.
  private func cameEarly(_ push: Push) -> Bool {
    push.priority != 10
      || pushes.contains { other in
        guard other.target.device == push.target.device, let older = other.acceptance,
          older <= push.acceptance ?? push.placesAtAnswer ?? .max, other.number != push.number
        else { return false }
        return other.firstShowing.map { $0 > push.firstShowing ?? 0 }
          ?? Self.ends.isDisjoint(with: other.states)
      }
  }

  // MARK: The end of the run

  /// True if the outcome of every push is known: it was answered or refused, or its connection was closed.
  var isAnswered: Bool { pushes.allSatisfy { $0.isAnswered || $0.isRefused || $0.isOrphaned } }

  /// Checks that every accepted push was displayed, replaced, expired, discarded for a reason, or stored.
  func check() {
    let store = world.gateway.notificationStore
    let stored = Set(
      ((try? store.devices()) ?? []).flatMap {
        ((try? store.load(device: $0)) ?? []).compactMap { GatewaySimulation.push($0.payload) }
      })
    let now = world.time.unixMilliseconds / 1_000
    let latest = world.time.latestUnixMilliseconds / 1_000
    for push in pushes {
      world.expect(
        push.isAnswered || push.isRefused || push.isOrphaned,
        "#\(push.number) was never answered: \(world.whereabouts(of: push.number))")
      guard push.isAnswered, push.shown == 0, !push.mayBeOnce, !stored.contains(push.number),
        push.storedUntil > (push.acceptance == nil ? latest : now), !push.isUnregistered,
        !push.states.contains(.discardedDisabled), !push.isThrownAway, !push.isForgotten,
        !isReplaced(push),
        !(push.keep != .max && world.hostedService?.topic == push.target.topic),
        !world.profile.hasUnevenClocks
          || !(push.hasExpired || push.states.contains(.discardedExpired))
      else { continue }
      guard let device = world.recipient(push.target.device) else { continue }
      // The device itself discards pushes that the user or the app does not want.
      guard device.wants(push.target.topic), !device.isDisabled(push.target.topic),
        !device.mayBeRevoked, !world.wasUnwanted(push.target)
      else { continue }
      world.fail(
        "#\(push.number) was accepted, but was lost: \(push.states.map(\.label))")
    }
  }

  /// Returns true if the push was replaced by other pushes for the same app.
  ///
  /// The other pushes must have been accepted later. With several providers, the order of acceptance can differ from
  /// the order of creation.
  private func isReplaced(_ push: Push) -> Bool {
    var newer: Set<UTF8Text> = []
    // In a cluster, a push that several nodes have stored counts once for each row (docs/operations/cluster.md, "Limits").
    var repeated = 0
    // docs/cluster.md, "The path of a push": a push that got 503 because its commit's result stayed unknown can be stored.
    let stored = world.cluster?.database.storedPushes ?? []
    for other in pushes
    where other.target == push.target
      && (other.counts || other.isRefused && stored.contains(other.number))
    {
      guard other.number != push.number, other.mayBeStored, isNewer(other, than: push) else {
        continue
      }
      if !push.collapseID.isEmpty, other.collapseID == push.collapseID { return true }
      newer.insert(
        other.collapseID.isEmpty ? UTF8Text("#\(other.number)") : other.collapseID)
      if world.cluster != nil, other.collapseID.isEmpty { repeated += max(0, other.receptions - 1) }
      if newer.count + repeated >= Int(min(other.keep, UInt32(Int32.max))) { return true }
    }
    return false
  }

  private func isNewer(_ one: Push, than other: Push) -> Bool {
    // A push that several nodes have received has several positions in the order of acceptance.
    if world.cluster != nil, [one, other].contains(where: { $0.receptions > 1 }) { return true }
    // docs/cluster.md, "The path of a push": the store decides the order of two pushes that wait for it at the same time.
    if world.cluster != nil, let acceptance = other.acceptance,
      one.placesAtAnswer ?? .max > acceptance
    {
      return true
    }
    guard let first = one.acceptance, let second = other.acceptance ?? other.placesBefore else {
      return one.number > other.number || one.acceptance == nil
    }
    return first > second
  }
}
