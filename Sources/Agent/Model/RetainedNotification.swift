import PushWire
import BelfryWire
package import AppWire

/// A notification as the agent retains it, in memory and on disk.
///
/// For a push, this type holds the payload's bytes and the values that are needed to show and route the push. The app's
/// data is parsed from the bytes only when needed, because it would take many times the payload's memory.
package struct RetainedNotification: Hashable, Sendable {
  private enum Source: Hashable, Sendable {
    /// The app's own notification request.
    case request(NotificationRequest)
    case push(id: String, payload: [UInt8])
    /// A push that a service extension has changed.
    ///
    /// `readsUserInfo` is true if the extension did not change the app's data, which is then read from the payload.
    case changedPush(id: String, payload: [UInt8], readsUserInfo: Bool)
  }

  /// The time when the notification arrived, in milliseconds since 1970.
  let unixMilliseconds: Int64
  /// The notification's content; for a push, without the app's data.
  ///
  /// The content is derived once, because locking or unlocking the screen reads it for every notification.
  let outline: NotificationContent
  private let source: Source

  private init(_ source: Source, _ outline: NotificationContent, unixMilliseconds: Int64) {
    self.source = source
    self.outline = outline
    self.unixMilliseconds = unixMilliseconds
  }

  /// Creates a notification from an app's own request.
  init(_ request: NotificationRequest, unixMilliseconds: Int64) {
    self.init(.request(request), request.content, unixMilliseconds: unixMilliseconds)
  }

  /// Creates a notification from a push, with its identifier and the content of its payload.
  init(
    pushNamed id: String, payload: [UInt8], _ content: NotificationContent, unixMilliseconds: Int64
  ) {
    var outline = content
    outline.userInfo = [:]
    self.init(.push(id: id, payload: payload), outline, unixMilliseconds: unixMilliseconds)
  }

  /// Creates a notification from a push, with its identifier.
  init(pushNamed id: String, payload: [UInt8], unixMilliseconds: Int64) {
    self.init(
      pushNamed: id, payload: payload, PushPayload(payload)?.content ?? NotificationContent(),
      unixMilliseconds: unixMilliseconds)
  }

  /// Returns the same push with the content from a service extension.
  func changed(to content: NotificationContent) -> RetainedNotification {
    guard let payload else {
      assertionFailure("a service extension changed a notification that is not a push")
      return self
    }
    var content = content
    let readsUserInfo = content.userInfo == (PushPayload(payload)?.content.userInfo ?? [:])
    if readsUserInfo { content.userInfo = [:] }
    return RetainedNotification(
      .changedPush(id: id, payload: payload, readsUserInfo: readsUserInfo), content,
      unixMilliseconds: unixMilliseconds)
  }

  /// The notification's identifier within its app.
  var id: String {
    switch source {
    case .request(let request): request.id
    case .push(let id, _), .changedPush(let id, _, _): id
    }
  }

  /// The push's payload, byte for byte.
  var payload: [UInt8]? {
    switch source {
    case .request: nil
    case .push(_, let payload), .changedPush(_, let payload, _): payload
    }
  }

  /// True if the notification belongs to a repeating request.
  var repeats: Bool {
    if case .request(let request) = source { request.trigger?.repeats ?? false } else { false }
  }

  /// The trigger that caused the notification to appear.
  var trigger: NotificationTrigger? {
    if case .request(let request) = source { request.trigger } else { .push }
  }

  /// The complete content; for a push, the payload is parsed again.
  package var content: NotificationContent {
    var content = outline
    content.userInfo = userInfo
    return content
  }

  /// The app's data; for a push, the payload is parsed again.
  var userInfo: JSONObject {
    switch source {
    case .request, .changedPush(_, _, readsUserInfo: false): outline.userInfo
    case .push(_, let payload), .changedPush(_, let payload, readsUserInfo: true):
      PushPayload(payload)?.content.userInfo ?? [:]
    }
  }

  /// The attachments; a push has attachments only if a service extension added them.
  package var attachments: [NotificationAttachment] { outline.attachments }

  /// The notification as apps receive it.
  package var notification: DeliveredNotification {
    let request =
      switch source {
      case .request(let request): request
      case .push, .changedPush: NotificationRequest(id: id, content: content, trigger: .push)
      }
    return DeliveredNotification(
      request: request, unixMilliseconds: unixMilliseconds, payload: payload)
  }
}

extension RetainedNotification {
  private static let pushKey = "push"
  private static let readsUserInfoKey = "readsUserInfo"

  /// The stored form, to which the owner adds members.
  var frame: AppFrame {
    switch source {
    case .request: return Self.frame(of: notification)
    case .push(let id, let payload):
      return AppFrame(
        [
          "id": .string(id), "date": .integer(unixMilliseconds),
          Self.pushKey: .integer(Int64(payload.count)),
        ], attached: payload)
    case .changedPush(let id, let payload, let readsUserInfo):
      var frame = Self.frame(
        of: DeliveredNotification(
          request: NotificationRequest(id: id, content: outline, trigger: .push),
          unixMilliseconds: unixMilliseconds, payload: payload))
      frame.object[Self.readsUserInfoKey] = .bool(readsUserInfo)
      return frame
    }
  }

  private static func frame(of notification: DeliveredNotification) -> AppFrame {
    guard let frame = try? AppFrame(decoding: notification.encoded) else {
      preconditionFailure("an encoded notification could not be decoded")
    }
    return frame
  }

  /// Reads the stored form; nil if it is damaged.
  ///
  /// Earlier versions of the agent stored a push's text together with its payload. This form can also be read.
  init?(frame: AppFrame) {
    if let length = frame.object[Self.pushKey]?.integerValue {
      guard let id = frame.object["id"]?.stringValue,
        let date = frame.object["date"]?.integerValue, length == frame.attached.count
      else { return nil }
      self.init(pushNamed: id, payload: frame.attached, unixMilliseconds: date)
      return
    }
    guard let notification = try? DeliveredNotification(decoding: frame.encoded) else { return nil }
    self.init(
      notification, readsUserInfo: frame.object[Self.readsUserInfoKey]?.boolValue ?? false)
  }

  /// Creates a notification from a record that was stored with the notification's text and payload; text that the
  /// payload contains is read from the payload.
  init(_ notification: DeliveredNotification, readsUserInfo: Bool = false) {
    let request = notification.request
    guard let payload = notification.payload else {
      self.init(request, unixMilliseconds: notification.unixMilliseconds)
      return
    }
    let parsed = PushPayload(payload)?.content ?? NotificationContent()
    let push = RetainedNotification(
      pushNamed: request.id, payload: payload, parsed,
      unixMilliseconds: notification.unixMilliseconds)
    var content = request.content
    if readsUserInfo { content.userInfo = parsed.userInfo }
    self = content == parsed ? push : push.changed(to: content)
  }
}

/// A push that waits for its app, in memory and on disk.
struct RetainedPush: Hashable, Sendable {
  let kind: TokenKind
  let payload: [UInt8]
  /// The `apns-id` in lowercase.
  let id: String
  /// The identifier of the resulting notification.
  let notificationID: String
  let unixMilliseconds: Int64

  /// Creates a retained push from one that was just received.
  init(_ push: ReceivedPush, unixMilliseconds: Int64) {
    kind = push.kind
    payload = push.payload
    id = push.id.text.lowercased()
    notificationID = push.notificationID
    self.unixMilliseconds = unixMilliseconds
  }

  /// Returns true if the push can be shown.
  ///
  /// Pushes of other kinds are delivered directly to the app (client-api 2.5).
  func isVisible(_ content: NotificationContent) -> Bool { kind == .alert && !content.isEmpty }

  /// The push as the app receives it.
  var arrival: RemoteArrival {
    let parsed = PushPayload(payload)
    let content = parsed?.content ?? NotificationContent()
    return RemoteArrival(
      kind: kind, payload: payload, id: id, unixMilliseconds: unixMilliseconds,
      wantsFetch: kind != .alert || parsed?.isContentAvailable == true,
      notification: isVisible(content) ? notification(content) : nil)
  }

  private func notification(_ content: NotificationContent) -> DeliveredNotification {
    DeliveredNotification(
      request: NotificationRequest(id: notificationID, content: content, trigger: .push),
      unixMilliseconds: unixMilliseconds, payload: payload)
  }

  /// Returns the resulting notification, with the content of its payload.
  func retained(_ content: NotificationContent) -> RetainedNotification {
    RetainedNotification(
      pushNamed: notificationID, payload: payload, content, unixMilliseconds: unixMilliseconds)
  }

  /// The stored form of the push.
  var record: [UInt8] {
    AppFrame(
      [
        "push": .string(id), "kind": .string("\(kind.name)"), "date": .integer(unixMilliseconds),
        "notification": .string(notificationID),
      ], attached: payload
    ).encoded
  }

  /// Reads a stored push, or the event that earlier versions of the agent stored; nil if the record is damaged.
  init?(record: [UInt8]) {
    guard let frame = try? AppFrame(decoding: record) else { return nil }
    if let id = frame.object["push"]?.stringValue {
      guard let kind = frame.object["kind"]?.stringValue.flatMap(TokenKind.init(name:)),
        let date = frame.object["date"]?.integerValue,
        let notificationID = frame.object["notification"]?.stringValue
      else { return nil }
      self.kind = kind
      self.id = id
      self.notificationID = notificationID
      payload = frame.attached
      unixMilliseconds = date
      return
    }
    guard case .arrived(let arrival) = try? AppEvent(type: "arrived", frame) else { return nil }
    kind = arrival.kind
    id = arrival.id
    notificationID = arrival.notification?.request.id ?? arrival.id
    payload = arrival.payload
    unixMilliseconds = arrival.unixMilliseconds
  }
}
