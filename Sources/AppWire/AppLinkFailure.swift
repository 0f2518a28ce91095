/// The error for a request that the agent or the link to the agent refuses.
public struct AppLinkFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reasons for a refusal; the raw values are the names on the wire.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    // Reasons that Apple's `UNError` defines.
    case notificationsNotAllowed
    case attachmentInvalidURL
    case attachmentUnrecognizedType
    case attachmentInvalidFileSize
    case attachmentNotInDataStore
    case attachmentMoveIntoDataStoreFailed
    case attachmentCorrupt
    case notificationInvalidNoDate
    case notificationInvalidNoContent
    case badgeInputInvalid
    // Reasons that concern registration for remote notifications.
    case noGateway
    case gatewayUnreachable
    case registrationRefused
    // Reasons that concern background tasks.
    case tooManyTasks
    case taskNotPermitted
    // Reasons that concern the link and its requests.
    case malformedMessage
    case unsupportedMessage
    case unsupportedProtocol
    case helloExpected
    case appRefused
    case unknownApp
    case unknownNotification
    case invalidArgument
    case storageFailed
    // Reasons that the app's side of the link detects.
    case agentUnavailable
    case connectionLost
    case timedOut
    case wouldDeadlock

    /// The error code in `UNErrorDomain`, if Apple defines a code for this reason.
    public var userNotificationsCode: Int? {
      switch self {
      case .notificationsNotAllowed: 1
      case .attachmentInvalidURL: 100
      case .attachmentUnrecognizedType: 101
      case .attachmentInvalidFileSize: 102
      case .attachmentNotInDataStore: 103
      case .attachmentMoveIntoDataStoreFailed: 104
      case .attachmentCorrupt: 105
      case .notificationInvalidNoDate: 1400
      case .notificationInvalidNoContent: 1401
      case .badgeInputInvalid: 1600
      default: nil
      }
    }
  }

  /// The reason for the failure.
  public var reason: Reason
  /// The message for the user, which says what is wrong and what to do.
  public var message: String

  /// Creates a failure from a reason and its message.
  public init(_ reason: Reason, _ message: String) {
    self.reason = reason
    self.message = message
  }

  /// The message, for display.
  public var description: String { message }
}
