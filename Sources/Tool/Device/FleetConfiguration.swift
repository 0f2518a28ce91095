import BelfryWire
import PushWire
import System
import Transport
import WebPush

/// The validated options of `belfry device run`.
struct FleetConfiguration {
  /// An error in the options.
  enum Problem: CommandFailure, CustomStringConvertible {
    case badApp(String)
    case badChannel(String)
    case badKey(String)

    var exitStatus: Int32 { 2 }

    var description: String {
      switch self {
      case .badApp(let text):
        "invalid value '\(text)' for --app: expected BUNDLE-ID[:TYPE,…] with types from \(Self.types)"
      case .badKey(let text):
        "invalid value '\(text)' for --vapid: expected the sender's public key, 87 characters of base64url"
      case .badChannel(let text):
        "invalid value '\(text)' for --channel: expected APP/ID, the app's bundle ID and the channel's ID in Base64"
      }
    }

    private static var types: String {
      TokenKind.allCases.map { "\($0.name)" }.joined(separator: ", ")
    }
  }

  let gateway: DeviceGateway
  let count: Int
  /// The maximum number of devices that connect concurrently.
  let connecting: Int
  let dataFolder: String
  let subjects: [LinkSubject]
  /// True if each device has a Web Push subscription.
  let hasWebPush: Bool
  let acknowledges: Bool
  let isSummary: Bool
  /// The file that contains the received pushes of this run.
  let receivedFile: String?

  init(_ options: CommandLineOptions) throws {
    gateway = try DeviceGateway(options)
    count = try options.integer("count", in: 1...1_000_000) ?? 1
    connecting = try options.integer("connecting", in: 1...1_000_000) ?? 64
    dataFolder = FileSystem.absolute(options.value("data") ?? StateFolders.devices)
    hasWebPush = options.has("web-push") || options.isGiven("vapid")
    subjects =
      try options.values("app").flatMap(Self.topics) + options.values("channel").map(Self.channel)
      + Self.webPush(options)
    acknowledges = try options.choice("ack", of: ["auto", "never"]) != "never"
    isSummary = options.has("summary")
    receivedFile = options.value("received").map(FileSystem.absolute)
  }

  private static func topics(_ text: String) throws -> [LinkSubject] {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let bundleID = String(parts[0])
    guard (1...255).contains(bundleID.utf8.count), bundleID.utf8.allSatisfy({ $0 > 0x20 }) else {
      throw Problem.badApp(text)
    }
    guard parts.count == 2 else { return [.topic(LinkTopic(bundleID: bundleID))] }
    return try parts[1].split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard let kind = TokenKind(name: String(name)) else { throw Problem.badApp(text) }
      return .topic(LinkTopic(bundleID: bundleID, kind: kind))
    }
  }

  /// Returns the Web Push subscription of each device, if the devices have one.
  private static func webPush(_ options: CommandLineOptions) throws -> [LinkSubject] {
    var keyHash: [UInt8] = []
    if let text = options.value("vapid") {
      guard let key = VAPIDPublicKey(Array(text.utf8).span) else { throw Problem.badKey(text) }
      keyHash = key.digest.bytes
    } else if !options.has("web-push") {
      return []
    }
    return WebPushSubject(number: 1, keyHash: keyHash).map { [.topic($0.topic)] } ?? []
  }

  private static func channel(_ text: String) throws -> LinkSubject {
    guard let channel = LinkChannel(reading: text) else { throw Problem.badChannel(text) }
    return .channel(channel)
  }
}

extension LinkChannel {
  /// Parses `APP/ID`, where the identifier is in base64.
  ///
  /// Returns `nil` for anything else.
  init?(reading text: String) {
    // Base64 can contain a slash; a bundle identifier can't.
    let parts = text.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let identifier = Base64.decode(Array(parts[1].utf8).span),
      (1...LinkLimits.channelIDBytesMax).contains(identifier.count)
    else { return nil }
    self.init(bundleID: String(parts[0]), identifier: identifier)
  }
}
