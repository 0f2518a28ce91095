import Agent
import AppWire

/// A check of the answers that apps receive about their own data: the answers must match the records and contain no
/// other app's data.
final class AnswerLedger {
  private unowned let world: AgentSimulation

  init(in world: AgentSimulation) { self.world = world }

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    guard case .answer(let ask, let answer) = effect,
      case .appRequested(ask, let request) = event,
      let app = world.ledger.knowledge.app(of: ask.connection),
      let record = world.ledger.apps[app]
    else { return }
    let isRight =
      switch request {
      case .badge: answer.frame.object["badge"]?.integerValue == record.badge
      case .settings: (try? answer.settings()) == record.settings
      case .categories: (try? answer.categories()) == record.categories
      case .locationStatus: (try? answer.locationStatus()) == world.ledger.locationStatus(of: app)
      case .delivered: (try? answer.delivered()) == delivered(app)
      case .pending: Set((try? answer.pending().map(\.request)) ?? []) == pending(app)
      case .watchedRegions: Set((try? answer.regions()) ?? []) == regions(app)
      default: true
      }
    world.expect(isRight, "\(app) received an answer that does not match the records: \(request)")
  }

  /// Returns the delivered notifications of an app, oldest first.
  private func delivered(_ app: AppID) -> [DeliveredNotification] {
    world.ledger.mirror[.delivered].map(\.value).compactMap(DeliveredList.Entry.init(record:))
      .filter { $0.key.app == app && $0.isListed }.sorted { $0.order < $1.order }
      .map(\.notification)
  }

  private func pending(_ app: AppID) -> Set<NotificationRequest> {
    Set(
      world.ledger.mirror[.pending].filter { $0.key.hasPrefix("\(app)/") }.map(\.value)
        .compactMap { try? NotificationRequest(decoding: $0) })
  }

  private func regions(_ app: AppID) -> Set<NotificationRegion> {
    Set(
      world.ledger.mirror[.regions].compactMap { name, value in
        guard case .watched(app, _)? = RegionRecord.key(name) else { return nil }
        return RegionRecord.read(value)?.0
      })
  }
}
