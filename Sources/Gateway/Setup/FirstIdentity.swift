import BelfryWire
import Storage
import System
import Transport

/// The team, key, and enrollment code that a gateway generates at its first start.
package struct FirstIdentity: Sendable {
  let teamID: String
  let keyID: String
  let enrollmentCode: String

  /// Creates an identity from values that are already in the control store.
  package init(teamID: String, keyID: String, enrollmentCode: String) {
    self.teamID = teamID
    self.keyID = keyID
    self.enrollmentCode = enrollmentCode
  }

  /// Reads the folder's identity and creates any missing parts.
  static func makeOrRead(
    in folder: GatewayFolder, store: any ControlStore, environment: BelfryWire.Environment,
    nowMilliseconds: Int64
  ) throws -> FirstIdentity {
    try claim(folder, store: store, for: environment)
    var changes: [ControlChange] = []
    let teamID: String
    if let team = try store.teams().first {
      teamID = team.id
    } else {
      teamID = try orphanedTeam(in: store) ?? makeID()
      changes.append(
        .putTeam(
          TeamRecord(id: teamID, name: "First team", createdMilliseconds: nowMilliseconds)))
    }
    let keyID: String
    if let key = try defaultKey(of: teamID, in: folder, store, environment: environment) {
      keyID = key
    } else {
      keyID = makeID()
      let key = try ES256PrivateKey()
      try folder.write(key.pkcs8PEM(), "AuthKey_\(keyID).p8")
      changes.append(
        .putKey(
          KeyRecord(
            id: keyID, team: teamID, publicKeySPKI: key.publicKey.spkiDER,
            createdMilliseconds: nowMilliseconds)))
    }
    let code: String
    if let kept = try store.setting(ControlSetting.enrollmentCode) {
      code = String(decoding: kept, as: UTF8.self)
    } else {
      code = makeCode()
      changes.append(
        .putSetting(name: ControlSetting.enrollmentCode, value: Array(code.utf8)))
    }
    if !changes.isEmpty { try store.apply(changes) }
    return FirstIdentity(teamID: teamID, keyID: keyID, enrollmentCode: code)
  }

  /// Returns the team that owns the most keys and apps; nil unless a team's row is damaged.
  private static func orphanedTeam(in store: any ControlStore) throws(StorageFailure) -> String? {
    guard store.damage.has(table: "team") else { return nil }
    var counts: [String: Int] = [:]  // text: ids that the operator gave
    for key in try store.keys() { counts[key.team, default: 0] += 1 }
    for app in try store.apps() { counts[app.team, default: 0] += 1 }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// Returns the key that signs a team's pushes by default.
  ///
  /// The method prefers a key that is valid in this environment, has a file, and can send to all topics. It returns a
  /// revoked key only if all keys are revoked, and nil if the team has no keys.
  static func defaultKey(
    of team: String, in folder: GatewayFolder, _ store: any ControlStore,
    environment: BelfryWire.Environment
  ) throws(StorageFailure) -> String? {
    func rank(_ key: KeyRecord) -> Int {
      if key.revokedMilliseconds != nil { return 8 }
      return (key.environments.contains(environment) ? 0 : 4)
        + (FileSystem.exists(folder.keyFile(key.id)) ? 0 : 2) + (key.topics.isEmpty ? 0 : 1)
    }
    // Keys are sorted by creation time, so the oldest of the best-ranked keys wins.
    return try store.keys().filter { $0.team == team }.map { (key: $0.id, rank: rank($0)) }
      .reduce(nil) { best, next -> (key: String, rank: Int)? in
        guard let best, best.rank <= next.rank else { return next }
        return best
      }?.key
  }

  /// Binds the folder to one environment, because its tokens, keys, and channels are valid only there.
  private static func claim(
    _ folder: GatewayFolder, store: any ControlStore, for environment: BelfryWire.Environment
  ) throws {
    guard let kept = try store.setting(ControlSetting.environment) else {
      try store.apply([
        .putSetting(name: ControlSetting.environment, value: Array(environment.name.utf8))
      ])
      return
    }
    let name = String(decoding: kept, as: UTF8.self)
    guard name == environment.name else {
      let isUnused = try isUnused(folder, store: store)
      throw GatewayServer.Failure.setup(
        "\(folder.path) belongs to a \(name) gateway: use --environment \(name), or another --data"
          + (isUnused
            ? ", or remove the folder, which has no devices or apps because its gateway never became ready"
            : "")
      )
    }
  }

  /// Returns true if the folder was created by a start that failed, for example, because a port was in use.
  private static func isUnused(
    _ folder: GatewayFolder, store: any ControlStore
  ) throws(StorageFailure) -> Bool {
    // A gateway writes its description when it is ready. A restored folder has none until its gateway has started.
    guard !FileSystem.exists(folder.descriptionFile),
      !FileSystem.exists(folder.file(FolderBackup.restored))
    else { return false }
    let (devices, apps) = (try store.devices(), try store.apps())
    return devices.isEmpty && apps.isEmpty
  }

  /// Returns 10 random letters and digits, as in Apple's identifiers.
  private static func makeID() -> String {
    pick(10, from: "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789")
  }

  /// Returns a code that can be read aloud; it omits I, L, O, U, 0, and 1, which are easily confused.
  static func makeCode() -> String {
    (0..<4).map { _ in pick(4, from: "ABCDEFGHJKMNPQRSTVWXYZ23456789") }.joined(separator: "-")
  }

  private static func pick(_ count: Int, from alphabet: String) -> String {
    var random = SystemRandom.Generator()
    let letters = Array(alphabet)
    return String((0..<count).compactMap { _ in letters.randomElement(using: &random) })
  }
}
