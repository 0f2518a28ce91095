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

  /// After an app's connection has ended: asks about its notifications that are kept, if the question was withdrawn
  /// because only the connection waited for the answer.
  static func askAgain(
    about app: AppID, _ permissions: inout Permissions, _ pipeline: DeliveryPipeline,
    _ context: inout AgentContext
  ) {
    guard context.settings(of: app).status == .notDetermined,
      pipeline.keepsForDecision(app, context), !permissions.isUndecided(app),
      !permissions.isPostponed(app)
    else { return }
    permissions.onOlderNotification(app, .local, &context)
  }

  /// Withdraws questions for the sake of notifications that do not wait for the answer any more: the app
  /// got its permission without one, or has gone and left nothing that is kept.
  static func withdrawIdleQuestions(
    _ permissions: inout Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications, _ context: inout AgentContext
  ) {
    for app in permissions.appsWithKeptNotifications.sorted() {
      if context.settings(of: app).status == .notDetermined {
        // One in front may still say what to show of a notification, and what it shows is kept if it dies.
        guard context.presence(of: app) == .notRunning,
          !pipeline.keepsForDecision(app, context),
          local.waiting(of: app.text, context).isEmpty
        else { continue }
      }
      permissions.onNothingKept(app, &context)
    }
  }
}
