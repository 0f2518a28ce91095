/// The reason for closing a link: the code in CLOSE (`docs/device-link.md` 5).
///
/// Codes that this version does not know are preserved.
public struct LinkCloseReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The code on the wire.
  public let rawValue: UInt8

  /// Creates the reason with this code.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The sender closes the link on purpose.
  public static let goodbye = LinkCloseReason(rawValue: 1)
  /// The gateway is shutting down; the device should reconnect.
  public static let draining = LinkCloseReason(rawValue: 2)
  /// The gateway does not support any version in the device's range.
  public static let unsupportedVersion = LinkCloseReason(rawValue: 3)
  /// The receiver does not know the frame type, and the type's code is below 0x80.
  public static let unknownFrame = LinkCloseReason(rawValue: 4)
  /// The frame is longer than its direction allows.
  public static let oversize = LinkCloseReason(rawValue: 5)
  /// The frame ends before its fields do.
  public static let truncated = LinkCloseReason(rawValue: 6)
  /// The frame has bytes after its last field.
  public static let trailingBytes = LinkCloseReason(rawValue: 7)
  /// A field has a value that the protocol does not allow.
  public static let badValue = LinkCloseReason(rawValue: 8)
  /// The frame is not allowed at this time or from this end.
  public static let unexpectedFrame = LinkCloseReason(rawValue: 9)
  /// CONNECT arrived on a connection without a device certificate.
  public static let certificateRequired = LinkCloseReason(rawValue: 10)
  /// The device was revoked and must enroll again.
  public static let revoked = LinkCloseReason(rawValue: 11)
  /// The same device has opened another connection.
  public static let replaced = LinkCloseReason(rawValue: 12)
  /// The peer was silent for too long.
  public static let silent = LinkCloseReason(rawValue: 13)
  /// The peer took too long from HELLO to READY, or did not acknowledge its deliveries in time.
  public static let tooSlow = LinkCloseReason(rawValue: 14)
  /// The acknowledgment is for a delivery that was never sent, or was already acknowledged.
  public static let badAcknowledgement = LinkCloseReason(rawValue: 15)
  /// The gateway does not have enough capacity; the device should reconnect later.
  public static let overloaded = LinkCloseReason(rawValue: 16)
  /// The device has more unanswered requests than the gateway accepts.
  public static let tooManyRequests = LinkCloseReason(rawValue: 17)
  /// The sender had an internal error.
  public static let internalFailure = LinkCloseReason(rawValue: 18)
  /// Enrollment is done; the device should reconnect with the certificate.
  public static let enrolled = LinkCloseReason(rawValue: 19)
  /// The certificate is valid but its device is unknown; the device must enroll again.
  public static let unknownDevice = LinkCloseReason(rawValue: 20)

  /// All reasons that this version supports.
  public static let all: [LinkCloseReason] = (1...20).map { LinkCloseReason(rawValue: $0) }

  /// The reason's name, for logs.
  public var description: String {
    let names = [
      "goodbye", "draining", "unsupported version", "unknown frame", "oversize", "truncated",
      "trailing bytes", "bad value", "unexpected frame", "certificate required", "revoked",
      "replaced", "silent", "too slow", "bad acknowledgement", "overloaded", "too many requests",
      "internal failure", "enrolled", "unknown device",
    ]
    let index = Int(rawValue) - 1
    return names.indices.contains(index) ? names[index] : "reason \(rawValue)"
  }
}

/// A protocol error in the peer's bytes: the reason code and the frame type for CLOSE.
public struct LinkFault: Error, Hashable, Sendable {
  /// The reason for closing the link.
  public let reason: LinkCloseReason
  /// The type of the frame at fault; 0 if no frame is at fault.
  public let frameType: UInt8

  /// Creates a fault in a frame of `frameType`.
  @inlinable public init(_ reason: LinkCloseReason, frameType: UInt8 = 0) {
    self.reason = reason
    self.frameType = frameType
  }
}

/// The reason for refusing a request: the code in REFUSED (`docs/device-link.md` 6).
public struct LinkRefusal: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The code on the wire.
  public let rawValue: UInt8

  /// Creates the refusal with this code.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The gateway does not offer the feature.
  public static let notOffered = LinkRefusal(rawValue: 1)
  /// No app has this bundle identifier, and the gateway does not create apps on demand.
  public static let unknownApp = LinkRefusal(rawValue: 2)
  /// The bundle identifier is malformed.
  public static let badTopic = LinkRefusal(rawValue: 3)
  /// The app does not have tokens of this kind.
  public static let badKind = LinkRefusal(rawValue: 4)
  /// The device already has the maximum number of registrations or subscriptions.
  public static let tooMany = LinkRefusal(rawValue: 5)
  /// The refusal is temporary; the device should retry.
  public static let tryLater = LinkRefusal(rawValue: 6)
  /// The registration or subscription does not exist.
  public static let notRegistered = LinkRefusal(rawValue: 7)
  /// The channel does not exist.
  public static let unknownChannel = LinkRefusal(rawValue: 8)

  /// The refusal's name, for logs and messages.
  public var description: String {
    let names = [
      "not offered", "unknown app", "bad topic", "bad kind", "too many", "try later",
      "not registered", "unknown channel",
    ]
    let index = Int(rawValue) - 1
    return names.indices.contains(index) ? names[index] : "refusal \(rawValue)"
  }
}

/// The reason for refusing to enroll a device: the code in ENROL_REFUSED (`docs/device-link.md` 6).
public struct LinkEnrollmentRefusal: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The code on the wire.
  public let rawValue: UInt8

  /// Creates the refusal with this code.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The enrollment code is wrong or was rotated.
  public static let wrongCode = LinkEnrollmentRefusal(rawValue: 1)
  /// The public key is not a P-256 key in SubjectPublicKeyInfo format.
  public static let badKey = LinkEnrollmentRefusal(rawValue: 2)
  /// The proof is not valid.
  public static let badProof = LinkEnrollmentRefusal(rawValue: 3)
  /// The device's name is not acceptable.
  public static let badName = LinkEnrollmentRefusal(rawValue: 4)
  /// This gateway does not enroll devices.
  public static let notOffered = LinkEnrollmentRefusal(rawValue: 5)
  /// The refusal is temporary; the device should try again later.
  public static let tryLater = LinkEnrollmentRefusal(rawValue: 6)
  /// This key was revoked; the device must generate a new key.
  public static let revoked = LinkEnrollmentRefusal(rawValue: 7)
  /// Too many devices are currently enrolling with this code; the device should try again later.
  public static let tooMany = LinkEnrollmentRefusal(rawValue: 8)

  /// All refusals that this version supports.
  public static let all: [LinkEnrollmentRefusal] = (1...8).map {
    LinkEnrollmentRefusal(rawValue: $0)
  }

  /// True if another attempt with the same key and code can succeed.
  public var isTemporary: Bool { self == .tryLater || self == .tooMany }

  /// Returns the refusal's name, which distinguishes a missing enrollment code from a wrong one.
  ///
  /// On the wire, both cases have the same code.
  public func reason(hasCode: Bool) -> String {
    self == .wrongCode && !hasCode ? "no code given" : description
  }

  /// The refusal's name, for logs and messages.
  public var description: String {
    let names = [
      "wrong code", "bad key", "bad proof", "bad name", "not offered", "try later", "revoked",
      "too many",
    ]
    let index = Int(rawValue) - 1
    return names.indices.contains(index) ? names[index] : "refusal \(rawValue)"
  }
}

/// The reason for discarding a notification: the code in DISCARD (`docs/device-link.md` 6).
public struct LinkDiscardReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The code on the wire.
  public let rawValue: UInt8

  /// Creates the reason with this code.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The handle does not refer to any registration of this device.
  public static let unknownHandle = LinkDiscardReason(rawValue: 1)
  /// The app is no longer installed.
  public static let appGone = LinkDiscardReason(rawValue: 2)
  /// The user turned off notifications for the app.
  public static let disabled = LinkDiscardReason(rawValue: 3)
  /// The device cannot store the notification.
  public static let noRoom = LinkDiscardReason(rawValue: 4)

  /// The reason's name, for logs.
  public var description: String {
    let names = ["unknown handle", "app gone", "disabled", "no room"]
    let index = Int(rawValue) - 1
    return names.indices.contains(index) ? names[index] : "reason \(rawValue)"
  }
}
