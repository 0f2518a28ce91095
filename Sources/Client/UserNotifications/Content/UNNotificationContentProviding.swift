public import Foundation

/// An object that can provide content for a notification.
///
/// Some intents in the `Intents` module conform to this protocol.
public protocol UNNotificationContentProviding: NSObjectProtocol {}

/// A content provider that this package supports.
package protocol ContentProviding: UNNotificationContentProviding {
  /// Updates the fields that the object provides.
  ///
  /// - Throws: `UNError.contentProvidingInvalid` if the object has nothing to provide.
  func provide(_ fields: inout ContentFields) throws
}
