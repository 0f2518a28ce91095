/// The values of `apns-push-type` (apns-protocol 1.5).
public enum PushType: UInt8, CaseIterable, Sendable {
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
    }
  }

  /// The type that a header value names; `nil` for a value that APNs does not have.
  ///
  /// `Liveactivity`, as one of Apple's pages writes it, is the same type.
  public init?(_ value: Span<UInt8>) {
    for type in Self.allCases where value.equals(type.name) {
      self = type
      return
    }
    guard value.equals("Liveactivity") || value.equals("LiveActivity") else { return nil }
    self = .liveActivity
  }

  /// The kind of token that a push of this type needs: background pushes go to the alert token.
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
    }
  }

  /// The topic of this type's pushes to an app: its bundle identifier with the type's suffix (apns-protocol 1.5).
  public func topic(ofApp bundleID: String) -> String { "\(bundleID)\(tokenKind.topicSuffix)" }

  /// The topic that a sender means who names an app or the whole topic: the suffix is added unless it is there.
  public func topic(named name: String) -> String {
    let suffix = "\(tokenKind.topicSuffix)"
    return name.utf8.reversed().starts(with: suffix.utf8.reversed()) ? name : name + suffix
  }

  /// Whether a topic of `kind` takes this type (apns-protocol 1.5).
  ///
  /// MDM topics have no suffix, so a plain topic may be one: only the device token decides.
  public func fits(topicOf kind: TokenKind) -> Bool {
    tokenKind == kind || (self == .mdm && kind == .alert)
  }

  /// The type of a push that names none, for a topic or a token of `kind`.
  public init(impliedBy kind: TokenKind) {
    self = Self.allCases.first { $0.tokenKind == kind } ?? .alert
  }

  /// The largest payload of this type, in bytes (apns-protocol 1.6).
  public var payloadBytesMax: Int {
    self == .voip ? WireLimits.largePayloadBytesMax : WireLimits.payloadBytesMax
  }
}
