public import Foundation

/// The superclass of all triggers, which determine when a notification is delivered.
open class UNNotificationTrigger: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property of this class and its subclasses is a constant.

  /// A Boolean value that indicates whether the notification is delivered every time the trigger fires, instead of only
  /// once.
  public let repeats: Bool

  init(again: Bool) {
    repeats = again
    super.init()
  }

  /// Returns the same object, because triggers are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates a trigger from an archive.
  public required init?(coder: NSCoder) {
    repeats = coder.decodeBool(forKey: "repeats")
    super.init()
  }

  /// Writes the trigger to an archive.
  open func encode(with coder: NSCoder) { coder.encode(repeats, forKey: "repeats") }
}
