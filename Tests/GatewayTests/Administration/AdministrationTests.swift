import BelfryWire
import PushWire
import Storage
import Synchronization
import System
import TestSupport
import Testing
import Transport

@testable import Gateway

@Suite struct AdministrationTests {
  private let scratch: ScratchFolder
  private let folder: GatewayFolder
  private let team = "TEAMAAAAAA"

  init() throws {
    scratch = try ScratchFolder()
    folder = GatewayFolder(path: scratch.file("gateway"))
    try FileSystem.makeDirectories(folder.path)
    let authority = try CertificateAuthority.forTests()
    try folder.write(authority.certificatePEM, "ca.pem")
    try folder.write(authority.privateKeyPEM, "ca-key.pem")
    let store = try SQLiteControlStore(path: folder.controlStoreFile)
    try store.apply([
      .putSetting(name: ControlSetting.environment, value: Array("sandbox".utf8)),
      .putDevice(
        DeviceRecord(
          number: 7, keyHash: SHA256.hash([1]), name: "kiosk", enrolledMilliseconds: 1)),
    ])
    store.close()
  }

  private func stopped() throws -> Administration {
    let administration = try Administration(stopped: folder)
    if try administration.perform(.listTeams).isEmpty {
      _ = try administration.perform(.addTeam(id: team, name: "A"))
    }
    return administration
  }

  @Test
  func `a stopped gateway's data is changed, and the folder is its own meanwhile`() throws {
    do {
      let administration = try stopped()
      #expect(
        throws: AdministrationFailure(
          .held, "\(folder.path) is locked by another process", do: "stop that process")
      ) { try Administration(stopped: folder) }
      #expect(try administration.perform(.listTeams).first?["id"] == "TEAMAAAAAA")
    }
    #expect(try stopped().perform(.listTeams).count == 1)
  }

  @Test
  func `opening a folder without a gateway fails and creates nothing`() throws {
    let empty = GatewayFolder(path: scratch.file("empty"))
    #expect(throws: AdministrationFailure.self) { try Administration(stopped: empty) }
    #expect(!FileSystem.exists(empty.path))
  }

  @Test
  func `teams: made ids are well formed, given ones are checked, twins refused`() throws {
    let administration = try stopped()
    let made = try administration.perform(.addTeam(id: nil, name: nil)).first
    #expect(made?["id"]?.stringValue.map(AppleIdentifier.isWellFormed) == true)
    expect(.conflict) { try administration.perform(.addTeam(id: team, name: nil)) }
    expect(.invalid) { try administration.perform(.addTeam(id: "short", name: nil)) }
    expect(.invalid) { try administration.perform(.addTeam(id: nil, name: "")) }
  }

  @Test
  func `a team goes when nothing hangs on it, or with all that does; the first one stays`() throws {
    let administration = try stopped()
    let other = "TEAMBBBBBB"
    func remove(_ id: String, forced: Bool = false) throws -> [JSONObject] {
      try administration.perform(.removeTeam(id: id, isForced: forced))
    }
    expect(.missing) { try remove("NOBODY0000") }
    #expect(
      throws: AdministrationFailure(.missing, "unknown team A", do: "use the team's ID, \(team)")
    ) { try remove("A") }
    expect(.conflict) { try remove(team, forced: true) }
    _ = try administration.perform(.addTeam(id: other, name: "B"))
    #expect(try remove(other).first?["id"] == .string(other))
    #expect(try administration.perform(.listTeams).count == 1)

    _ = try administration.perform(.addTeam(id: other, name: "B"))
    for number in 1...7 {
      _ = try administration.perform(
        .addTopic(.init(team: other, bundleID: "com.example.b\(number)")))
    }
    _ = try administration.perform(.addTopic(.init(team: team, bundleID: "com.example.a")))
    for (key, owner) in [("KEYOFA0001", team), ("KEYOFB0001", other), ("KEYOFB0002", other)] {
      _ = try administration.perform(.addKey(.init(id: key, team: owner)))
    }
    _ = try administration.perform(.revokeKey(id: "KEYOFB0002"))
    let certificate = try #require(
      try administration.perform(.addCertificate(.init(team: other, bundleID: "com.example.b1")))
        .first?["serial"]?.stringValue)
    #expect {
      try remove(other)
    } throws: { error in
      let failure = error as? AdministrationFailure
      #expect(failure?.kind == .conflict)
      let what = failure?.what ?? ""
      // Apps are sorted by number, and the numbers are random.
      return what.hasPrefix("team TEAMBBBBBB has 7 apps (com.example.b")
        && what.hasSuffix(
          ", and 2 more), 1 key that is not revoked (KEYOFB0001), "
            + "1 certificate that is not revoked (\(certificate))")
    }
    #expect(try administration.perform(.listTopics).count == 8, "a refusal changes nothing")
    #expect(try remove(other, forced: true).first?["id"] == .string(other))
    #expect(try administration.perform(.listTeams).map { $0["id"] } == [.string(team)])
    #expect(try administration.perform(.listTopics).map { $0["topic"] } == ["com.example.a"])
    #expect(try administration.perform(.listKeys).map { $0["id"] } == ["KEYOFA0001"])
    #expect(try administration.perform(.listCertificates).isEmpty)
  }

  @Test
  func `devices are found by number and by a part of the name`() throws {
    let administration = try stopped()
    try administration.store.apply([
      .putDevice(
        DeviceRecord(
          number: 77, keyHash: SHA256.hash([2]), name: "Hall, left", enrolledMilliseconds: 1))
    ])
    for (text, found) in [("7", [7]), ("77", [77]), ("KIO", [7]), ("l", [77]), ("none", [])] {
      let lines = try administration.perform(.listDevices(of: text))
      #expect(lines.compactMap { $0["device"]?.integerValue } == found.map(Int64.init))
    }
    #expect(try administration.perform(.listDevices(of: nil)).count == 2)
  }

  @Test
  func `a key's file signs what its record verifies; revoked, it makes no token`() throws {
    let administration = try stopped()
    let line = try #require(
      try administration.perform(.addKey(.init(id: "KEYBOTH001", team: team))).first)
    let file = try #require(line["file"]?.stringValue)
    #expect(try FileSystem.mode(of: file) == 0o600)
    let record = try #require(try administration.store.keys().first)
    let key = try ES256PrivateKey(pkcs8PEM: FileSystem.read(file, limit: 10_000))
    #expect(key.publicKey.spkiDER == record.publicKeySPKI)
    #expect(record.environments == .both)

    let token = try #require(
      try administration.perform(.makeProviderToken(key: nil)).first?["token"]?.stringValue)
    let parts = token.split(separator: ".").map(String.init)
    let signature = decoded(parts[2])
    let signed = Array((parts[0] + "." + parts[1]).utf8)
    #expect(key.publicKey.verify(rawSignature: signature, message: signed))
    let claims = try JSONValue(parsing: decoded(parts[1])).objectValue
    #expect(claims?["iss"] == "TEAMAAAAAA")

    let revoked = try administration.perform(.revokeKey(id: "KEYBOTH001")).first
    #expect(revoked?["revokedAt"] != nil)
    expect(.missing) { try administration.perform(.makeProviderToken(key: "KEYBOTH001")) }
    expect(.missing) { try administration.perform(.makeProviderToken(key: nil)) }
    expect(.missing) { try administration.perform(.revokeKey(id: "NOSUCHKEY0")) }
  }

  @Test
  func `keys are related in pairs, of one team and environment, each with its topics`() throws {
    let administration = try stopped()
    func add(
      _ id: String, _ topics: [String], _ scope: EnvironmentScope, related: String? = nil,
      team: String? = nil
    ) throws -> [JSONObject] {
      try administration.perform(
        .addKey(
          .init(
            id: id, team: team ?? self.team, environments: scope, topics: topics,
            relatedKey: related)))
    }
    _ = try add("KEYTPSBX01", ["com.example.app"], .sandbox)
    _ = try add("KEYTMSBX01", [], .sandbox)
    expect(.missing) { try add("KEY0000001", ["a"], .sandbox, related: "NOSUCHKEY0") }
    expect(.invalid) { try add("KEY0000001", [], .sandbox, related: "KEYTPSBX01") }
    expect(.invalid) { try add("KEY0000001", ["a"], .production, related: "KEYTPSBX01") }
    expect(.invalid) { try add("KEY0000001", ["a"], .sandbox, related: "KEYTMSBX01") }
    _ = try add("KEYTPSBX02", ["com.example.other"], .sandbox, related: "KEYTPSBX01")
    expect(.conflict) { try add("KEY0000001", ["a"], .sandbox, related: "KEYTPSBX01") }
    expect(.missing) { try add("KEY0000001", ["a"], .sandbox, team: "NOBODY0000") }
    #expect(
      throws: AdministrationFailure(
        .missing, "unknown team A", do: "use the team's ID, \(self.team)")
    ) { try add("KEY0000001", [], .sandbox, team: "A") }
    expect(.conflict) { try add("KEYTPSBX01", [], .sandbox) }
    expect(.invalid) {
      try add("KEY0000001", (0...400).map { "com.example.a\($0)" }, .sandbox)
    }
    expect(.invalid) { try add("KEY0000001", ["not a topic"], .sandbox) }
    #expect(!FileSystem.exists(folder.keyFile("KEY0000001")))
  }

  @Test
  func `a new key lists its topics that no app of its team has`() throws {
    let administration = try stopped()
    let other = "TEAMBBBBBB"
    _ = try administration.perform(.addTeam(id: other, name: "B"))
    _ = try administration.perform(.addTopic(.init(team: team, bundleID: "com.example.app")))
    _ = try administration.perform(.addTopic(.init(team: other, bundleID: "com.example.other")))
    func unknown(_ topics: [String]) throws -> [String]? {
      let key = try administration.perform(.addKey(.init(team: team, topics: topics))).first
      return key?["unknownTopics"]?.arrayValue?.compactMap(\.stringValue)
    }
    #expect(
      try unknown(["com.example.app", "com.example.ap", "com.example.other"])
        == ["com.example.ap", "com.example.other"])
    #expect(try unknown(["com.example.app"]) == nil)
    #expect(try unknown([]) == nil)
  }

  @Test
  func `a provider's certificate carries its topic; its serial revokes it in either case`() throws {
    let administration = try stopped()
    let new = AdministrationRequest.NewCertificate(
      team: team, bundleID: "com.example.app", environments: .sandbox, isUniversal: false)
    expect(.missing) { try administration.perform(.addCertificate(new)) }
    #expect(
      throws: AdministrationFailure(
        .invalid, "'' is not a valid bundle identifier", do: "use a form such as com.example.app")
    ) { try administration.perform(.addCertificate(.init(team: team, bundleID: ""))) }
    _ = try administration.perform(.addTopic(.init(team: team, bundleID: "com.example.app")))
    let line = try #require(try administration.perform(.addCertificate(new)).first)
    let chain = try #require(line["certificateChain"]?.stringValue)
    let certificate = try Certificate(pem: Array(chain.utf8))
    #expect(certificate.uid == "com.example.app")
    #expect(certificate.extensionValue(AppleExtension.development) != nil)
    #expect(certificate.extensionValue(AppleExtension.production) == nil)
    #expect(line["serial"]?.stringValue == certificate.serial)
    let key = try ES256PrivateKey(pkcs8PEM: Array((line["privateKey"]?.stringValue ?? "").utf8))
    #expect(key.publicKey.spkiDER == certificate.publicKeySPKI)
    let revoked = try administration.perform(
      .revokeCertificate(serial: "00" + certificate.serial.uppercased())
    ).first
    #expect(revoked?["revokedAt"] != nil)
    #expect(revoked?["privateKey"] == nil)
    expect(.missing) { try administration.perform(.revokeCertificate(serial: "")) }
  }

  @Test
  func `a certificate without a team is for the team of its app`() throws {
    let administration = try stopped()
    let other = "TEAMBBBBBB"
    _ = try administration.perform(.addTeam(id: other, name: "B"))
    _ = try administration.perform(.addTopic(.init(team: other, bundleID: "com.example.b")))
    let made = try administration.perform(
      .addCertificate(.init(team: "", bundleID: "com.example.b")))
    #expect(made.first?["team"] == .string(other))
    #expect(
      throws: AdministrationFailure(
        .missing, "no team has an app com.example.c",
        do: "add it with 'belfry topic add --team ID com.example.c'")
    ) { try administration.perform(.addCertificate(.init(team: "", bundleID: "com.example.c"))) }
  }

  @Test
  func `topics: added, changed by their team, refused to another, removed`() throws {
    let administration = try stopped()
    _ = try administration.perform(.addTeam(id: "TEAMBBBBBB", name: "B"))
    let bundleID = "com.example.app"
    let added = try administration.perform(.addTopic(.init(team: team, bundleID: bundleID))).first
    #expect(added?["keep"] == 1)
    #expect(added?["broadcast"] == false)
    let changed = try administration.perform(
      .addTopic(.init(team: team, bundleID: bundleID, keep: .max, hasBroadcast: true))
    ).first
    #expect(changed?["keep"] == "all")
    #expect(changed?["number"] == added?["number"])
    // Fields that aren't mentioned remain unchanged.
    #expect(
      try administration.perform(.addTopic(.init(team: team, bundleID: bundleID))).first == changed)
    #expect(
      throws: AdministrationFailure(
        .conflict, "the app com.example.app belongs to team TEAMAAAAAA",
        do: "to change the app, specify this team or no team")
    ) { try administration.perform(.addTopic(.init(team: "TEAMBBBBBB", bundleID: bundleID))) }
    // The team of an existing app is known, but a new app needs one of the two teams.
    let kept = try administration.perform(.addTopic(.init(team: "", bundleID: bundleID, keep: 7)))
    #expect(kept.first?["keep"] == 7 && kept.first?["team"] == .string(team))
    expect(.invalid) {
      try administration.perform(.addTopic(.init(team: "", bundleID: "com.example.new")))
    }
    for wrong in ["a b", "", ".", "not..valid", ".example", "example."] {
      expect(.invalid) { try administration.perform(.addTopic(.init(team: team, bundleID: wrong))) }
    }
    expect(.invalid) {
      try administration.perform(.addTopic(.init(team: team, bundleID: "a", keep: 0)))
    }
    _ = try administration.perform(.removeTopic(bundleID: bundleID, isForced: false))
    expect(.missing) {
      try administration.perform(.removeTopic(bundleID: bundleID, isForced: true))
    }
    let again = try administration.perform(.addTopic(.init(team: team, bundleID: bundleID))).first
    #expect(again?["number"] != added?["number"], "a number is never reused")
  }

  @Test
  func `an app that a device has registered is removed only by force`() throws {
    let administration = try stopped()
    let app = AdministrationRequest.NewTopic(team: team, bundleID: "com.example.app")
    let number = try administration.perform(.addTopic(app)).first?["number"]?.integerValue
    let id = try #require(number.flatMap { UInt32(exactly: $0) })
    try administration.store.apply(
      [TokenKind.alert, .voip].map { kind in
        .putRegistration(
          RegistrationRecord(
            key: NotificationKey(device: 7, app: id, kind: kind.rawValue), generation: 0,
            state: .active, changedMilliseconds: 1))
      })
    func remove(forced: Bool) throws -> [JSONObject] {
      try administration.perform(.removeTopic(bundleID: app.bundleID, isForced: forced))
    }
    #expect {
      try remove(forced: false)
    } throws: { error in
      let failure = error as? AdministrationFailure
      return failure?.kind == .conflict && failure?.advice.contains("--force") == true
        && failure?.what == "the app com.example.app is registered on 1 device"
    }
    #expect(try administration.perform(.listTopics).count == 1, "a refusal changes nothing")
    #expect(try remove(forced: true).first?["topic"] == "com.example.app")
    #expect(try administration.perform(.listTopics).isEmpty)
    #expect(try administration.store.registrations().isEmpty)
  }

  @Test
  func `channels: only where broadcasts are on; the id is 16 bytes in base64`() throws {
    let administration = try stopped()
    let bundleID = "com.example.app"
    _ = try administration.perform(.addTopic(.init(team: team, bundleID: bundleID)))
    expect(.conflict) {
      try administration.perform(.addChannel(bundleID: bundleID, keepsLatest: true))
    }
    _ = try administration.perform(
      .addTopic(.init(team: team, bundleID: bundleID, hasBroadcast: true)))
    let line = try administration.perform(.addChannel(bundleID: bundleID, keepsLatest: true)).first
    let id = try #require(line?["channel"]?.stringValue)
    #expect(decoded(id).count == 16)
    #expect(line?["storage"] == 1)
    #expect(try administration.perform(.listChannels) == [try #require(line)])
    expect(.missing) {
      try administration.perform(.removeChannel(id: id, bundleID: "com.example.other"))
    }
    expect(.missing) { try administration.perform(.removeChannel(id: "?", bundleID: nil)) }
    _ = try administration.perform(.removeChannel(id: id, bundleID: bundleID))
    #expect(try administration.perform(.listChannels).isEmpty)
  }

  @Test
  func `a device is revoked once, with the time`() throws {
    let administration = try stopped()
    #expect(try administration.perform(.listDevices(of: nil)).first?["name"] == "kiosk")
    let first = try administration.perform(.revokeDevice(number: 7))
    #expect(first.first?["revokedAt"] != nil)
    #expect(try administration.perform(.revokeDevice(number: 7)) == first)
    expect(.missing) { try administration.perform(.revokeDevice(number: 8)) }
  }

  @Test
  func `the feedback service lists what a revoked device had registered`() throws {
    let key = NotificationKey(device: 7, app: 3, kind: TokenKind.alert.rawValue)
    let other = NotificationKey(device: 8, app: 3, kind: TokenKind.alert.rawValue)
    let store = try SQLiteControlStore(path: folder.controlStoreFile)
    try store.apply(
      [key, other].map {
        .putRegistration(
          RegistrationRecord(key: $0, generation: 2, state: .active, changedMilliseconds: 1))
      })
    store.close()
    do { _ = try stopped().perform(.revokeDevice(number: 7)) }
    let after = try SQLiteControlStore(path: folder.controlStoreFile)
    let listed = try after.unregistered(
      app: 3, kind: key.kind, after: FeedbackCursor(endOfMillisecond: 0), limit: 10)
    #expect(listed.map(\.key) == [key])
    #expect(listed.first?.generation == 2)
    #expect(listed.first.map { $0.changedMilliseconds > 1 } == true)
    #expect(try after.registration(of: other)?.state == .active)
  }

  @Test
  func `a stopped gateway still has its log`() throws {
    let administration = try stopped()
    #expect(try administration.perform(.log(of: nil)).isEmpty)
    let entry = DeliveryLog.Entry(
      atMilliseconds: 5, state: .delivered, key: NotificationKey(device: 7, app: 1, kind: 0),
      id: NotificationID(high: 1, low: 2), uniqueID: NotificationID(high: 3, low: 4))
    try DeliveryLog(
      file: folder.deliveryLogFile(loop: 0), capacity: Gateway.Limits.deliveryLogLines
    ).append(entry)
    let lines = try administration.perform(.log(of: "00000000-0000-0003-0000-000000000004"))
    #expect(lines.map { $0["device"]?.integerValue } == [7])
    #expect(lines.map { $0["topic"]?.stringValue } == ["(removed)"])
  }

  @Test
  func `a running gateway receives each change after it is stored`() throws {
    let running = try Running(folder, environment: .sandbox)
    _ = try running.administration.perform(.addTeam(id: team, name: "A"))
    _ = try running.administration.perform(.revokeDevice(number: 7))
    let changes = running.changes.withLock { $0 }
    #expect(changes.count == 3)
    guard case .putDevice(let device) = changes.dropLast().last else {
      Issue.record("no device was reported")
      return
    }
    #expect(device.number == 7 && device.revokedMilliseconds != nil)
    #expect(try running.store.devices() == [device])
  }

  @Test
  func `faults can be scripted only in the sandbox, and they are stored`() throws {
    let running = try Running(folder, environment: .sandbox)
    let rule = FaultRule(
      token: [1, 2], effect: .answer(.unregistered, timestampMilliseconds: 5, share: 0.5))
    let line = try running.administration.perform(.addFault(rule)).first
    #expect(line?["reason"] == "Unregistered")
    #expect(line.map { try? FaultRule($0) } == rule)
    #expect(running.faults.isActive)
    running.administration.store.close()
    do {
      let stopped = try stopped()
      #expect(try stopped.perform(.listFaults).first == line)
      let every = FaultRule(topic: "com.a", effect: .delay(milliseconds: 5))
      _ = try stopped.perform(.addFault(every))
      #expect(try StoredFaults(store: stopped.store).faults().faults.map(\.rule) == [rule, every])
      #expect(try stopped.perform(.clearFaults(token: nil)).count == 2)
      #expect(try stopped.perform(.listFaults).isEmpty)
    }
    let again = try Running(folder, environment: .sandbox)
    let added = try again.administration.perform(.addFault(rule)).first
    #expect(again.faults.all.map(\.rule) == [rule])
    #expect(added?["id"]?.integerValue == 3, "an id was used twice")
    let other = try again.administration.perform(.addFault(FaultRule(token: [3], effect: .close)))
    #expect(try again.administration.perform(.clearFaults(token: [3])) == other)
    #expect(again.faults.all.map(\.rule) == [rule])
    #expect(try StoredFaults(store: again.store).faults().faults.map(\.rule) == [rule])
    #expect(try again.administration.perform(.clearFaults(token: nil)).count == 1)
    #expect(!again.faults.isActive)
    again.administration.store.close()

    let production = try Running(folder, environment: .production)
    expect(.conflict) { try production.administration.perform(.addFault(rule)) }
    #expect(!production.faults.isActive)
  }

  @Test func `A fault is removed by its id, and its uses survive a restart`() throws {
    let running = try Running(folder, environment: .sandbox)
    let rule = FaultRule(effect: .close, times: 3)
    for _ in 0..<3 { _ = try running.administration.perform(.addFault(rule)) }
    let kept = StoredFaults(store: running.store)
    running.faults.onUse { [faults = running.faults] in
      try? kept.keepUses(of: faults.takeUses())
    }
    let script = running.faults.script
    let empty: [UInt8] = []
    func close() -> Bool {
      script.effects(token: empty.span, topic: empty.span, .request(1, hasSentGoAway: false)).closes
    }
    #expect((0..<4).allSatisfy { _ in close() })
    let lines = try running.administration.perform(.listFaults)
    #expect(lines.map { $0["id"]?.integerValue } == [2, 3])
    #expect(lines.map { $0["remaining"]?.integerValue } == [2, 3])
    #expect(try running.administration.perform(.removeFault(id: 3)).count == 1)
    expect(.missing) { try running.administration.perform(.removeFault(id: 1)) }
    #expect(close())
    running.administration.store.close()
    let stopped = try stopped()
    let left = try stopped.perform(.listFaults)
    #expect(left.map { $0["id"]?.integerValue } == [2])
    #expect(left.map { $0["remaining"]?.integerValue } == [1])
  }

  @Test
  func `A repeated revocation is applied again, with the time of the first`() throws {
    let store = try SQLiteControlStore(path: folder.controlStoreFile)
    defer { store.close() }
    let changes = Mutex<[ControlChange]>([])
    let clock = Mutex<Int64>(1_000)
    let administration = Administration(
      folder: folder, store: store, environment: .sandbox,
      runtime: .init(faults: FaultRegistry(), log: OneLineLog()) { new in
        changes.withLock { $0 = new }
      }, unixMilliseconds: { clock.withLock { $0 } })
    _ = try administration.perform(.addTeam(id: team, name: "A"))
    _ = try administration.perform(.addKey(.init(id: "KEYKEYKEY1", team: team)))
    _ = try administration.perform(.addTopic(.init(team: team, bundleID: "com.example.a")))
    let serial = try #require(
      try administration.perform(.addCertificate(.init(team: team, bundleID: "com.example.a")))
        .first?["serial"]?.stringValue)
    for request in [
      .revokeKey(id: "KEYKEYKEY1"), .revokeCertificate(serial: serial), .revokeDevice(number: 7),
    ] as [AdministrationRequest] {
      clock.withLock { $0 = 2_000 }
      let first = try administration.perform(request)
      let applied = changes.withLock { $0 }
      clock.withLock { $0 = 3_000 }
      changes.withLock { $0 = [] }
      #expect(try administration.perform(request) == first)
      #expect(changes.withLock { $0 } == applied)
      #expect(!applied.isEmpty)
    }
  }

  @Test
  func `the log is looked up by token and by id`() throws {
    let running = try Running(folder, environment: .sandbox)
    #expect(try running.administration.perform(.log(of: nil)).count == 1)
    #expect(try running.administration.perform(.log(of: "00FF")).isEmpty)
    let line = try running.administration.perform(
      .log(of: "00000000-0000-0001-0000-000000000002")
    ).first
    #expect(line?["state"] == "Sent")
    #expect(line?["apnsID"] == "00000000-0000-0001-0000-000000000002")
    expect(.invalid) { try running.administration.perform(.log(of: "what?")) }
  }

  private func expect(
    _ kind: AdministrationFailure.Kind, _ body: () throws -> [JSONObject],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: sourceLocation) {
      try body()
    } throws: { error in
      (error as? AdministrationFailure)?.kind == kind
    }
  }
}

private func decoded(_ base64: String) -> [UInt8] {
  let text = Array(base64.utf8)
  return Base64.decode(text.span) ?? []
}

/// The parts of a gateway that the administration uses.
final class Running: Sendable {
  let store: SQLiteControlStore
  let faults = FaultRegistry()
  let changes: Changes
  let administration: Administration

  final class Changes: Sendable {
    private let list = Mutex<[ControlChange]>([])
    func withLock<Answer: Sendable>(_ body: (inout [ControlChange]) -> Answer) -> Answer {
      list.withLock { body(&$0) }
    }
  }

  init(_ folder: GatewayFolder, environment: BelfryWire.Environment) throws {
    store = try SQLiteControlStore(path: folder.controlStoreFile)
    let changes = Changes()
    self.changes = changes
    administration = Administration(
      folder: folder, store: store, environment: environment,
      runtime: .init(faults: faults, log: OneLineLog()) { new in changes.withLock { $0 += new } })
  }
}

private struct OneLineLog: DeliveryLogSource {
  private let line = DeliveryLogLine(
    atMilliseconds: 1, state: "Sent", id: NotificationID(high: 1, low: 2),
    uniqueID: NotificationID(high: 3, low: 4), device: 5, topic: "com.example.app")

  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] {
    switch query {
    case .everything: [line]
    case .token: []
    case .notification(let id): id == line.id ? [line] : []
    }
  }

  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) -> [DeliveryLogLine] {
    _ = receive(lines(of: query))
    return []
  }
}
