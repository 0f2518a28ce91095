internal import BelfryWire
internal import PushWire
internal import Storage
internal import System
internal import Transport

/// Requests about teams, their keys, and their certificates.
extension Administration {
  func addTeam(
    _ id: String?, _ name: String?, _ now: Int64
  ) throws(StorageFailure) -> AdministrationAnswer {
    let id = id ?? AppleIdentifier.make()
    guard AppleIdentifier.isWellFormed(id) else { return .failure(Self.badIdentifier(id)) }
    guard try !store.teams().contains(where: { $0.id == id }) else {
      return .failure(.init(.conflict, "team \(id) already exists", do: "choose another --id"))
    }
    let name = name ?? "Team \(id)"
    guard (1...Limits.nameBytesMax).contains(name.utf8.count) else {
      return .failure(
        .init(
          .invalid, "invalid team name: expected 1 to \(Limits.nameBytesMax) bytes",
          do: "shorten it"))
    }
    let team = TeamRecord(id: id, name: name, createdMilliseconds: now)
    try apply([.putTeam(team)])
    return .success([AdministrationLines.line(team)])
  }

  func addKey(
    _ new: AdministrationRequest.NewKey, _ now: Int64
  ) throws(StorageFailure) -> AdministrationAnswer {
    var new = new
    if let failure = try complete(&new.team) { return .failure(failure) }
    let id = new.id ?? AppleIdentifier.make()
    let keys = try store.keys()
    if let failure = try problem(with: new, id: id, among: keys) { return .failure(failure) }
    do {
      let key = try ES256PrivateKey()
      // Write the file before the record: a record without its file could never sign, but a file without a record is
      // harmless.
      try folder.write(key.pkcs8PEM(), "AuthKey_\(id).p8")
      let record = KeyRecord(
        id: id, team: new.team, publicKeySPKI: key.publicKey.spkiDER,
        environments: new.environments, topics: new.topics, relatedKey: new.relatedKey,
        createdMilliseconds: now)
      try runtime?.keepSecrets()
      let budget = Self.budget(of: new, id: id)
      try apply([.putKey(record)] + (budget.map { [.putBudget($0)] } ?? []))
      var line = AdministrationLines.line(record, budget: budget, atMilliseconds: now)
      line["file"] = .string(folder.keyFile(id))
      let unknown = try unknownTopics(new.topics, team: new.team)
      if !unknown.isEmpty { line["unknownTopics"] = .array(unknown.map { .string($0.topic) }) }
      let owned = unknown.compactMap { topic, owner in owner.map { (topic, JSONValue.string($0)) } }
      if !owned.isEmpty { line["topicTeams"] = .object(JSONObject(owned)) }
      return .success([line])
    } catch let failure as StorageFailure {
      throw failure
    } catch {
      return .failure(.init(.broken, "cannot store the key", do: "\(error)"))
    }
  }

  func listKeys(_ now: Int64) throws(StorageFailure) -> AdministrationAnswer {
    var budgets: [String: BudgetRecord] = [:]  // text: IDs of known keys
    for budget in try store.budgets() { budgets[budget.key] = budget }
    var lines: [JSONObject] = []
    for key in try store.keys() {
      lines.append(
        AdministrationLines.line(key, budget: budgets[key.id], atMilliseconds: now))
    }
    return .success(lines)
  }

  /// Returns the budget of a new key; nil if the key has no limits.
  private static func budget(
    of new: AdministrationRequest.NewKey, id: String
  ) -> BudgetRecord? {
    guard new.perDay != nil || new.perSecond != nil else { return nil }
    return BudgetRecord(key: id, perDay: new.perDay, perSecond: new.perSecond)
  }

  /// Returns those of the topics that no app of the team has, each with the team that owns the app, if there is one.
  ///
  /// Pushes to these topics are refused.
  private func unknownTopics(
    _ topics: [String], team: String
  ) throws(StorageFailure) -> [(topic: String, owner: String?)] {
    let apps = try store.apps()
    return topics.map { topic -> (topic: String, owner: String?) in
      (topic, apps.first { $0.bundleID.hasSameBytes(as: topic) }?.team)
    }.filter { $0.owner?.hasSameBytes(as: team) != true }
  }

  private func problem(
    with new: AdministrationRequest.NewKey, id: String, among keys: [KeyRecord]
  ) throws(StorageFailure) -> AdministrationFailure? {
    guard AppleIdentifier.isWellFormed(id) else { return Self.badIdentifier(id) }
    if let failure = try missing(team: new.team) { return failure }
    if keys.contains(where: { $0.id == id }) {
      return .init(.conflict, "key \(id) already exists", do: "choose another --id")
    }
    if new.topics.count > Limits.topicsPerKeyMax {
      return .init(
        .invalid, "a key can have at most \(Limits.topicsPerKeyMax) topics",
        do: "create a second key")
    }
    if let bad = new.topics.first(where: { !Self.isBundleID($0) }) { return Self.badBundleID(bad) }
    if let failure = tooMany(new, among: keys) { return failure }
    if let perDay = new.perDay, perDay < 1 {
      return .init(
        .invalid, "invalid limit of \(perDay) pushes per day", do: "use a number from 1")
    }
    if new.perSecond == 0 {
      return .init(.invalid, "invalid limit of 0 pushes per second", do: "use a number from 1")
    }
    guard let related = new.relatedKey else { return nil }
    guard let other = keys.first(where: { $0.id == related }), other.team == new.team else {
      return .init(
        .missing, "team \(new.team) has no key \(related)", do: "see 'belfry key list'")
    }
    guard !new.topics.isEmpty, !other.topics.isEmpty, other.environments == new.environments else {
      return .init(
        .invalid, "only topic-specific keys of one environment can be related",
        do: "add --topic and the --environment of \(related)")
    }
    guard other.relatedKey == nil, !keys.contains(where: { $0.relatedKey == related }) else {
      return .init(
        .conflict, "\(related) is already related to another key",
        do: "a key can have at most one related key")
    }
    return nil
  }

  /// Returns a failure if the new key would exceed Apple's limits for keys that are restricted to one environment
  /// (apns-protocol 2.2).
  ///
  /// Keys that are valid in both environments have no limit.
  private func tooMany(
    _ new: AdministrationRequest.NewKey, among keys: [KeyRecord]
  ) -> AdministrationFailure? {
    guard new.environments != .both else { return nil }
    let alike = keys.filter {
      $0.team == new.team && $0.environments == new.environments && $0.revokedMilliseconds == nil
        && $0.topics.isEmpty == new.topics.isEmpty
    }
    let most = new.topics.isEmpty ? Limits.teamKeysMax : Limits.topicKeysMax
    guard alike.count >= most else { return nil }
    let kind = new.topics.isEmpty ? "team-scoped" : "topic-specific"
    return .init(
      .conflict, "a team can have at most \(most) \(kind) keys for \(new.environments.name)",
      do: "revoke one with 'belfry key revoke'")
  }

  func revokeKey(_ id: String, _ now: Int64) throws(StorageFailure) -> AdministrationAnswer {
    guard var key = try store.keys().first(where: { $0.id == id }) else {
      return .failure(.init(.missing, "unknown key \(id)", do: "see 'belfry key list'"))
    }
    // Repeat an earlier revocation: its command might have failed before every node had applied the change.
    key.revokedMilliseconds = key.revokedMilliseconds ?? now
    try apply([.putKey(key)])
    return .success([AdministrationLines.line(key)])
  }

  func makeProviderToken(
    _ id: String?, _ now: Int64
  ) throws(StorageFailure) -> AdministrationAnswer {
    let good = try store.keys().filter { $0.revokedMilliseconds == nil }
    let usual = try store.teams().first.flatMap { team throws(StorageFailure) in
      try FirstIdentity.defaultKey(of: team.id, in: folder, store, environment: environment)
    }
    let first =
      good.first { $0.id == usual && $0.environments.contains(environment) }
      ?? good.first { $0.topics.isEmpty && $0.environments.contains(environment) }
    guard let key = id.map({ id in good.first { $0.id == id } }) ?? first else {
      return .failure(
        .init(
          .missing, "no valid key\(id.map { " \($0)" } ?? "")",
          do: "see 'belfry key list'"))
    }
    do {
      let file = try FileSystem.readRegularFile(
        folder.keyFile(key.id), limit: Limits.keyFileBytesMax)
      let signer = try ES256PrivateKey(pkcs8PEM: file)
      let header = JSONValue.object(["alg": "ES256", "kid": .string(key.id)])
      let claims = JSONValue.object(["iss": .string(key.team), "iat": .integer(now / 1_000)])
      let signed = [header, claims].map { Base64.encode($0.bytes, url: true) }
        .joined(separator: ".")
      let signature = Base64.encode(try signer.sign(Array(signed.utf8)), url: true)
      return .success([
        ["token": .string("\(signed).\(signature)"), "key": .string(key.id)]
      ])
    } catch {
      return .failure(.init(.broken, "key \(key.id) cannot sign", do: "\(error)"))
    }
  }

  func addCertificate(
    _ new: AdministrationRequest.NewCertificate, _ now: Int64
  ) throws(StorageFailure) -> AdministrationAnswer {
    var new = new
    guard Self.isBundleID(new.bundleID) else { return .failure(Self.badBundleID(new.bundleID)) }
    let known = try store.app(bundleID: new.bundleID)
    if new.team.isEmpty { new.team = known?.team ?? "" }
    if known == nil, new.team.isEmpty, try store.teams().count > 1 {
      return .failure(
        .init(
          .missing, "no team has an app \(new.bundleID)",
          do: "add it with 'belfry topic add --team ID \(new.bundleID)'"))
    }
    if let failure = try complete(&new.team) { return .failure(failure) }
    if let failure = try missing(team: new.team) { return .failure(failure) }
    guard let app = known else {
      return .failure(
        .init(
          .missing, "team \(new.team) has no app \(new.bundleID)",
          do: "add it with 'belfry topic add --team \(new.team) \(new.bundleID)'"))
    }
    guard app.team.hasSameBytes(as: new.team) else {
      return .failure(
        .init(
          .conflict, "the app \(new.bundleID) belongs to team \(app.team)",
          do: "specify --team \(app.team)"))
    }
    do {
      guard let authority = try folder.presentAuthorities()?.issuer else {
        return .failure(Self.noAuthority(folder))
      }
      let issued = try authority.issueProvider(
        bundleID: new.bundleID, environment: new.environments.certificateEnvironment,
        form: new.isUniversal ? .universal : .uid, key: new.hasRSAKey ? .rsa : .ec,
        now: now / 1_000)
      let record = CertificateRecord(
        serial: issued.certificate.serial, team: new.team, bundleID: new.bundleID,
        environments: new.environments, isUniversal: new.isUniversal,
        notAfter: issued.certificate.notAfter, createdMilliseconds: now,
        authority: authority.certificate.keyName)
      try apply([.putCertificate(record)])
      var line = AdministrationLines.line(record)
      line["certificateChain"] = .string(
        String(decoding: issued.certificateChainPEM, as: UTF8.self))
      line["privateKey"] = .string(String(decoding: issued.privateKeyPEM, as: UTF8.self))
      return .success([line])
    } catch let failure as StorageFailure {
      throw failure
    } catch {
      return .failure(.init(.broken, "cannot create a certificate", do: "\(error)"))
    }
  }

  /// Revokes a certificate.
  ///
  /// `serial` is hexadecimal, in uppercase or lowercase; leading zeros are ignored.
  func revokeCertificate(
    _ serial: String, _ now: Int64
  ) throws(StorageFailure) -> AdministrationAnswer {
    let wanted = serial.lowercased().drop { $0 == "0" }
    let found = try store.certificates().first { $0.serial.drop { $0 == "0" } == wanted }
    guard var certificate = found else {
      return .failure(
        .init(
          .missing, "unknown certificate \(serial)", do: "see 'belfry certificate list'"))
    }
    // Repeat an earlier revocation: its command might have failed before every node had applied the change.
    certificate.revokedMilliseconds = certificate.revokedMilliseconds ?? now
    try apply([.putCertificate(certificate)])
    return .success([AdministrationLines.line(certificate)])
  }

  /// If `team` is empty, sets it to the ID of the only team.
  ///
  /// Returns a failure if `team` is empty and there isn't exactly one team.
  func complete(_ team: inout String) throws(StorageFailure) -> AdministrationFailure? {
    guard team.isEmpty else { return nil }
    let teams = try store.teams()
    guard teams.count == 1 else {
      return .init(
        .invalid, "there are \(teams.count) teams",
        do: "name one with --team: \(teams.map(\.id).joined(separator: ", "))")
    }
    team = teams[0].id
    return nil
  }

  /// Returns a failure if the team doesn't exist; nil if it does.
  func missing(team: String) throws(StorageFailure) -> AdministrationFailure? {
    let teams = try store.teams()
    if teams.contains(where: { $0.id == team }) { return nil }
    return Self.unknown(team: team, among: teams, do: "add it with 'belfry team add'")
  }

  /// Returns the failure for a team that doesn't exist; if `team` is the name of teams, the advice contains their IDs.
  static func unknown(
    team: String, among teams: [TeamRecord], do advice: String
  ) -> AdministrationFailure {
    let ids = teams.filter { $0.name.hasSameBytes(as: team) }.map(\.id)
    return .init(
      .missing, "unknown team \(team)",
      do: ids.isEmpty ? advice : "use the team's ID, \(ids.joined(separator: " or "))")
  }

  static func badIdentifier(_ id: String) -> AdministrationFailure {
    .init(.invalid, "'\(id)' is not a valid identifier", do: "use 10 uppercase letters and digits")
  }

  static func badBundleID(_ text: String) -> AdministrationFailure {
    .init(
      .invalid, "'\(text)' is not a valid bundle identifier",
      do: "use a form such as com.example.app")
  }

  /// Returns true if a bundle identifier is a well-formed topic whose labels, which dots separate, aren't empty.
  static func isBundleID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return TopicParts.isWellFormed(bytes.span) && !labels.contains(where: \.isEmpty)
  }
}

extension EnvironmentScope {
  fileprivate var certificateEnvironment: CertificateAuthority.ProviderEnvironment {
    switch self {
    case .both: .both
    case .sandbox: .development
    case .production: .production
    }
  }
}
