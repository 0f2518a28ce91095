import Storage

/// The claims of a home on its devices, as a state machine without I/O (docs/cluster.md).
///
/// A home may write only for a device that it has claimed. A push for another device waits until the claim succeeds, or
/// is forwarded to the device's owner.
struct DeviceClaimTable {
  /// The work that waits for a claim.
  enum Waiter {
    case push(ClaimedPush)
    /// A connection of the device, which the home has parked under this number.
    case link(UInt64)
    /// An administrator revoked the device at this time, in milliseconds since 1970.
    case revocation(atMilliseconds: Int64)
  }

  /// A push, and the number of nodes that it was forwarded to.
  struct ClaimedPush {
    let submission: Submission
    var forwards = 0
  }

  /// An action for the home; actions must be performed in order.
  enum Action {
    /// Claim the device, then call ``finish(_:_:)``.
    case claim(DeviceClaimRequest)
    /// Use this state of the device, which replaces an earlier one.
    case load(ClaimedDevice)
    /// Handle the push here.
    case accept(Submission)
    /// Handle the push here; the store has just been read.
    case decide(Submission)
    case forward(ClaimedPush, to: NodeNumber)
    /// Refuse the push, because neither the store nor the owner can be reached.
    case refuse(Submission)
    /// Attach the parked connection; the device's state is loaded if the device exists.
    case attach(link: UInt64, device: UInt64)
    /// Close the parked connection; the device tries again later.
    case close(link: UInt64)
    /// Close the device's connections, because the device is connected to another node.
    case closeLinks(device: UInt64)
    case revoke(device: UInt64, atMilliseconds: Int64)
    /// Forget the device's state.
    case forget(device: UInt64)
  }

  private struct Claiming {
    var mode: DeviceClaimRequest.Mode
    var hasLink: Bool
    /// True if the home had a claim, and still has the device's state, when it sent the request.
    var wasHeld: Bool
    var waiting: [Waiter] = []
    /// True if the store might have a change that the home does not know.
    var isOutdated: Bool
    /// True if the device must be claimed again with a link, whatever the result of this request is.
    var mustTake = false
    /// True if the device's state must be read again, because the request might have read it too early.
    var mustReload = false

    var pushCount: Int { waiting.count { if case .push = $0 { true } else { false } } }
  }

  private enum State {
    case held
    case claiming(Claiming)
    case elsewhere(NodeNumber)
  }

  private var states: [UInt64: State] = [:]
  /// The held devices in the order in which they were claimed; a device can occur more than once.
  private var heldOrder: [UInt64] = []
  private var heldHead = 0
  private(set) var heldCount = 0
  private(set) var waitingPushes = 0
  private var elsewhereCount = 0
  private let own: NodeNumber
  private let waitingMax: Int
  private let elsewhereMax: Int

  init(
    own: NodeNumber, waitingMax: Int = Limits.claimWaitingMax,
    elsewhereMax: Int = Limits.claimedElsewhereMax
  ) {
    self.own = own
    self.waitingMax = waitingMax
    self.elsewhereMax = elsewhereMax
  }

  /// Returns true if this node is the device's owner.
  func isHeld(_ device: UInt64) -> Bool {
    if case .held = states[device] { true } else { false }
  }

  /// Returns true if a connected device's state must be read again before this node can answer the device's requests.
  ///
  /// The claim is lost, or the result of a change is unknown. A change that only the store has would be reported to the
  /// device as absent.
  func isOutdated(_ device: UInt64) -> Bool {
    switch states[device] {
    case .held: false
    case .claiming(let claiming): claiming.isOutdated
    case .elsewhere, nil: true
    }
  }

  // MARK: Events

  /// Handles a push for a device.
  mutating func submit(_ push: ClaimedPush) -> [Action] {
    let device = push.submission.key.device
    switch states[device] {
    case .held: return [.accept(push.submission)]
    case .elsewhere(let node):
      // A push that another node forwarded is answered with the owner's number, so that it doesn't travel in circles.
      return [.forward(push, to: node)]
    case .claiming(var claiming):
      guard waitingPushes < waitingMax else { return [.refuse(push.submission)] }
      waitingPushes += 1
      claiming.waiting.append(.push(push))
      states[device] = .claiming(claiming)
      return []
    case nil:
      guard waitingPushes < waitingMax else { return [.refuse(push.submission)] }
      return begin(device, .ifFree, waiter: .push(push))
    }
  }

  /// Handles a connection of the device to this node.
  mutating func connect(_ device: UInt64, link: UInt64) -> [Action] {
    begin(device, .take, hasLink: true, waiter: .link(link))
  }

  /// Handles a revocation by an administrator of this node.
  mutating func revoke(_ device: UInt64, atMilliseconds: Int64) -> [Action] {
    begin(device, .take, waiter: .revocation(atMilliseconds: atMilliseconds))
  }

  /// Handles a push that this node would refuse or discard: another node might have claimed the device and changed its
  /// registrations, and the news might be lost.
  mutating func confirm(_ push: ClaimedPush, hasLink: Bool) -> [Action] {
    guard waitingPushes < waitingMax else { return [.refuse(push.submission)] }
    return begin(
      push.submission.key.device, hasLink ? .reclaim : .ifFree, hasLink: hasLink,
      waiter: .push(push))
  }

  /// Handles a push that the device's owner did not answer.
  mutating func forwardFailed(_ push: ClaimedPush, isOnce: Bool) -> [Action] {
    let device = push.submission.key.device
    assert(push.forwards > 0, "the push was forwarded")
    if isHeld(device) { return [.accept(push.submission)] }
    forgetOwner(of: device)
    // The device may be connected to its owner, and a push without a storage time is only for a connected device.
    guard !isOnce, waitingPushes < waitingMax else { return [.refuse(push.submission)] }
    return begin(device, .take, waiter: .push(push))
  }

  /// Handles a push that a node rejected because another node is the device's owner.
  mutating func moved(_ push: ClaimedPush, to node: NodeNumber, isOnce: Bool) -> [Action] {
    guard push.forwards < Limits.forwardsMax else { return forwardFailed(push, isOnce: isOnce) }
    let device = push.submission.key.device
    switch states[device] {
    case .held: return [.accept(push.submission)]
    case .claiming: return submit(push)
    case .elsewhere, nil:
      setOwner(node, of: device)
      return [.forward(push, to: node)]
    }
  }

  /// Handles the loss of a claim; `hasLink` is true if the device is connected to this node.
  mutating func lost(_ device: UInt64, hasLink: Bool) -> [Action] {
    switch states[device] {
    case .held:
      guard hasLink else {
        remove(device)
        return [.forget(device: device)]
      }
      return begin(device, .reclaim, hasLink: true, isOutdated: true, waiter: nil)
    case .elsewhere:
      forgetOwner(of: device)
      return []
    case .claiming(var claiming):
      claiming.isOutdated = true
      claiming.mustReload = true
      states[device] = .claiming(claiming)
      return []
    case nil:
      // An earlier attempt to claim the device again has failed.
      return hasLink ? begin(device, .reclaim, hasLink: true, waiter: nil) : []
    }
  }

  /// Handles the result of the device's request; nil if the store failed.
  mutating func finish(_ device: UInt64, _ result: DeviceClaimResult?) -> [Action] {
    guard case .claiming(let claiming) = states[device] else {
      assertionFailure("a claim on device \(device) finished, but none was requested")
      return []
    }
    if claiming.mustTake, result != nil {
      var next = claiming
      next.mode = .take
      next.hasLink = true
      next.mustTake = false
      next.mustReload = false
      states[device] = .claiming(next)
      return [.claim(DeviceClaimRequest(device: device, mode: .take, hasLink: true))]
    }
    if claiming.mustReload, case .held = result {
      var next = claiming
      next.mustReload = false
      states[device] = .claiming(next)
      return [
        .claim(DeviceClaimRequest(device: device, mode: next.mode, hasLink: next.hasLink))
      ]
    }
    waitingPushes -= claiming.pushCount
    assert(waitingPushes >= 0, "the number of waiting pushes is not negative: \(waitingPushes)")
    states[device] = nil
    switch result {
    case .held(let state): return hold(state, after: claiming)
    case .elsewhere(let node) where node == own || node == 0:
      // The device is connected to another node, but this node still owns it, or no node does.
      var next = claiming
      next.mode = .take
      next.hasLink = false
      next.wasHeld = false
      next.isOutdated = true
      states[device] = .claiming(next)
      waitingPushes += next.pushCount
      return [
        .closeLinks(device: device),
        .claim(DeviceClaimRequest(device: device, mode: .take, hasLink: false)),
      ]
    case .elsewhere(let node): return leave(device, to: node, after: claiming)
    case .unknown: return release(device, claiming) { .decide($0.submission) }
    case nil:
      var actions: [Action] = []
      // The earlier claim is still valid, as far as this node knows. After a failed reclaim, the device stays connected.
      if claiming.wasHeld, claiming.mode != .reclaim, !claiming.isOutdated { hold(device) }
      for waiter in claiming.waiting {
        switch waiter {
        case .push(let push): actions.append(.refuse(push.submission))
        case .link(let link): actions.append(.close(link: link))
        case .revocation(let time): actions.append(.revoke(device: device, atMilliseconds: time))
        }
      }
      return actions
    }
  }

  // MARK: Bounds

  /// Forgets the device that was claimed first, unless `isNeeded` returns true for it, and returns it.
  ///
  /// Returns nil if at most `count` devices are held, or if the device is still needed.
  mutating func evict(above count: Int, isNeeded: (UInt64) -> Bool) -> UInt64? {
    guard heldCount > count, heldHead < heldOrder.count else { return nil }
    let device = heldOrder[heldHead]
    heldHead += 1
    if heldHead >= 1_024, heldHead * 2 >= heldOrder.count {
      heldOrder.removeFirst(heldHead)
      heldHead = 0
    }
    guard isHeld(device) else { return nil }
    if isNeeded(device) {
      heldOrder.append(device)
      return nil
    }
    remove(device)
    return device
  }

  /// Asserts the invariants that hold between events.
  func checkInvariants() {
    var counts = (held: 0, elsewhere: 0, pushes: 0)
    for state in states.values {
      switch state {
      case .held: counts.held += 1
      case .elsewhere: counts.elsewhere += 1
      case .claiming(let claiming):
        counts.pushes += claiming.pushCount
      }
    }
    assert(counts.held == heldCount, "the number of held devices is correct: \(heldCount)")
    assert(
      counts.elsewhere == elsewhereCount && elsewhereCount <= elsewhereMax,
      "the number of devices of other nodes is correct: \(elsewhereCount)")
    assert(
      heldOrder.count - heldHead <= 2 * heldCount + Limits.claimListSlack,
      "the list of held devices is bounded: \(heldOrder.count)")
    assert(counts.pushes == waitingPushes, "the number of waiting pushes is correct")
    assert(waitingPushes <= waitingMax, "the number of waiting pushes is within its limit")
  }

  // MARK: Steps

  /// Requests a claim, or adds to the request that is already in progress.
  private mutating func begin(
    _ device: UInt64, _ mode: DeviceClaimRequest.Mode, hasLink: Bool = false,
    isOutdated: Bool = false, waiter: Waiter?
  ) -> [Action] {
    if case .push = waiter { waitingPushes += 1 }
    if case .claiming(var claiming) = states[device] {
      if let waiter { claiming.waiting.append(waiter) }
      if mode == .take, claiming.mode != .take || hasLink && !claiming.hasLink {
        claiming.mustTake = true
      }
      states[device] = .claiming(claiming)
      return []
    }
    let wasHeld = isHeld(device)
    remove(device)
    states[device] = .claiming(
      Claiming(
        mode: mode, hasLink: hasLink, wasHeld: wasHeld, waiting: waiter.map { [$0] } ?? [],
        isOutdated: isOutdated || !wasHeld))
    return [.claim(DeviceClaimRequest(device: device, mode: mode, hasLink: hasLink))]
  }

  private mutating func hold(_ state: ClaimedDevice, after claiming: Claiming) -> [Action] {
    let device = state.device.number
    assert(
      state.registrations.allSatisfy { $0.key.device == device },
      "the registrations are the device's")
    assert(
      state.subscriptions.allSatisfy { $0.device == device }, "the subscriptions are the device's")
    hold(device)
    return [.load(state)] + release(device, claiming) { .decide($0.submission) }
  }

  private mutating func hold(_ device: UInt64) {
    assert(states[device] == nil, "device \(device) has no other state")
    states[device] = .held
    heldCount += 1
    heldOrder.append(device)
    compactOrder()
  }

  /// Removes the devices that are no longer held, and repeated entries, from the list once there are many.
  private mutating func compactOrder() {
    guard heldOrder.count - heldHead > 2 * heldCount + Limits.claimListSlack else { return }
    var seen: Set<UInt64> = []
    heldOrder = heldOrder[heldHead...].filter { isHeld($0) && seen.insert($0).inserted }
    heldHead = 0
    assert(heldOrder.count == heldCount, "each held device is listed once")
  }

  private mutating func leave(
    _ device: UInt64, to node: NodeNumber, after claiming: Claiming
  ) -> [Action] {
    setOwner(node, of: device)
    var actions: [Action] = []
    if claiming.wasHeld || claiming.mode == .reclaim {
      actions = [.closeLinks(device: device), .forget(device: device)]
    }
    return actions + release(device, claiming) { .forward($0, to: node) }
  }

  private func release(
    _ device: UInt64, _ claiming: Claiming, _ pushAction: (ClaimedPush) -> Action
  ) -> [Action] {
    claiming.waiting.map { waiter in
      switch waiter {
      case .push(let push): pushAction(push)
      case .link(let link): .attach(link: link, device: device)
      case .revocation(let time): .revoke(device: device, atMilliseconds: time)
      }
    }
  }

  private mutating func setOwner(_ node: NodeNumber, of device: UInt64) {
    assert(node != own && node != 0, "the owner is another node")
    if elsewhereCount >= elsewhereMax {
      // The entries only save a question to the store.
      states = states.filter { if case .elsewhere = $0.value { false } else { true } }
      elsewhereCount = 0
    }
    remove(device)
    states[device] = .elsewhere(node)
    elsewhereCount += 1
  }

  private mutating func forgetOwner(of device: UInt64) {
    if case .elsewhere = states[device] { remove(device) }
  }

  private mutating func remove(_ device: UInt64) {
    let former = states.removeValue(forKey: device)
    switch former {
    case .held:
      heldCount -= 1
      compactOrder()
    case .elsewhere: elsewhereCount -= 1
    case .claiming, nil: break
    }
  }
}
