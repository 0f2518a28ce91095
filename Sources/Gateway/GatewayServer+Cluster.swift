internal import BelfryWire
internal import Storage
internal import System

/// The gateway as a node of a cluster.
extension GatewayServer {
  /// Connects the control plane to the other nodes, and performs the node's periodic work.
  func tickCluster() {
    guard let cluster else { return }
    controlPlane.use(cluster)
    scheduleClusterTick(cluster)
  }

  private func scheduleClusterTick(_ cluster: ClusterNodeRuntime) {
    cluster.tick(devices: shared.metrics.deviceConnections.value)
    loop.schedule(afterNanoseconds: Limits.clusterTickNanoseconds) { [weak self] in
      guard let self, !isStopped else { return }
      scheduleClusterTick(cluster)
    }
  }

  /// Applies the changes that other nodes have written.
  func follow(_ subjects: [ClusterChange.Subject]?, upTo number: Int64) {
    guard let cluster else {
      return assertionFailure("only a node of a cluster follows the changes of others")
    }
    var succeeded = controlPlane.follow(subjects)
    do {
      try followSettings(subjects)
    } catch {
      // This node must not confirm keys that it cannot use, because other nodes would seal tokens with them.
      log.error("cannot apply the settings that another node has changed", ["why": "\(error)"])
      succeeded = false
    }
    let isComplete = succeeded
    let barrier = ChangeBarrier { cluster.applied(upTo: number, succeeded: isComplete) }
    barrier.expect(peers.count)
    for peer in peers { peer.post(.confirm(barrier)) }
  }

  private func followSettings(_ subjects: [ClusterChange.Subject]?) throws {
    func has(_ name: String) -> Bool {
      // text: the names are the gateway's own
      subjects?.contains { $0 == .setting(name) } ?? true
    }
    if has(ControlSetting.faults), configuration.environment == .sandbox {
      shared.faults.replaceAll(
        with: try StoredFaults(store: resources.controlStore).faults().faults)
    }
    for name in [ControlSetting.tokenKeys, ControlSetting.authority] where has(name) {
      _ = try resources.secrets?.pull(into: folder)
      onRotation(in: [.putSetting(name: name, value: nil)])
    }
    if subjects?.contains(.directory) ?? true {
      _ = try resources.secrets?.pull(into: folder)
      refreshKey()
    }
    if has(ControlSetting.enrollmentCode),
      let code = try resources.controlStore.setting(ControlSetting.enrollmentCode)
    {
      noteEnrollmentCode(in: [.putSetting(name: ControlSetting.enrollmentCode, value: code)])
    }
  }
}

extension ClusterNodeRuntime {
  /// The objects that the loops use.
  func shared(_ claims: ClaimWriter) -> ClusterShared {
    ClusterShared(
      node: number, claims: claims, lease: lease,
      bus: ClusterSender(
        isConnected: { [unowned self] in isConnected }, send: { [unowned self] in send($0, to: $1) }
      ),
      removeLinks: { [unowned self] in removeLinks($0) },
      verifyLinks: { [unowned self] in verifyLinks(of: $0) },
      elapsedMilliseconds: elapsedMilliseconds)
  }

  /// Waits until the other nodes have applied an administrator's changes, or have lost their leases.
  ///
  /// A command that takes something away waits longer, because nothing that it has revoked may be accepted afterward.
  func wait(for changes: [ControlChange]) {
    let isRevocation = changes.contains(where: \.takesAway)
    let late = waitForNodes(
      milliseconds: isRevocation
        ? lease.milliseconds + lease.milliseconds / 3 : Limits.nodeAdditionMilliseconds)
    if !late.isEmpty {
      log.warning(
        "nodes have not confirmed a change", ["nodes": late.joined(separator: " ")])
    }
  }
}

extension ControlChange {
  /// True if something that was accepted before the change must be refused after it.
  var takesAway: Bool {
    switch self {
    case .removeTeam, .removeApp, .removeChannel, .removeUpstream, .unregisterAll: true
    case .putKey(let key): key.revokedMilliseconds != nil
    case .putCertificate(let certificate): certificate.revokedMilliseconds != nil
    case .putDevice(let device): device.revokedMilliseconds != nil
    case .putSetting(let name, _):
      // No node may seal a token with a key that another node lacks.
      name == ControlSetting.tokenKeys || name == ControlSetting.authority  // text: our own names
    case .putTeam, .putApp, .putChannel, .putUpstream, .putBudget, .addUse, .putBroadcast,
      .removeBroadcast,
      .removeExpiredBroadcasts, .putDeviceCertificate, .recordArrival, .putRegistration,
      .forgetFormerRegistrations, .putSubscription, .markSubscription, .removeSubscription,
      .forgetSetAside:
      false
    }
  }
}

extension ControlPlane {
  /// Tells the other nodes about changes that this node makes by itself.
  func use(_ cluster: ClusterNodeRuntime) {
    announceChange = { cluster.announceChange() }
    channels.announceChange = { cluster.announceChange() }
    channels.forwardBroadcast = { _ = cluster.send(.broadcast($0), to: nil) }
  }
}
