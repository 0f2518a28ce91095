import Storage
import System

/// Questions of one node to the others, on behalf of administrators.
extension ClusterNodeRuntime {
  /// Asks all other live nodes, and returns their answers and the names of the nodes that did not answer in time.
  ///
  /// While the store fails, the nodes of the latest renewal of the lease are asked.
  /// Call this method on an administrator's thread.
  func ask(
    _ question: ClusterQuestion
  ) throws(StorageFailure) -> (answers: [[UInt8]], missing: [String]) {
    let others = try knownNodes().filter { !$0.isEnded && $0.number != number }
    guard !others.isEmpty else { return ([], []) }
    let asked = answers.begin(Set(others.map(\.number)))
    for node in others { _ = send(.question(number: asked, question), to: node.number) }
    // Without the bus, no node can answer.
    let received = answers.finish(
      asked, milliseconds: isConnected ? Limits.clusterAnswerMilliseconds : 0)
    return (
      Array(received.values), others.filter { received[$0.number] == nil }.map(\.name)
    )
  }

  /// Returns the presences of this node's devices, `own`, together with those of all other nodes, and the names of the
  /// nodes that did not answer.
  func presences(
    with own: [UInt64: DevicePresence]
  ) throws(AdministrationFailure) -> Administration.Presences {
    do throws(StorageFailure) {
      let (answers, missing) = try ask(.presences)
      warnAboutMissing(missing)
      let others = answers.flatMap { answer in
        var reader = ClusterReader(answer[...])
        var presences: [DevicePresence] = []
        while let presence = DevicePresence(&reader) { presences.append(presence) }
        return presences
      }
      return (DevicePresence.merged(own, others), missing)
    } catch {
      throw AdministrationFailure(error)
    }
  }

  /// Returns the matching lines of all other nodes' delivery logs, and the names of the nodes that did not answer.
  func linesElsewhere(
    of query: DeliveryLogQuery
  ) throws(StorageFailure) -> (lines: [DeliveryLogLine], missing: [String]) {
    let (answers, missing) = try ask(.log(query))
    warnAboutMissing(missing)
    let lines = answers.flatMap { answer in
      var reader = ClusterReader(answer[...])
      var lines: [DeliveryLogLine] = []
      while let line = DeliveryLogLine(&reader) { lines.append(line) }
      return lines
    }
    return (lines, missing)
  }

  private func warnAboutMissing(_ nodes: [String]) {
    if !nodes.isEmpty {
      log.warning("nodes did not answer a question", ["nodes": nodes.joined(separator: " ")])
    }
  }

  /// Answers a question of another node, on the thread that is for answers.
  func answer(_ question: ClusterQuestion, number: UInt64, from node: NodeNumber) {
    var answer: [UInt8] = []
    do throws(AdministrationFailure) {
      switch question {
      case .log(let query):
        for line in try logReader().lines(of: query).suffix(Limits.clusterLogLinesMax) {
          line.encode(into: &answer)
        }
      case .presences:
        for presence in try logReader().presences().values { presence.encode(into: &answer) }
      }
    } catch {
      // The other node reports that this node has not answered.
      return log.warning("cannot answer a question of another node", ["why": error.what])
    }
    for part in ClusterAnswerPart.parts(of: answer, to: number) {
      _ = send(.answer(part), to: node)
    }
  }
}
