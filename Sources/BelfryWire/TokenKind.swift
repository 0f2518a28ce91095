/// The kind of a device token; on each device, an app has one token of each kind (apns-protocol 1.5).
public enum TokenKind: UInt8, Sendable {
  case alert = 1
  case voip
  case complication
  case fileProvider
  case mdm
  case liveActivity
  case location
  case pushToTalk
  case widgets
  case controls
  /// A Web Push subscription, which belongs to a device and not to one of the gateway's apps (docs/web-push.md).
  case webPush

  /// The kind's name in commands and JSON lines, as in `belfry device run --app BUNDLE-ID:TYPE`.
  public var name: StaticString {
    switch self {
    case .alert: "alert"
    case .voip: "voip"
    case .complication: "complication"
    case .fileProvider: "fileprovider"
    case .mdm: "mdm"
    case .liveActivity: "liveactivity"
    case .location: "location"
    case .pushToTalk: "pushtotalk"
    case .widgets: "widgets"
    case .controls: "controls"
    case .webPush: "webpush"
    }
  }

  /// Creates the kind with this name.
  ///
  /// Returns `nil` for an unknown name.
  public init?(name: String) {
    guard let kind = Self.allCases.first(where: { name.hasSameBytes(as: "\($0.name)") }) else {
      return nil
    }
    self = kind
  }

  /// The suffix that is appended to the bundle identifier to form this kind's topic (apns-protocol 1.5).
  public var topicSuffix: StaticString {
    switch self {
    case .alert, .mdm, .webPush: ""
    case .voip: ".voip"
    case .complication: ".complication"
    case .fileProvider: ".pushkit.fileprovider"
    case .liveActivity: ".push-type.liveactivity"
    case .location: ".location-query"
    case .pushToTalk: ".voip-ptt"
    case .widgets: ".push-type.widgets"
    case .controls: ".push-type.controls"
    }
  }
}

extension TokenKind: CaseIterable {
  /// The kinds of an app's tokens, which exclude ``webPush``, because no topic and no command names such a token.
  public static let allCases: [TokenKind] = [
    .alert, .voip, .complication, .fileProvider, .mdm, .liveActivity, .location, .pushToTalk,
    .widgets, .controls,
  ]
}
