public import Foundation

/// The trigger of a notification that was sent by a provider.
open class UNPushNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
  // Sendable: see the superclass.
  package init() { super.init(again: false) }

  /// A description of the trigger's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("repeats", repeats)
      ])
  }

  /// Returns whether the other object is also a push trigger.
  open override func isEqual(_ object: Any?) -> Bool { object is UNPushNotificationTrigger }

  /// The hash value, which is the same for all push triggers.
  open override var hash: Int { 1 }

  /// Creates a trigger from an archive.
  public required init?(coder: NSCoder) { super.init(coder: coder) }
}
