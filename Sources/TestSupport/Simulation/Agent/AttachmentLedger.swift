import Agent
import AppWire

/// A check of the files of attachments and content extensions: no file may be deleted while a record or an extension
/// uses it, and no file may remain when neither uses it.
final class AttachmentLedger {
  private unowned let world: AgentSimulation
  /// The files that records have used and that have not been deleted since.
  private var stored: [AppID: Set<String>] = [:]

  init(in world: AgentSimulation) { self.world = world }

  func onDecided(_ effect: AgentEffect) {
    switch effect {
    case .persist(.put(let collection, let key, let value)):
      guard let app = AppID(String(key.prefix { $0 != "/" })) else { return }
      for path in Self.paths(collection, key, value) { stored[app, default: []].insert(path) }
    case .draw(let key, let drawing):
      for case .picture(let path) in drawing.items { stored[key.app, default: []].insert(path) }
    case .deleteAttachments(let app, nil): stored[app] = nil
    case .deleteAttachments(let app, let paths?):
      let used = used(by: app)
      for path in paths {
        world.expect(
          !used.contains(path), "\(path) was deleted, although a notification of \(app) uses it")
        stored[app]?.remove(path)
      }
    default: break
    }
  }

  private func used(by app: AppID) -> Set<String> {
    var paths = world.ledger.content.paths(of: app)
    for collection in [RecordCollection.delivered, .pending, .waiting, .responses] {
      for (key, value) in world.ledger.mirror[collection] where key.hasPrefix("\(app)/") {
        paths.formUnion(Self.paths(collection, key, value))
      }
    }
    return paths
  }

  private static func paths(
    _ collection: RecordCollection, _ key: String, _ value: [UInt8]
  ) -> [String] {
    let attachments =
      switch collection {
      case .delivered: DeliveredList.Entry(record: value)?.retained.attachments
      case .pending, .waiting: (try? NotificationRequest(decoding: value))?.content.attachments
      case .responses: Responses.Waiting(key: key, record: value)?.retained.attachments
      case .apps, .schedule, .regions, .seen, .fetches, .tasks, .device, .cancellations,
        .subscriptions, .messages:
        nil as [NotificationAttachment]?
      }
    return (attachments ?? []).map(\.path)
  }

  /// Checks that no unused file remains.
  ///
  /// The check is skipped if the agent was ever killed, because an agent that is killed between a commit and its
  /// effects leaves files behind.
  func checkEnd() {
    guard world.agent.restartCount == 0 else { return }
    for (app, paths) in stored.sorted(by: { $0.key < $1.key }) {
      let left = paths.subtracting(used(by: app)).sorted()
      world.expect(
        left.isEmpty, "files of \(app) remain, although no notification uses them: \(left)")
    }
  }
}
