public import Foundation

/// A notification that was delivered to this app: the request that scheduled it and the date of its delivery.
open class UNNotification: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The date on which the notification was delivered.
  public let date: Date

  /// The request that caused the notification.
  public let request: UNNotificationRequest

  package init(date: Date, request: UNNotificationRequest) {
    self.date = date
    self.request = request
    super.init()
  }

  /// A description of the notification's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("date", date),
        ("request", request),
      ])
  }

  /// Returns whether all fields of the other notification are equal to those of this one.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotification else { return false }
    return date == other.date && request == other.request
  }

  /// The hash value of the request.
  open override var hash: Int { request.hashValue }

  /// Returns the same object, because notifications are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates a notification from an archive; nil if the archive does not contain one.
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
