internal import BelfryWire
public import System
internal import Transport

/// The apps that can register, each with the key that its installations send.
///
/// A key is a file with mode 0600 in the folder, named after the app.
public struct AppKeys: Sendable {
  /// An app with its key.
  public struct App: Sendable, Hashable {
    /// The bundle identifier of the app.
    public let bundleID: String
    /// The path of the app's key file.
    public let keyFile: String
    let key: [UInt8]
  }

  /// The apps, ordered by bundle identifier.
  public let apps: [App]

  /// Reads the apps of a folder.
  ///
  /// Adds each app in `bundleIDs` that is missing, with a new key.
  public init(folder: String, adding bundleIDs: [String]) throws(SystemFailure) {
    try FileSystem.makeDirectories(folder)
    for bundleID in bundleIDs {
      let path = "\(folder)/\(bundleID).key"
      guard !FileSystem.exists(path) else { continue }
      let key = Hexadecimal.encode(SystemRandom.bytes(32))
      try FileSystem.write(Array((key + "\n").utf8), to: path, mode: 0o600)
    }
    var apps: [App] = []
    for name in try FileSystem.list(folder).sorted() where name.hasSuffix(".key") {
      let path = "\(folder)/\(name)"
      let key = try FileSystem.readRegularFile(path, limit: Limits.keyFileBytesMax)
        .filter { $0 > 0x20 }
      guard key.count >= Limits.secretBytesMin else { throw .tooShort(path) }
      apps.append(App(bundleID: String(name.dropLast(4)), keyFile: path, key: key))
    }
    self.apps = apps
  }

  /// Creates an empty list of apps.
  public init() { apps = [] }

  /// Returns the app with this key.
  func app(withKey key: [UInt8]) -> App? {
    // Compare all keys, so that the time taken does not reveal how close a guess was.
    var found: App?
    for app in apps where ConstantTime.areEqual(app.key, key) { found = app }
    return found
  }

  /// Returns true if a topic is the app's own topic or the topic of one of its push types.
  static func isTopic(_ topic: String, of bundleID: String) -> Bool {
    TokenKind.allCases.contains { topic == "\(bundleID)\($0.topicSuffix)" }
  }

  /// Returns true if a string can serve as a bundle identifier or topic, and also as a file name.
  public static func isTopic(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= WireLimits.topicBytesMax && !text.hasPrefix(".")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }
}
