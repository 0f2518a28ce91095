public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of errors about incoming calls.
public let CXErrorDomainIncomingCall: String = "com.apple.CallKit.error.incomingcall"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of errors about requested transactions.
public let CXErrorDomainRequestTransaction: String = "com.apple.CallKit.error.requesttransaction"

/// The reason that an incoming call was not shown.
public struct CXErrorCodeIncomingCallError: Foundation._BridgedStoredNSError, Sendable {
  /// The underlying error object.
  public let _nsError: NSError

  /// Creates an error from an `NSError` in this domain.
  public init(_nsError error: NSError) { _nsError = error }

  /// The domain of these errors.
  public static var _nsErrorDomain: String { CXErrorDomainIncomingCall }

  /// The domain of these errors.
  public static var errorDomain: String { CXErrorDomainIncomingCall }

  /// The error codes, with the same numbers as on Apple's systems.
  public enum Code: Int, Foundation._ErrorCodeProtocol, Sendable {
    /// The error type that uses these codes.
    public typealias _ErrorType = CXErrorCodeIncomingCallError

    /// The call could not be shown, because no agent is running or alerts are not allowed.
    case unknown = 0
    /// The app is not allowed to report calls.
    case unentitled = 1
    /// A call with this identifier was already reported.
    case callUUIDAlreadyExists = 2
    /// The user has turned on Do Not Disturb.
    case filteredByDoNotDisturb = 3
    /// The user has blocked the caller.
    case filteredByBlockList = 4
  }

  /// The call could not be shown.
  public static var unknown: Code { .unknown }
  /// The app is not allowed to report calls.
  public static var unentitled: Code { .unentitled }
  /// A call with this identifier was already reported.
  public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
  /// The user has turned on Do Not Disturb.
  public static var filteredByDoNotDisturb: Code { .filteredByDoNotDisturb }
  /// The user has blocked the caller.
  public static var filteredByBlockList: Code { .filteredByBlockList }
}

/// The reason that a transaction was rejected.
public struct CXErrorCodeRequestTransactionError: Foundation._BridgedStoredNSError, Sendable {
  /// The underlying error object.
  public let _nsError: NSError

  /// Creates an error from an `NSError` in this domain.
  public init(_nsError error: NSError) { _nsError = error }

  /// The domain of these errors.
  public static var _nsErrorDomain: String { CXErrorDomainRequestTransaction }

  /// The domain of these errors.
  public static var errorDomain: String { CXErrorDomainRequestTransaction }

  /// The error codes, with the same numbers as on Apple's systems.
  public enum Code: Int, Foundation._ErrorCodeProtocol, Sendable {
    /// The error type that uses these codes.
    public typealias _ErrorType = CXErrorCodeRequestTransactionError

    /// The cause is unknown.
    case unknown = 0
    /// The app is not allowed to request transactions.
    case unentitled = 1
    /// The app has no provider.
    case unknownCallProvider = 2
    /// The transaction has no actions.
    case emptyTransaction = 3
    /// No call has this identifier.
    case unknownCallUUID = 4
    /// A call with this identifier already exists.
    case callUUIDAlreadyExists = 5
    /// The action does not apply to the call.
    case invalidAction = 6
    /// The maximum number of calls is reached.
    case maximumCallGroupsReached = 7
  }

  /// The cause is unknown.
  public static var unknown: Code { .unknown }
  /// The app is not allowed to request transactions.
  public static var unentitled: Code { .unentitled }
  /// The app has no provider.
  public static var unknownCallProvider: Code { .unknownCallProvider }
  /// The transaction has no actions.
  public static var emptyTransaction: Code { .emptyTransaction }
  /// No call has this identifier.
  public static var unknownCallUUID: Code { .unknownCallUUID }
  /// A call with this identifier already exists.
  public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
  /// The action does not apply to the call.
  public static var invalidAction: Code { .invalidAction }
  /// The maximum number of calls is reached.
  public static var maximumCallGroupsReached: Code { .maximumCallGroupsReached }
}
