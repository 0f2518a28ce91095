import PushWire
import Storage
import System
import Transport

/// The claims of a home in a cluster (docs/cluster.md).
extension DeviceHome {
  // MARK: Events

  /// Returns true if this node owns the push's device; otherwise, takes care of the push.
  func isOwner(of submission: Submission) -> Bool {
    guard let shared = cluster?.shared else { return true }
    guard shared.hasLease else {
      answer(submission, .refused(.serviceUnavailable, timestampMilliseconds: nil))
      return false
    }
    if cluster?.table.isHeld(submission.key.device) == true { return true }
    perform(cluster?.table.submit(DeviceClaimTable.ClaimedPush(submission: submission)))
    return false
  }

  /// Handles a push again whose row was refused, because another node has claimed its device.
  func submitAgain(_ submission: Submission) {
    guard submission.reply != nil else { return }
    perform(cluster?.table.submit(DeviceClaimTable.ClaimedPush(submission: submission)))
  }

  /// Claims the device of a push that would be refused or discarded again, because this node might have lost the claim
  /// without knowing it; returns false if the decision is final.
  ///
  /// A provider stops using a token that is refused, so a refusal must not depend on an outdated state.
  func mustConfirm(_ submission: Submission) -> Bool {
    let device = submission.key.device
    guard let cluster, !registrations.isRevoked(device) else { return false }
    perform(
      self.cluster?.table.confirm(
        DeviceClaimTable.ClaimedPush(submission: submission),
        hasLink: cluster.linked[device] != nil))
    return true
  }

  /// Returns true if the device of a push that is not stored is not connected to this node, and its claim was not read
  /// recently.
  ///
  /// Another node might have claimed the device when it connected there. This node would learn of it when it next writes
  /// for the device, but such a push writes nothing.
  func needsConfirmation(_ submission: Submission) -> Bool {
    let device = submission.key.device
    guard let cluster, cluster.linked[device] == nil, submission.isOnce(at: now) else {
      return false
    }
    return cluster.readings[device].map { $0.endNanoseconds <= loop.nowNanoseconds } ?? true
  }

  /// Parks a device's connection until the device is claimed.
  func park(_ stream: DetachedStream, of device: DeviceClaim) {
    park(.device(stream, device), of: device.number)
  }

  /// Parks a browser's connection until its device is claimed.
  func park(_ browser: SessionID, of device: DeviceClaim) {
    park(.browser(browser), of: device.number)
  }

  private func park(_ parked: HomeCluster.ParkedLink, of device: UInt64) {
    guard let link = cluster?.park(parked) else {
      return assertionFailure("connections are parked only in a cluster")
    }
    perform(cluster?.table.connect(device, link: link))
  }

  func handle(_ replies: [ClaimReply]) {
    for reply in replies { perform(cluster?.table.finish(reply.device, reply.result)) }
    performEffects()
  }

  /// Handles the outcome of a push that this home forwarded.
  func handle(_ outcome: ForwardedOutcome, ofPush number: UInt64) {
    // The answer can be late or doubled.
    guard let push = cluster?.forwards.remove(number) else { return }
    switch outcome {
    case .accepted: answer(push.submission, .accepted)
    case .refused(let rejection, let timestamp):
      answer(push.submission, .refused(rejection, timestampMilliseconds: timestamp))
    case .moved(let node):
      if node == cluster?.shared.node {
        perform(
          cluster?.table.forwardFailed(push, isOnce: push.submission.isOnce(at: now)))
      } else {
        perform(
          cluster?.table.moved(push, to: node, isOnce: push.submission.isOnce(at: now)))
      }
    }
  }

  /// Handles the news that another node has claimed a device.
  func loseClaim(on device: UInt64) {
    let hasLink = cluster?.linked[device] != nil
    perform(cluster?.table.lost(device, hasLink: hasLink))
  }

  /// Returns true if a connected device's request can be decided on the state that this home has; otherwise, claims the
  /// device again, and the device must repeat the request.
  func isCurrent(_ device: UInt64) -> Bool {
    guard cluster?.table.isOutdated(device) == true else { return true }
    loseClaim(on: device)
    return false
  }

  /// Checks that this node still owns some of its connected devices.
  func verifyLinks() {
    guard let shared = cluster?.shared, let devices = cluster?.nextToVerify(), !devices.isEmpty
    else { return }
    shared.verifyLinks(devices)
  }

  /// Removes the record that devices are connected to this node, if they are not.
  func removeUnusedLinks(_ claims: [ClaimElsewhere]) {
    let unused = claims.filter { cluster?.linked[$0.device] == nil }
    if !unused.isEmpty { cluster?.shared.removeLinks(unused) }
  }

  /// Revokes a device after claiming it, so that its rows can be removed.
  func claimAndRevoke(_ device: UInt64, atMilliseconds: Int64) {
    guard cluster != nil else { return revoke(device, atMilliseconds: atMilliseconds) }
    // Refuse immediately, even if the store cannot be reached.
    revoke(device, atMilliseconds: atMilliseconds)
    perform(cluster?.table.revoke(device, atMilliseconds: atMilliseconds))
  }

  /// Forgets devices that have been idle, once too many are claimed.
  func forgetIdleDevices() {
    guard let shared = cluster?.shared else { return }
    let bound = Limits.claimedIdleMax + (cluster?.linked.count ?? 0)
    for _ in 0..<Limits.claimsPerTransactionMax {
      guard (cluster?.table.heldCount ?? 0) > bound else { return }
      let linked = cluster?.linked ?? [:]
      let idle = cluster?.table.evict(above: bound) { device in
        linked[device] != nil || core.holdsState(of: device)
          || registering.values.contains { $0.device == device }
      }
      guard let idle else { continue }
      forget(idle)
      shared.claims.forget(idle)
    }
  }

  // MARK: Actions

  private func perform(_ actions: [DeviceClaimTable.Action]?) {
    guard let actions, let shared = cluster?.shared, let replies = cluster?.replies else { return }
    for action in actions {
      switch action {
      case .claim(let request): shared.claims.claim(request, reply: replies)
      case .load(let state): load(state)
      case .accept(let submission): check(submission)
      case .decide(let submission): check(submission, isConfirmed: true)
      case .forward(let push, let node): forward(push, to: node)
      case .refuse(let submission):
        answer(submission, .refused(.serviceUnavailable, timestampMilliseconds: nil))
      case .attach(let link, _):
        switch cluster?.unpark(link) {
        case .device(let stream, let device): attachClaimed(stream, device)
        // The browser might have left in the meantime.
        case .browser(let session): autopush[session]?.attachClaimed()
        case nil: continue
        }
      case .close(let link):
        if case .browser(let session) = cluster?.unpark(link) {
          autopush[session]?.end(.storeFailed)
        }
      case .closeLinks(let device):
        guard let session = cluster?.linked[device] else { continue }
        connections[session]?.end(.replaced)
        autopush[session]?.end(.replaced)
      case .revoke(let device, let time): revoke(device, atMilliseconds: time)
      case .forget(let device): forget(device)
      }
    }
  }

  /// Returns true if a push that is not stored must be refused, because its device might be connected to another node.
  func mustBeRefused(_ submission: Submission) -> Bool {
    let device = submission.key.device
    guard let cluster, cluster.linked[device] == nil else { return false }
    return cluster.readings[device]?.mayBeConnectedElsewhere == true && submission.isOnce(at: now)
  }

  private func load(_ state: ClaimedDevice) {
    let number = state.device.number
    assert(context.isHome(of: number), "claimed device \(number) belongs to this home")
    assert(cluster?.table.isHeld(number) == true, "device \(number) is claimed")
    devices.replace(DeviceClaim(number: number, keyHash: state.device.keyHash))
    registrations.replace(device: number, with: state.registrations)
    if let revoked = state.device.revokedMilliseconds {
      registrations.revoke(number, atMilliseconds: revoked)
    }
    cluster?.readings[number] = HomeCluster.ClaimReading(
      endNanoseconds: loop.nowNanoseconds + Limits.claimReadingNanoseconds,
      mayBeConnectedElsewhere: state.mayBeConnectedElsewhere)
    core.raiseSequence(above: state.highestSequence)
    // The device might have left channels while it was connected to another node.
    removeSubscriptions(of: number, except: Set(state.subscriptions.map(\.channel)))
    for record in state.subscriptions {
      guard let id = ChannelID(record.channel), core.standing(of: number, to: id) == .notSubscribed
      else { continue }
      core.restoreSubscription(of: number, to: id, received: record.received)
      channelWork.count(1, of: number)
      metrics.subscriptions.add()
      cluster?.subscriptions[number, default: []].append(id)
    }
    if let former = state.formerOwner {
      // If this message is lost, the former owner learns of the claim when it next writes, or checks its claims.
      cluster?.outbox.add(.claimed(device: number), to: former)
    }
    // Another node might have stored rows while it owned the connected device.
    core.reload(number, now: now)
  }

  private func forget(_ device: UInt64) {
    assert(cluster?.table.isHeld(device) != true, "device \(device) is not claimed")
    registrations.forget(device: device)
    cluster?.readings[device] = nil
    devices.remove(device)
    removeSubscriptions(of: device, except: [])
  }

  private func removeSubscriptions(of device: UInt64, except kept: Set<[UInt8]>) {
    for id in cluster?.subscriptions[device] ?? [] where !kept.contains(id.bytes) {
      cluster?.subscriptions[device]?.removeAll { $0 == id }
      guard core.unsubscribe(device, from: id) else { continue }
      channelWork.count(-1, of: device)
      metrics.subscriptions.add(-1)
    }
    if cluster?.subscriptions[device]?.isEmpty == true { cluster?.subscriptions[device] = nil }
  }

  private func forward(_ push: DeviceClaimTable.ClaimedPush, to node: NodeNumber) {
    guard let shared = cluster?.shared else { return }
    if let reply = push.submission.reply, reply.node != 0 {
      cluster?.outbox.add(.outcome(reply, .moved(node)), to: reply.node)
      return
    }
    guard cluster?.forwards.hasRoom == true else {
      return answer(
        push.submission, .refused(.serviceUnavailable, timestampMilliseconds: nil))
    }
    assert(node != shared.node, "a push is forwarded to another node")
    var next = push
    next.forwards += 1
    let number = cluster?.forwards.add(next, atNanoseconds: loop.nowNanoseconds)
    guard let number, let outbox = cluster?.outbox,
      outbox.add(
        .push(
          push.submission.answered(
            at: ReplyAddress(front: context.route, connection: number, stream: 0))),
        to: node, forward: number)
    else {
      // The bus is absent.
      if let number { _ = cluster?.forwards.remove(number) }
      return perform(
        cluster?.table.forwardFailed(next, isOnce: push.submission.isOnce(at: now)))
    }
    armForwardTimer(afterNanoseconds: Limits.forwardNanoseconds)
  }

  /// Handles forwarded pushes that could not be sent, because the bus is absent.
  func forwardsFailed(_ numbers: [UInt64]) {
    for number in numbers {
      guard let push = cluster?.forwards.remove(number) else { continue }
      perform(cluster?.table.forwardFailed(push, isOnce: push.submission.isOnce(at: now)))
    }
    performEffects()
  }

  private func armForwardTimer(afterNanoseconds delay: Int64) {
    guard cluster?.forwardTimer == nil else { return }
    cluster?.forwardTimer = loop.schedule(afterNanoseconds: delay) { [weak self] in
      self?.endForwards()
    }
  }

  /// Handles the forwarded pushes that have waited for too long.
  private func endForwards() {
    cluster?.forwardTimer = nil
    let moment = now
    let expired =
      cluster?.forwards.removeExpired(atNanoseconds: loop.nowNanoseconds) {
        $0.submission.isOnce(at: moment)
      } ?? []
    for push in expired {
      perform(cluster?.table.forwardFailed(push, isOnce: push.submission.isOnce(at: now)))
    }
    if let next = cluster?.forwards.nextDeadline {
      armForwardTimer(afterNanoseconds: max(0, next - loop.nowNanoseconds))
    }
    performEffects()
  }
}

extension Submission {
  /// Returns the submission with another address for its answer.
  func answered(at address: ReplyAddress) -> Submission {
    Submission(
      key: key, generation: generation, id: id, uniqueID: uniqueID, expiration: expiration,
      priority: priority, pushType: pushType, collapseID: collapseID, payload: payload,
      acceptedMilliseconds: acceptedMilliseconds, keep: keep, isWithdrawal: isWithdrawal,
      reply: address)
  }
}
