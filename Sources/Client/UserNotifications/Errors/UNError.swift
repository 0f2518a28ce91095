public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of `UNError`.
public let UNErrorDomain: String = "UNErrorDomain"

/// An error that explains why a notification could not be handled.
public struct UNError: Foundation._BridgedStoredNSError, Sendable {
  /// The error object that this value wraps.
  public let _nsError: NSError

  /// Wraps an error object, whose domain must be `UNErrorDomain`.
  public init(_nsError error: NSError) {
    precondition(error.domain == UNErrorDomain, "a UNError wraps an error of UNErrorDomain")
    _nsError = error
  }

  /// The domain of all errors of this type.
  public static var _nsErrorDomain: String { UNErrorDomain }

  /// The domain of all errors of this type.
  public static var errorDomain: String { UNErrorDomain }

  /// The error codes in `UNErrorDomain`.
  public enum Code: Int, Foundation._ErrorCodeProtocol, Sendable {
    /// The error type that uses these codes.
    public typealias _ErrorType = UNError

    /// The user does not allow notifications, or the agent cannot be reached.
    ///
    /// If the agent cannot be reached, `NSUnderlyingErrorKey` contains the connection's error.
    case notificationsNotAllowed = 1

    /// The URL does not refer to a readable file.
    case attachmentInvalidURL = 100
    /// The file's type is not supported.
    case attachmentUnrecognizedType = 101
    /// The file is too large for its type.
    case attachmentInvalidFileSize = 102
    /// The file is missing from the store.
    case attachmentNotInDataStore = 103
    /// The file could not be moved into the store.
    case attachmentMoveIntoDataStoreFailed = 104
    /// The content of the file does not match its type.
    case attachmentCorrupt = 105

    /// The trigger of the notification never fires.
    case notificationInvalidNoDate = 1400
    /// The notification has nothing to show, to play, or to count.
    case notificationInvalidNoContent = 1401

    /// The object cannot provide the content of a notification.
    case contentProvidingObjectNotAllowed = 1500
    /// The provided content is not valid.
    case contentProvidingInvalid = 1501

    /// The badge number is negative.
    case badgeInputInvalid = 1600
  }

  /// The user does not allow notifications, or the agent cannot be reached.
  public static var notificationsNotAllowed: Code { .notificationsNotAllowed }
  /// The URL does not refer to a readable file.
  public static var attachmentInvalidURL: Code { .attachmentInvalidURL }
  /// The file's type is not supported.
  public static var attachmentUnrecognizedType: Code { .attachmentUnrecognizedType }
  /// The file is too large for its type.
  public static var attachmentInvalidFileSize: Code { .attachmentInvalidFileSize }
  /// The file is missing from the store.
  public static var attachmentNotInDataStore: Code { .attachmentNotInDataStore }
  /// The file could not be moved into the store.
  public static var attachmentMoveIntoDataStoreFailed: Code { .attachmentMoveIntoDataStoreFailed }
  /// The content of the file does not match its type.
  public static var attachmentCorrupt: Code { .attachmentCorrupt }
  /// The trigger of the notification never fires.
  public static var notificationInvalidNoDate: Code { .notificationInvalidNoDate }
  /// The notification has nothing to show, to play, or to count.
  public static var notificationInvalidNoContent: Code { .notificationInvalidNoContent }
  /// The object cannot provide the content of a notification.
  public static var contentProvidingObjectNotAllowed: Code { .contentProvidingObjectNotAllowed }
  /// The provided content is not valid.
  public static var contentProvidingInvalid: Code { .contentProvidingInvalid }
  /// The badge number is negative.
  public static var badgeInputInvalid: Code { .badgeInputInvalid }
}

extension UNError {
  /// Creates an error with a message to show and an underlying error.
  package static func because(
    _ code: Code, _ description: String? = nil, underlying: (any Error)? = nil
  ) -> UNError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: description ?? code.sentence]
    if let underlying { info[NSUnderlyingErrorKey] = underlying as NSError }
    return UNError(_nsError: NSError(domain: UNErrorDomain, code: code.rawValue, userInfo: info))
  }
}

extension UNError.Code {
  var sentence: String {
    switch self {
    case .notificationsNotAllowed: "Notifications are not allowed for this application"
    case .attachmentInvalidURL: "The attachment's URL does not point to a readable file"
    case .attachmentUnrecognizedType: "The attachment's type is not supported"
    case .attachmentInvalidFileSize: "The attachment is too large for its type"
    case .attachmentNotInDataStore: "The attachment is missing from the store"
    case .attachmentMoveIntoDataStoreFailed: "The attachment could not be moved into the store"
    case .attachmentCorrupt: "The attachment's content does not match its type"
    case .notificationInvalidNoDate: "The notification's trigger never fires"
    case .notificationInvalidNoContent: "The notification has no content, sound or badge"
    case .contentProvidingObjectNotAllowed: "This object cannot provide a notification's content"
    case .contentProvidingInvalid: "The provided content is not valid"
    case .badgeInputInvalid: "A badge cannot be negative"
    }
  }
}
