public import Foundation

/// What can lend its content to a notification.
///
/// The conforming types are made from intents (module `Intents`).
public protocol UNNotificationContentProviding: NSObjectProtocol {}

/// A provider that this package can read.
package protocol ContentProviding: UNNotificationContentProviding {
  /// Updates the fields that it provides.
  ///
  /// - Throws: `UNError.contentProvidingInvalid` when it has nothing to provide.
  func provide(_ fields: inout ContentFields) throws
}
