public import BelfryWire

/// The values of `apns-push-type` (apns-protocol 1.5).
public enum PushType: UInt8, Sendable {
  case alert = 1
  case background
  case location
  case voip
  case complication
  case fileProvider
  case mdm
  case liveActivity
  case pushToTalk
  case widgets
  case controls
  /// A Web Push message, which `apns-push-type` cannot name.
  case webPush

  /// The value on the wire.
  public var name: StaticString {
    switch self {
    case .alert: "alert"
    case .background: "background"
    case .location: "location"
    case .voip: "voip"
    case .complication: "complication"
    case .fileProvider: "fileprovider"
    case .mdm: "mdm"
    case .liveActivity: "liveactivity"
    case .pushToTalk: "pushtotalk"
    case .widgets: "widgets"
    case .controls: "controls"
    case .webPush: "webpush"
    }
  }

  /// Creates the push type for a header value.
  ///
  /// Returns `nil` for a value that APNs does not define. Also accepts `Liveactivity`, the spelling on one of Apple's
  /// pages.
  public init?(_ value: Span<UInt8>) {
    for type in Self.allCases where value.equals(type.name) {
      self = type
      return
    }
    guard value.equals("Liveactivity") || value.equals("LiveActivity") else { return nil }
    self = .liveActivity
  }

  /// The kind of token that a push of this type requires.
  ///
  /// Background pushes use the alert token.
  public var tokenKind: TokenKind {
    switch self {
    case .alert, .background: .alert
    case .location: .location
    case .voip: .voip
    case .complication: .complication
    case .fileProvider: .fileProvider
    case .mdm: .mdm
    case .liveActivity: .liveActivity
    case .pushToTalk: .pushToTalk
    case .widgets: .widgets
    case .controls: .controls
    case .webPush: .webPush
    }
  }

  /// Returns the topic for pushes of this type to an app: the bundle identifier with the type's suffix (apns-protocol
  /// 1.5).
  public func topic(ofApp bundleID: String) -> String { "\(bundleID)\(tokenKind.topicSuffix)" }

  /// Returns the topic for a name that is either a bundle identifier or a full topic.
  ///
  /// The suffix is added if it is missing.
  public func topic(named name: String) -> String {
    let suffix = "\(tokenKind.topicSuffix)"
    return name.utf8.reversed().starts(with: suffix.utf8.reversed()) ? name : name + suffix
  }

  /// Returns true if a topic of `kind` accepts this type (apns-protocol 1.5).
  ///
  /// An MDM topic does not have a suffix, so any topic without a suffix can be an MDM topic. Only the device token
  /// shows whether a topic is an MDM topic.
  public func fits(topicOf kind: TokenKind) -> Bool {
    tokenKind == kind || (self == .mdm && kind == .alert)
  }

  /// Creates the type that applies to a push without `apns-push-type`, for a topic or token of `kind`.
  public init(impliedBy kind: TokenKind) {
    self = kind == .webPush ? .webPush : Self.allCases.first { $0.tokenKind == kind } ?? .alert
  }

  /// The maximum payload size for this type, in bytes (apns-protocol 1.6).
  public var payloadBytesMax: Int {
    self == .voip ? WireLimits.largePayloadBytesMax : WireLimits.payloadBytesMax
  }
}

extension PushType: CaseIterable {
  /// The values of `apns-push-type`.
  public static let allCases: [PushType] = [
    .alert, .background, .location, .voip, .complication, .fileProvider, .mdm, .liveActivity,
    .pushToTalk, .widgets, .controls,
  ]
}
