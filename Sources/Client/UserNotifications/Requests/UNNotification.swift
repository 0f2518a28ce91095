public import Foundation

/// A notification that was delivered.
open class UNNotification: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// When it was delivered.
  public let date: Date

  /// What was asked for.
  public let request: UNNotificationRequest

  package init(date: Date, request: UNNotificationRequest) {
    self.date = date
    self.request = request
    super.init()
  }

  /// The notification's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("date", date),
        ("request", request),
      ])
  }

  /// Whether the other notification is the same in every respect.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotification else { return false }
    return date == other.date && request == other.request
  }

  /// The hash of the request.
  open override var hash: Int { request.hashValue }

  /// Returns the notification itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Notifications can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived notification; nil when the archive has none.
  public required init?(coder: NSCoder) {
    guard
      let request = coder.decodeObject(of: UNNotificationRequest.self, forKey: "request")
    else { return nil }
    self.request = request
    date = Date(timeIntervalSince1970: coder.decodeDouble(forKey: "date"))
    super.init()
  }

  /// Writes the notification to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(request, forKey: "request")
    coder.encode(date.timeIntervalSince1970, forKey: "date")
  }
}
