import BelfryWire

/// A command's notification for an app whose permission is still undecided, in memory and on disk.
///
/// The command may have been informed that the notification will be shown once the user allows it, and does not send
/// the notification again.
struct WaitingNotification: Hashable {
  /// The command's request, which gets no answer once the command or the run of the agent has ended.
  let requestID: RequestID
  let app: AppID
  let request: NotificationRequest
  /// The position in the order of all notifications that ever waited; 0 before it waits.
  var number: Int64 = 0

  /// The same notification, of a command that no longer wants an answer.
  var unanswered: WaitingNotification {
    WaitingNotification(requestID: requestID.unanswered, app: app, request: request, number: number)
  }

  /// The notification's key.
  var key: AppNotificationID { AppNotificationID(app: app, id: request.id) }

  /// The key of its record in the store.
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
