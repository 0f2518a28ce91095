import BelfryWire
package import AppWire

/// The running content extensions: one process for each notification with an open window.
struct ContentExtensions {
  /// A notification that an extension shows.
  private struct Job {
    let token: String
    let program: ContentExtension
    /// The notification's position in the order of delivery, which distinguishes the notification from a later one
    /// with the same identifier.
    var order: Int64
    /// The connection of the extension's process, once the process has sent its greeting.
    var connection: ConnectionID?
    var hasDrawn = false
    /// The picture files that the extension shows.
    var paths: [String] = []
  }

  private var jobs: [AppNotificationID: Job] = [:]
  private var keys: [ConnectionID: AppNotificationID] = [:]

  /// Starts the extension of a notification whose window was opened, unless the extension is already running.
  mutating func open(_ entry: DeliveredList.Entry, _ context: inout AgentContext) {
    guard jobs[entry.key] == nil,
      let program = context.apps[entry.key.app]?.contentExtension(
        of: entry.retained.outline.category)
    else { return }
    let token = context.makeToken("content-")
    jobs[entry.key] = Job(token: token, program: program, order: entry.order)
    context.emit(
      .startExtension(
        ExtensionOrder(app: entry.key.app, executable: program.executable, token: token)))
  }

  /// Disconnects the extension of a notification that was removed or whose window was closed.
  mutating func close(_ key: AppNotificationID, _ context: inout AgentContext) {
    guard let job = jobs.removeValue(forKey: key) else { return }
    if let connection = job.connection {
      keys[connection] = nil
      context.emit(.close(connection))
    }
    release(job.paths, of: key.app, &context)
  }

  /// Handles the greeting of an extension; returns its notification, or nil if the extension is not expected.
  mutating func onGreeted(
    _ connection: ConnectionID, _ app: AppID, token: String?
  ) -> AppNotificationID? {
    let found = jobs.first { $0.key.app == app && $0.value.token == token }
    guard let key = found?.key, jobs[key]?.connection == nil else { return nil }
    jobs[key]?.connection = connection
    keys[connection] = key
    return key
  }

  /// Requests that an extension's drawing be shown for its notification.
  mutating func onDrawing(
    _ drawing: NotificationDrawing, from connection: ConnectionID, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    let key = try key(of: connection)
    guard let job = jobs[key] else {
      return assertionFailure("every extension connection belongs to a job")
    }
    release(job.paths.filter { !drawing.paths.contains($0) }, of: key.app, &context)
    jobs[key]?.paths = drawing.paths
    jobs[key]?.hasDrawn = true
    let actions = drawing.actions?.map { action in
      Presentation.Action(action) { context.text($0, of: key.app) }
    }
    context.emit(
      .draw(
        key,
        Drawing(
          items: drawing.items, actions: actions,
          hidesDefaultContent: job.program.hidesDefaultContent)))
  }

  /// Returns the notification of an extension.
  ///
  /// - Throws: A failure if the connection does not belong to an extension.
  func key(of connection: ConnectionID) throws(AppLinkFailure) -> AppNotificationID {
    guard let key = keys[connection] else {
      throw AppLinkFailure(.unsupportedMessage, "only a content extension can send this request")
    }
    return key
  }

  /// Returns the picture files that extensions of an app show.
  func attachments(of app: AppID) -> [NotificationAttachment] {
    jobs.filter { $0.key.app == app }.values.sorted { $0.token < $1.token }
      .flatMap(\.paths).map { NotificationAttachment(id: "", path: $0) }
  }

  /// Asks a notification's extension for its decision after an action.
  ///
  /// Returns false if no extension is running, or if the user opened or dismissed the notification.
  func ask(
    _ action: PersonAction, on entry: DeliveredList.Entry, _ context: inout AgentContext
  ) -> Bool {
    guard let connection = jobs[entry.key]?.connection,
      !action.id.hasSameBytes(as: NotificationResponse.defaultAction),
      !action.id.hasSameBytes(as: NotificationResponse.dismissAction)
    else { return false }
    let response = NotificationResponse(
      notification: entry.retained.notification, action: action.id, text: action.text)
    context.ask(
      connection, .contentAction(response), .contentAction(entry.key, order: entry.order, action),
      timeoutMilliseconds: Limits.contentActionMilliseconds)
    return true
  }

  /// Handles an extension whose process has exited or could not be started.
  mutating func onEnded(_ token: String, _ context: inout AgentContext) {
    guard let (key, job) = jobs.first(where: { $0.value.token == token }) else { return }
    if job.connection == nil, !job.hasDrawn { giveUp(key, &context) }
  }

  /// Handles the closing of an extension's connection: a drawing that is already on screen stays there but no longer
  /// responds.
  mutating func onDisconnected(_ connection: ConnectionID, _ context: inout AgentContext) {
    guard let key = keys.removeValue(forKey: connection) else { return }
    jobs[key]?.connection = nil
    if jobs[key]?.hasDrawn == false { giveUp(key, &context) }
  }

  private mutating func giveUp(_ key: AppNotificationID, _ context: inout AgentContext) {
    guard let job = jobs.removeValue(forKey: key) else { return }
    context.emit(.log(.contentExtensionEnded(key.app, executable: job.program.executable)))
  }

  private func release(_ paths: [String], of app: AppID, _ context: inout AgentContext) {
    context.release(paths.map { NotificationAttachment(id: "", path: $0) }, of: app)
  }

  /// After an event, disconnects the extensions of removed notifications.
  ///
  /// If a notification was replaced, its running extension receives the new notification.
  mutating func settle(_ delivery: Delivery, _ context: inout AgentContext) {
    for (key, job) in jobs.sorted(by: { $0.value.token < $1.value.token }) {
      guard let entry = delivery[key] else {
        close(key, &context)
        continue
      }
      guard entry.order != job.order else { continue }
      let category = entry.retained.outline.category
      guard
        context.apps[key.app]?.contentExtension(of: category)?.executable == job.program.executable
      else {
        // The new notification's category belongs to a different extension, or to none.
        if job.hasDrawn {
          let nothing = Drawing(items: [], actions: nil, hidesDefaultContent: false)
          context.emit(.draw(key, nothing))
        }
        close(key, &context)
        continue
      }
      jobs[key]?.order = entry.order
      if let connection = job.connection {
        context.tell(connection, .showContent(entry.retained.notification))
      }
    }
  }

  /// Traps in debug builds if jobs and connections contradict each other.
  func checkInvariants(_ context: AgentContext) {
    for (connection, key) in keys {
      assert(jobs[key]?.connection == connection, "every extension connection belongs to a job")
      assert(context.connections[connection] != nil, "every job's connection is open")
    }
    for (key, job) in jobs {
      assert(context.apps[key.app] != nil, "every job belongs to a known app")
      assert(
        job.connection.map { keys[$0] == key } ?? true, "a job's connection leads back to the job")
    }
  }
}

/// A content extension's drawing of a notification, for presenters.
package struct Drawing: Hashable, Sendable {
  /// The items from top to bottom.
  package var items: [NotificationDrawing.Item]
  /// The buttons that replace the notification's own; nil keeps the notification's buttons.
  var actions: [Presentation.Action]?
  /// True if the notification's own text is hidden.
  var hidesDefaultContent: Bool
}
