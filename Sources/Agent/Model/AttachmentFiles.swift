import BelfryWire

/// The files of attachments, which lie in the user's data folder as long as a notification has them.
enum AttachmentFiles {
  /// After an event: has files deleted that no notification has any more, and folders kept to their bound.
  static func settle(
    _ permissions: Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications,
    _ context: inout AgentContext
  ) {
    deleteReleased(permissions, pipeline, local, &context)
    trim(permissions, pipeline, local, &context)
  }

  /// Has files deleted that notifications released and no other notification of their app has: neither
  /// one that waits for its time or a decision, nor one in the list, nor one whose response waits for its app.
  private static func deleteReleased(
    _ permissions: Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications,
    _ context: inout AgentContext
  ) {
    for (app, released) in context.takeReleasedAttachments() {
      assert(!released.isEmpty, "an app that let go of nothing is not listed")
      let unused = released.subtracting(
        used(by: app, permissions, pipeline, local, context).map { UTF8Text($0) })
      if !unused.isEmpty {
        context.emit(.deleteAttachments(app, paths: unused.sorted().map(\.string)))
      }
    }
  }

  /// Has an app's folder brought back to its bound where files came into it.
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

  /// The paths that notifications of an app have, of those that came first before others.
  private static func used(
    by app: AppID, _ permissions: Permissions, _ pipeline: DeliveryPipeline,
    _ local: borrowing LocalNotifications,
    _ context: AgentContext
  ) -> [String] {
    (pipeline.attachments(of: app) + permissions.attachments(of: app)
      + local.attachments(of: app, context)).map(\.path)
  }
}
