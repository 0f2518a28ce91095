public import Foundation

/// What can lend its content to a notification.
///
/// The conforming types are made from intents (module `Intents`).
public protocol UNNotificationContentProviding: NSObjectProtocol {}

/// How a provider of this package does so.
package protocol ContentProviding: UNNotificationContentProviding {
  /// Puts in what it lends.
  ///
  /// - Throws: `UNError.contentProvidingInvalid` when it has nothing to lend.
  func provide(_ fields: inout ContentFields) throws
}
