public import Foundation

/// What can lend its content to a notification.
///
/// The conforming types of Apple's systems are made from intents, which this system lacks.
public protocol UNNotificationContentProviding: NSObjectProtocol {}
