import AppWire

/// The handling of notifications that apps add through an older interface before the user has decided about the app.
///
/// The notifications are kept until the decision: in the schedule, and in the delivered list once they are due.
enum KeptNotifications {
  /// After a start, repeats the questions about apps whose notifications an earlier run kept.
  static func askAnew(
    _ permissions: inout Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications, _ context: inout AgentContext
  ) {
    let apps = pipeline.delivery.appsKeptForDecision.union(
      local.waiting(of: nil, context).map(\.app))
    for app in apps.sorted() where context.settings(of: app).status == .notDetermined {
      permissions.onOlderNotification(app, .local, &context)
    }
  }

  /// Asks about the apps whose delivered notifications are kept although no question is open.
  ///
  /// Either the question was withdrawn because only a connection waited for its answer, or the user was not asked
  /// because the app was silent when it scheduled the notification (S1-5).
  static func askAboutDelivered(
    _ permissions: inout Permissions, _ pipeline: DeliveryPipeline, _ context: inout AgentContext
  ) {
    for app in pipeline.delivery.appsKeptForDecision.sorted()
    where context.settings(of: app).status == .notDetermined
      && !permissions.isUndecided(app) && !permissions.isPostponed(app)
      && pipeline.delivery.keepsForDecision(app, context)
    {
      permissions.onOlderNotification(app, .local, &context)
    }
  }

  /// Withdraws questions about notifications that no longer wait for the answer: the app was granted permission without
  /// an answer, or has exited and left no kept notifications.
  static func withdrawIdleQuestions(
    _ permissions: inout Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications, _ context: inout AgentContext
  ) {
    for app in permissions.appsWithKeptNotifications.sorted() {
      if context.settings(of: app).status == .notDetermined {
        // A running app might still answer with its presentation options, and the notification is kept if the app's
        // process exits.
        guard context.presence(of: app) == .notRunning,
          !pipeline.delivery.keepsForDecision(app, context),
          local.waiting(of: app.text, context).isEmpty
        else { continue }
      }
      permissions.onNothingKept(app, &context)
    }
  }
}
