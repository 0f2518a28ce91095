internal import BelfryWire
internal import Storage

/// Requests about the nodes of a cluster.
extension Administration {
  func listNodes() throws(StorageFailure) -> AdministrationAnswer {
    guard let cluster = runtime?.cluster else { return .failure(Self.noCluster) }
    return .success(
      try cluster.nodes().map { node in
        [
          "node": .string(node.name), "up": .bool(!node.isEnded),
          "lastSeen": AdministrationLines.time(node.seenMilliseconds),
          "devices": .integer(node.isEnded ? 0 : node.devices), "version": .string(node.version),
        ]
      })
  }

  /// Makes a node stop.
  ///
  /// Without `isForced`, this method succeeds only if another node is running.
  func drainNode(_ name: String, isForced: Bool) throws(StorageFailure) -> AdministrationAnswer {
    guard let cluster = runtime?.cluster else { return .failure(Self.noCluster) }
    let nodes = try cluster.nodes()
    guard let node = nodes.first(where: { $0.name.hasSameBytes(as: name) }) else {
      return .failure(.init(.missing, "unknown node \(name)", do: "see 'belfry node list'"))
    }
    guard !node.isEnded else {
      return .failure(
        .init(.conflict, "the node \(name) is not running", do: "see 'belfry node list'"))
    }
    guard isForced || nodes.contains(where: { !$0.isEnded && $0.number != node.number }) else {
      return .failure(
        .init(
          .conflict, "\(name) is the only node that is running, so its devices could not reconnect",
          do: "start another node first; to stop this node anyway, use --force"))
    }
    guard cluster.drain(node.number) else {
      return .failure(
        .init(
          .busy, "the bus is absent, so the node \(name) cannot be reached",
          do: "send SIGTERM to the node's process"))
    }
    // This node stops only after it has answered.
    if node.number == cluster.number { return .success([]) }
    guard try cluster.waitUntilEnded(node.number) else {
      return .failure(
        .init(
          .busy, "the node \(name) has not stopped yet", do: "look at its log, or stop its process")
      )
    }
    return .success([])
  }

  private static let noCluster = AdministrationFailure(
    .conflict, "the gateway is not a node of a cluster", do: "start it with --bus")
}
