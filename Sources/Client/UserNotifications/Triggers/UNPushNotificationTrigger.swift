public import Foundation

/// The trigger of a notification that came from a provider.
open class UNPushNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
  // Sendable: see the superclass.
  package init() { super.init(again: false) }

  /// The trigger's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("repeats", repeats)
      ])
  }

  /// Whether the other trigger came from a provider too.
  open override func isEqual(_ object: Any?) -> Bool { object is UNPushNotificationTrigger }

  /// One hash for all.
  open override var hash: Int { 1 }

  /// Reads an archived trigger.
  public required init?(coder: NSCoder) { super.init(coder: coder) }
}
