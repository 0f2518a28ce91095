import AppWire

/// A command's notification for an app whose permission is still undecided, in memory and on disk.
///
/// The notification is stored because the command might already have learned that it will be shown once the user allows
/// it. Such a command does not send the notification again.
struct WaitingNotification: Hashable {
  /// The command's request, which gets no answer if the command or the agent has since exited.
  let requestID: RequestID
  let app: AppID
  let request: NotificationRequest
  /// The notification's number among all notifications that ever waited; 0 before it waits.
  var number: Int64 = 0

  /// The same notification, from a command that no longer waits for an answer.
  var unanswered: WaitingNotification {
    WaitingNotification(requestID: requestID.unanswered, app: app, request: request, number: number)
  }

  /// The notification's key.
  var key: AppNotificationID { AppNotificationID(app: app, id: request.id) }

  /// The key of the notification's record in the store.
  var recordKey: String { "\(app.text)/\(number)" }

  /// The stored form of the request.
  var record: [UInt8] { request.encoded }
}

extension WaitingNotification {
  /// Reads a record; nil if it is damaged.
  init?(key: String, record: [UInt8]) {
    guard let slash = key.lastIndex(of: "/"), let app = AppID(String(key[..<slash])),
      let number = Int64(key[key.index(after: slash)...]), number > 0,
      let request = try? NotificationRequest(decoding: record)
    else { return nil }
    self.init(
      requestID: RequestID(connection: ConnectionID(number: 0), number: nil), app: app,
      request: request,
      number: number)
  }
}
