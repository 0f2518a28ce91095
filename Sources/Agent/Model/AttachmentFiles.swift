import AppWire
import BelfryWire

/// The lifecycle of attachment files, which stay in the user's data folder while a notification uses them.
enum AttachmentFiles {
  /// Requests the deletion of unused files after an event, and keeps folders within their limits.
  static func settle(
    _ permissions: Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications,
    _ context: inout AgentContext
  ) {
    deleteReleased(permissions, pipeline, local, &context)
    trim(permissions, pipeline, local, &context)
  }

  /// Requests the deletion of files that notifications released and that no other notification of the app uses.
  ///
  /// The other notifications are those that are pending, wait for a decision, are in the list, or have a response that
  /// waits for the app.
  private static func deleteReleased(
    _ permissions: Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications,
    _ context: inout AgentContext
  ) {
    for (app, released) in context.takeReleasedAttachments() {
      assert(!released.isEmpty, "an app with no released attachments has no entry")
      let unused = released.subtracting(
        used(by: app, permissions, pipeline, local, context).map { UTF8Text($0) })
      if !unused.isEmpty {
        context.emit(.deleteAttachments(app, paths: unused.sorted().map(\.string)))
      }
    }
  }

  /// Requests that an app's folder be trimmed to its limits if files were added to it.
  private static func trim(
    _ permissions: Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications,
    _ context: inout AgentContext
  ) {
    for app in context.takeAppsWithNewAttachments() {
      let paths = used(by: app, permissions, pipeline, local, context)
      context.emit(.trimAttachments(app, used: paths))
    }
  }

  /// Returns the attachment paths that an app's notifications use: first the paths of delivered notifications, then the
  /// paths of waiting notifications.
  private static func used(
    by app: AppID, _ permissions: Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications,
    _ context: AgentContext
  ) -> [String] {
    (pipeline.attachments(of: app) + permissions.attachments(of: app)
      + local.attachments(of: app, context)).map(\.path)
  }
}
