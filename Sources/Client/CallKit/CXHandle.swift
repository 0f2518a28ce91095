public import Foundation

/// The address of the other party in a call.
open class CXHandle: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The types of addresses.
  public enum HandleType: Int, Sendable {
    /// The app defines the meaning of the value.
    case generic = 1
    /// The value is a phone number.
    case phoneNumber = 2
    /// The value is an email address.
    case emailAddress = 3
  }

  /// The type of the address.
  public let type: HandleType

  /// The value of the address.
  public let value: String

  /// Creates an address from its type and value.
  public init(type: HandleType, value: String) {
    self.type = type
    self.value = value
  }

  /// Returns whether the other address has the same type and value.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CXHandle else { return false }
    return type == other.type && value == other.value
  }

  /// The hash value of the address.
  open override var hash: Int { value.hashValue }

  /// Returns the same object, because addresses are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The details of a call.
open class CXCallUpdate: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the properties are set before the update is reported.

  /// The address of the other party.
  open var remoteHandle: CXHandle?

  /// The name of the other party, which the notification of an incoming call shows.
  open var localizedCallerName: String?

  /// A Boolean value that indicates whether the call is a video call.
  open var hasVideo = false

  /// A Boolean value that indicates whether the call can be put on hold; stored, but has no effect.
  open var supportsHolding = true

  /// A Boolean value that indicates whether the call can be merged with another one; stored, but has no effect.
  open var supportsGrouping = true

  /// A Boolean value that indicates whether the call can leave its group; stored, but has no effect.
  open var supportsUngrouping = true

  /// A Boolean value that indicates whether the call can send touch tones; stored, but has no effect.
  open var supportsDTMF = true

  /// Creates an update without values.
  public override init() { super.init() }

  /// Returns a copy of the update.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CXCallUpdate()
    copy.remoteHandle = remoteHandle
    copy.localizedCallerName = localizedCallerName
    copy.hasVideo = hasVideo
    copy.supportsHolding = supportsHolding
    copy.supportsGrouping = supportsGrouping
    copy.supportsUngrouping = supportsUngrouping
    copy.supportsDTMF = supportsDTMF
    return copy
  }
}
