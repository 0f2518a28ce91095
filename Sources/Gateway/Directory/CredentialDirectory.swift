internal import PushWire
public import BelfryWire
public import Storage
public import Transport

/// A provider key that the gateway knows (apns-protocol 2.2).
public final class ProviderVerificationKey: Sendable {
  /// The 10 characters of `kid`.
  public let id: String
  /// The ID of the team that owns the key.
  public let teamID: String
  /// The public key that verifies the signatures of tokens.
  public let publicKey: ES256PublicKey
  /// The environments in which the key is valid; an older key is valid in both.
  public let environments: Set<BelfryWire.Environment>
  /// The bundle identifiers that a topic-specific key can send to; `nil` for all of the team's apps.
  public let bundleIDs: Set<[UInt8]>?
  /// The only key that can share a connection with this key.
  public let relatedKeyID: String?
  /// The budget of the key's relayed pushes; nil for no limits.
  let budget: SenderBudget?

  /// Creates a key without a budget from its parts.
  public convenience init(
    id: String, teamID: String, publicKey: ES256PublicKey,
    environments: Set<BelfryWire.Environment>, bundleIDs: Set<[UInt8]>?, relatedKeyID: String?
  ) {
    self.init(
      id: id, teamID: teamID, publicKey: publicKey, environments: environments,
      bundleIDs: bundleIDs, relatedKeyID: relatedKeyID, budget: nil)
  }

  /// Creates a key from its parts.
  init(
    id: String, teamID: String, publicKey: ES256PublicKey,
    environments: Set<BelfryWire.Environment>, bundleIDs: Set<[UInt8]>?, relatedKeyID: String?,
    budget: SenderBudget?
  ) {
    self.budget = budget
    self.id = id
    self.teamID = teamID
    self.publicKey = publicKey
    self.environments = environments
    self.bundleIDs = bundleIDs
    self.relatedKeyID = relatedKeyID
  }

  /// Returns true if both keys can be used on the same connection.
  func isRelated(to other: ProviderVerificationKey) -> Bool {
    relatedKeyID == other.id || other.relatedKeyID == id
  }
}

/// An app that a team owns.
public final class App: Sendable {
  /// The app's number in device tokens.
  public let number: UInt32
  /// The app's bundle identifier.
  public let bundleID: [UInt8]
  /// The ID of the team that owns the app.
  public let teamID: String
  /// The maximum number of undelivered notifications to keep per token.
  public let keep: UInt32
  /// True if broadcasts are enabled.
  public let hasBroadcast: Bool
  /// The rate limit of the app's team; `nil` for no limit.
  public let teamRate: SharedRate?

  /// The relay of pushes to devices of an upstream; nil if the app has no upstream.
  let relay: AppRelay?
  /// True if the app has an upstream.
  public var hasUpstream: Bool { relay != nil }

  /// Creates an app without an upstream from its parts.
  public convenience init(
    number: UInt32, bundleID: [UInt8], teamID: String, keep: UInt32 = 1, hasBroadcast: Bool = true,
    teamRate: SharedRate? = nil
  ) {
    self.init(
      number: number, bundleID: bundleID, teamID: teamID, keep: keep, hasBroadcast: hasBroadcast,
      teamRate: teamRate, relay: nil)
  }

  /// Creates an app from its parts.
  init(
    number: UInt32, bundleID: [UInt8], teamID: String, keep: UInt32, hasBroadcast: Bool,
    teamRate: SharedRate?, relay: AppRelay?
  ) {
    self.relay = relay
    self.teamRate = teamRate
    self.number = number
    self.bundleID = bundleID
    self.teamID = teamID
    self.keep = keep
    self.hasBroadcast = hasBroadcast
  }
}

/// An immutable snapshot of keys, certificates, and apps; every loop holds a reference to it.
///
/// Each change creates a new snapshot.
public final class CredentialDirectory: Sendable {
  /// A counter of changes, by which a connection detects that its cached data is outdated.
  public let version: UInt64
  /// A counter of changes to keys and certificates.
  ///
  /// The result of verifying a token remains valid while this value is unchanged.
  public let credentialsVersion: UInt64
  private let keys: [String: ProviderVerificationKey]
  private let appsByHash: [UInt64: [App]]
  private let appsByNumber: [UInt32: App]
  /// The apps that were added since the tables were built; there are fewer than ``addedMax``.
  private let added: [App]
  private let certificateTeams: [String: String]
  private let revokedCertificates: Set<String>
  /// The rows of the store that couldn't be read; an app, key, or certificate that isn't found might be in one of them.
  let damage: StoreDamage

  /// Creates a snapshot of `keys` and `apps`; the caller omits revoked keys and removed apps.
  public init(
    version: UInt64, keys: [ProviderVerificationKey], apps: [App],
    certificateTeams: [String: String] = [:], revokedCertificates: Set<String> = [],
    damage: StoreDamage = .none
  ) {
    self.damage = damage
    self.version = version
    credentialsVersion = version
    added = []
    self.keys = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    self.appsByHash = Dictionary(grouping: apps) { app in
      let bundleID = app.bundleID
      return Self.hash(bundleID.span)
    }
    self.appsByNumber = Dictionary(
      apps.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    self.certificateTeams = certificateTeams
    self.revokedCertificates = revokedCertificates
  }

  /// Creates a copy of `directory` with one more app.
  private init(_ directory: CredentialDirectory, adding app: App, version: UInt64) {
    assert(version > directory.version, "a changed directory has a higher version")
    damage = directory.damage
    self.version = version
    credentialsVersion = directory.credentialsVersion
    keys = directory.keys
    certificateTeams = directory.certificateTeams
    revokedCertificates = directory.revokedCertificates
    guard directory.added.count + 1 >= Self.addedMax else {
      appsByHash = directory.appsByHash
      appsByNumber = directory.appsByNumber
      added = directory.added + [app]
      return
    }
    var byHash = directory.appsByHash
    var byNumber = directory.appsByNumber
    for app in directory.added + [app] {
      let bundleID = app.bundleID
      byHash[Self.hash(bundleID.span), default: []].append(app)
      byNumber[app.number] = app
    }
    appsByHash = byHash
    appsByNumber = byNumber
    added = []
  }

  /// The number of added apps at which the tables are rebuilt, which copies all apps.
  ///
  /// Scanning a smaller number of apps takes less time than handling a push.
  private static let addedMax = 32

  /// Returns a newer directory that has one more app; verified tokens remain valid.
  public func adding(_ app: App, version: UInt64) -> CredentialDirectory {
    CredentialDirectory(self, adding: app, version: version)
  }

  /// Creates a copy of `directory` without what `changes` have taken away.
  private init(
    _ directory: CredentialDirectory, withoutRevoked changes: [ControlChange], version: UInt64
  ) {
    assert(version > directory.version, "a changed directory has a higher version")
    damage = directory.damage
    self.version = version
    credentialsVersion = version
    var keys = directory.keys
    var teams = directory.certificateTeams
    var revoked = directory.revokedCertificates
    var apps = Array(directory.appsByNumber.values) + directory.added
    for change in changes {
      switch change {
      case .putKey(let key) where key.revokedMilliseconds != nil: keys[key.id] = nil
      case .putCertificate(let certificate) where certificate.revokedMilliseconds != nil:
        revoked.insert(certificate.serial)
      case .removeApp(let number): apps.removeAll { $0.number == number }
      case .removeTeam(let id):
        keys = keys.filter { !$1.teamID.hasSameBytes(as: id) }
        teams = teams.filter { !$1.hasSameBytes(as: id) }
        apps.removeAll { $0.teamID.hasSameBytes(as: id) }
      default: break
      }
    }
    self.keys = keys
    certificateTeams = teams
    revokedCertificates = revoked
    appsByHash = Dictionary(grouping: apps) { app in
      let bundleID = app.bundleID
      return Self.hash(bundleID.span)
    }
    appsByNumber = Dictionary(apps.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    added = []
  }

  /// Returns a newer directory without the keys, certificates, apps, and teams that `changes` have revoked or removed;
  /// changes that add something have no effect.
  func withoutRevoked(_ changes: [ControlChange], version: UInt64) -> CredentialDirectory {
    CredentialDirectory(self, withoutRevoked: changes, version: version)
  }

  /// Returns the key with this `kid`.
  public func key(_ id: String) -> ProviderVerificationKey? { keys[id] }

  /// Returns the app with this bundle identifier.
  public func app(bundleID: Span<UInt8>) -> App? {
    if let candidates = appsByHash[Self.hash(bundleID)] {
      for app in candidates {
        let candidate = app.bundleID
        if candidate.span.equals(bundleID) { return app }
      }
    }
    for app in added {
      let candidate = app.bundleID
      if candidate.span.equals(bundleID) { return app }
    }
    return nil
  }

  /// Returns the app with this number.
  public func app(number: UInt32) -> App? {
    appsByNumber[number] ?? added.first { $0.number == number }
  }

  /// Returns true if the app wasn't found but might be in a damaged row.
  func mayBeDamaged(bundleID: Span<UInt8>) -> Bool {
    guard damage.count > 0 else { return false }
    var name: [UInt8] = []
    name.append(copying: bundleID)
    return damage.mayHave(.bundle(String(decoding: name, as: UTF8.self)))
  }

  /// Returns true if the app isn't found but might be in a damaged row.
  func mayBeDamaged(app number: UInt32) -> Bool {
    damage.mayHave(.app(number: number)) && app(number: number) == nil
  }

  /// Returns true if the app's upstream isn't found but might be in a damaged row.
  func mayHaveDamagedUpstream(app number: UInt32) -> Bool {
    damage.mayHave(.upstream(app: number))
  }

  /// Returns the team that a provider certificate was issued to; the serial number is in hexadecimal.
  public func team(certificateSerial: String) -> String? { certificateTeams[certificateSerial] }

  /// Returns true if a provider certificate was revoked; the serial number is in hexadecimal.
  public func isRevoked(certificateSerial: String) -> Bool {
    revokedCertificates.contains(certificateSerial)
  }

  /// Returns the FNV-1a hash, which is sufficient because bundle identifiers are few and attackers don't choose them.
  private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in bytes.indices {
      hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3
    }
    return hash
  }
}
