/// Why a link was closed; the code of CLOSE (`docs/device-link.md` 5).
///
/// Codes that this version does not know are kept as they are.
public struct LinkCloseReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The code on the wire.
  public let rawValue: UInt8

  /// The reason with this code.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The sender leaves on purpose.
  public static let goodbye = LinkCloseReason(rawValue: 1)
  /// The gateway is shutting down: connect again.
  public static let draining = LinkCloseReason(rawValue: 2)
  /// No version of the device's range is offered.
  public static let unsupportedVersion = LinkCloseReason(rawValue: 3)
  /// A frame type under 0x80 that the receiver does not know.
  public static let unknownFrame = LinkCloseReason(rawValue: 4)
  /// A frame longer than its direction allows.
  public static let oversize = LinkCloseReason(rawValue: 5)
  /// A frame that ends before its fields do.
  public static let truncated = LinkCloseReason(rawValue: 6)
  /// A frame with bytes after its last field.
  public static let trailingBytes = LinkCloseReason(rawValue: 7)
  /// A field whose value the protocol does not allow.
  public static let badValue = LinkCloseReason(rawValue: 8)
  /// A frame that may not come now, or not from this end.
  public static let unexpectedFrame = LinkCloseReason(rawValue: 9)
  /// CONNECT on a connection without a device certificate.
  public static let certificateRequired = LinkCloseReason(rawValue: 10)
  /// The device was revoked: enrol anew.
  public static let revoked = LinkCloseReason(rawValue: 11)
  /// The same device has connected again.
  public static let replaced = LinkCloseReason(rawValue: 12)
  /// The peer was silent for too long.
  public static let silent = LinkCloseReason(rawValue: 13)
  /// The peer took too long from HELLO to READY.
  public static let tooSlow = LinkCloseReason(rawValue: 14)
  /// An acknowledgement of what was never sent, or was acknowledged before.
  public static let badAcknowledgement = LinkCloseReason(rawValue: 15)
  /// The gateway has no room: connect again later.
  public static let overloaded = LinkCloseReason(rawValue: 16)
  /// More open requests than the gateway accepts.
  public static let tooManyRequests = LinkCloseReason(rawValue: 17)
  /// A fault of the sender's own.
  public static let internalFailure = LinkCloseReason(rawValue: 18)
  /// Enrolment is done: connect again with the certificate.
  public static let enrolled = LinkCloseReason(rawValue: 19)
  /// The certificate is good and its device is not known: enrol anew.
  public static let unknownDevice = LinkCloseReason(rawValue: 20)

  /// Every reason of this version.
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

/// What is wrong with bytes from the peer: the code and the frame that CLOSE names.
public struct LinkFault: Error, Hashable, Sendable {
  /// Why the link has to close.
  public let reason: LinkCloseReason
  /// The type of the frame at fault; 0 where there is none.
  public let frameType: UInt8

  /// A fault in a frame of `frameType`.
  @inlinable public init(_ reason: LinkCloseReason, frameType: UInt8 = 0) {
    self.reason = reason
    self.frameType = frameType
  }
}

/// Why a gateway refused a request; the code of REFUSED (`docs/device-link.md` 6).
public struct LinkRefusal: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The code on the wire.
  public let rawValue: UInt8

  /// The refusal with this code.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// This gateway does not have the feature.
  public static let notOffered = LinkRefusal(rawValue: 1)
  /// No app has this bundle identifier, and the gateway adopts none.
  public static let unknownApp = LinkRefusal(rawValue: 2)
  /// The bundle identifier is not one.
  public static let badTopic = LinkRefusal(rawValue: 3)
  /// This app has no tokens of that kind.
  public static let badKind = LinkRefusal(rawValue: 4)
  /// The device has as many registrations or subscriptions as a device may have.
  public static let tooMany = LinkRefusal(rawValue: 5)
  /// Not now: ask again on the next connection.
  public static let tryLater = LinkRefusal(rawValue: 6)
  /// There is no such registration or subscription.
  public static let notRegistered = LinkRefusal(rawValue: 7)
  /// There is no such channel.
  public static let unknownChannel = LinkRefusal(rawValue: 8)

  /// The refusal's name, for logs and for people.
  public var description: String {
    let names = [
      "not offered", "unknown app", "bad topic", "bad kind", "too many", "try later",
      "not registered", "unknown channel",
    ]
    let index = Int(rawValue) - 1
    return names.indices.contains(index) ? names[index] : "refusal \(rawValue)"
  }
}

/// Why a gateway refused to enrol; the code of ENROL_REFUSED (`docs/device-link.md` 6).
public struct LinkEnrolmentRefusal: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The code on the wire.
  public let rawValue: UInt8

  /// The refusal with this code.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The enrolment code is not this gateway's, or was rotated.
  public static let wrongCode = LinkEnrolmentRefusal(rawValue: 1)
  /// The public key is no P-256 key in SubjectPublicKeyInfo form.
  public static let badKey = LinkEnrolmentRefusal(rawValue: 2)
  /// The proof does not verify.
  public static let badProof = LinkEnrolmentRefusal(rawValue: 3)
  /// The device's name is not acceptable.
  public static let badName = LinkEnrolmentRefusal(rawValue: 4)
  /// This gateway enrols no devices.
  public static let notOffered = LinkEnrolmentRefusal(rawValue: 5)
  /// Not now: try again later.
  public static let tryLater = LinkEnrolmentRefusal(rawValue: 6)
  /// This key was revoked: make another one.
  public static let revoked = LinkEnrolmentRefusal(rawValue: 7)
  /// More devices enrol with this code just now than may: try again later.
  public static let tooMany = LinkEnrolmentRefusal(rawValue: 8)

  /// Every refusal of this version.
  public static let all: [LinkEnrolmentRefusal] = (1...8).map { LinkEnrolmentRefusal(rawValue: $0) }

  /// Whether asking again with the same key and code may be answered otherwise.
  public var isTemporary: Bool { self == .tryLater || self == .tooMany }

  /// The refusal's name, for logs and for people.
  public var description: String {
    let names = [
      "wrong code", "bad key", "bad proof", "bad name", "not offered", "try later", "revoked",
      "too many",
    ]
    let index = Int(rawValue) - 1
    return names.indices.contains(index) ? names[index] : "refusal \(rawValue)"
  }
}

/// Why a device threw a notification away; the code of DISCARD (`docs/device-link.md` 6).
public struct LinkDiscardReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The code on the wire.
  public let rawValue: UInt8

  /// The reason with this code.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The handle stands for nothing that this device registered.
  public static let unknownHandle = LinkDiscardReason(rawValue: 1)
  /// The app is not installed any more.
  public static let appGone = LinkDiscardReason(rawValue: 2)
  /// A person turned the app's notifications off.
  public static let disabled = LinkDiscardReason(rawValue: 3)
  /// The device cannot keep it.
  public static let noRoom = LinkDiscardReason(rawValue: 4)

  /// The reason's name, for logs.
  public var description: String {
    let names = ["unknown handle", "app gone", "disabled", "no room"]
    let index = Int(rawValue) - 1
    return names.indices.contains(index) ? names[index] : "reason \(rawValue)"
  }
}
