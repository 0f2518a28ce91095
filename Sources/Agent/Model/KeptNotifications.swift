import BelfryWire

/// Notifications of apps of older interfaces that are kept until the person has decided about the app:
/// in the schedule, and in the delivered list once they are due.
enum KeptNotifications {
  /// After a start: asks anew about apps whose notifications an earlier run kept.
  static func askAnew(
    _ permissions: inout Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications, _ context: inout AgentContext
  ) {
    let apps = pipeline.appsKeptForDecision.union(local.waiting(of: nil, context).map(\.app))
    for app in apps.sorted() where context.settings(of: app).status == .notDetermined {
      permissions.onOlderNotification(app, .local, &context)
    }
  }

  /// Withdraws questions for the sake of notifications that do not wait for the answer any more: they are
  /// gone, or the app got its permission without one.
  static func withdrawIdleQuestions(
    _ permissions: inout Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications, _ context: inout AgentContext
  ) {
    for app in permissions.appsWithKeptNotifications.sorted() {
      let isKept =
        pipeline.keepsForDecision(app, context) || !local.waiting(of: app.text, context).isEmpty
      guard !isKept || context.settings(of: app).status != .notDetermined else { continue }
      permissions.onNothingKept(app, &context)
    }
  }
}
