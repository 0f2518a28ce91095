public import Foundation

/// The address of a caller.
open class CXHandle: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The type of an address.
  public enum HandleType: Int, Sendable {
    /// An address of the app's own.
    case generic = 1
    /// A telephone number.
    case phoneNumber = 2
    /// An e-mail address.
    case emailAddress = 3
  }

  /// The type of the address.
  public let type: HandleType

  /// The address.
  public let value: String

  /// Creates an address.
  public init(type: HandleType, value: String) {
    self.type = type
    self.value = value
  }

  /// Whether the other handle has the same type and address.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CXHandle else { return false }
    return type == other.type && value == other.value
  }

  /// The hash of the address.
  open override var hash: Int { value.hashValue }

  /// Returns the handle itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The details of a call.
open class CXCallUpdate: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the properties are set before the update is reported.

  /// The address of the other side.
  open var remoteHandle: CXHandle?

  /// The name of the other side, which the notification of an incoming call shows.
  open var localizedCallerName: String?

  /// Whether the call has pictures.
  open var hasVideo = false

  /// Whether the call can be held; stored without effect.
  open var supportsHolding = true

  /// Whether the call can be joined with another one; stored without effect.
  open var supportsGrouping = true

  /// Whether the call can leave its group; stored without effect.
  open var supportsUngrouping = true

  /// Whether the call can send tones; stored without effect.
  open var supportsDTMF = true

  /// An update without values.
  public override init() { super.init() }

  /// A copy of the update.
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
