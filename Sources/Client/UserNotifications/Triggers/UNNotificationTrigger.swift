public import Foundation

/// What makes a notification appear; the subclasses say what.
open class UNNotificationTrigger: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property of this class and its subclasses is a constant.

  /// Whether it appears each time, or once.
  public let repeats: Bool

  init(again: Bool) {
    repeats = again
    super.init()
  }

  /// Returns the trigger itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Triggers can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived trigger.
  public required init?(coder: NSCoder) {
    repeats = coder.decodeBool(forKey: "repeats")
    super.init()
  }

  /// Writes the trigger to an archive.
  open func encode(with coder: NSCoder) { coder.encode(repeats, forKey: "repeats") }
}
