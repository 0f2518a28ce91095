import BelfryWire
import Storage
import System
import TestSupport
import Testing
import Transport

@testable import Gateway

@Suite struct UpstreamAdministrationTests {
  private let scratch: ScratchFolder
  private let folder: GatewayFolder
  private let topic = "com.example.app"
  private let key: [UInt8]

  init() throws {
    scratch = try ScratchFolder()
    folder = GatewayFolder(path: scratch.file("gateway"))
    try FileSystem.makeDirectories(folder.path)
    key = try ES256PrivateKey().pkcs8PEM()
    let store = try SQLiteControlStore(path: folder.controlStoreFile)
    try store.apply([
      .putSetting(name: ControlSetting.environment, value: Array("sandbox".utf8)),
      .putTeam(TeamRecord(id: "TEAMAAAAAA", name: "A", createdMilliseconds: 1)),
      .putApp(
        AppRecord(number: 5, bundleID: topic, team: "TEAMAAAAAA", createdMilliseconds: 1)),
    ])
    store.close()
  }

  private func new() -> AdministrationRequest.NewUpstream {
    .init(topic: topic, privateKeyPEM: key, keyID: "PUBLISHER1", teamID: "PUBLISHERS")
  }

  @Test func `An upstream is listed without its key, and removed`() throws {
    let administration = try Administration(stopped: folder)
    let added = try administration.perform(.addUpstream(new()))
    let listed = try administration.perform(.listUpstreams)
    #expect(listed == added)
    #expect(listed.first?["upstream"] == "api.sandbox.push.apple.com:443")
    #expect(listed.first?["keyID"] == "PUBLISHER1" && listed.first?["environment"] == "sandbox")
    var other = new()
    (other.host, other.port, other.environment) = ("::1", 2_197, .production)
    _ = try administration.perform(.addUpstream(other))
    #expect(
      try administration.perform(.listUpstreams).map { $0["upstream"] } == ["[::1]:2197"],
      "the second upstream replaces the first one")
    _ = try administration.perform(.removeUpstream(topic: topic))
    #expect(try administration.perform(.listUpstreams).isEmpty)
    #expect(throws: AdministrationFailure.self) {
      try administration.perform(.removeUpstream(topic: topic))
    }
  }

  @Test
  func
    `The publisher's key is in no file of the folder in clear, and only the folder's key opens it`()
    throws
  {
    let administration = try Administration(stopped: folder)
    _ = try administration.perform(.addUpstream(new()))
    let record = try #require(try administration.store.upstreams().first)
    let sealer = try #require(try UpstreamSealer(in: folder))
    #expect(try sealer.open(record) == key)
    for (change, changed) in Self.changes(of: record) {
      #expect(try sealer.open(changed) == nil, "\(change) is bound to the sealed key")
    }
    let secret = try ES256PrivateKey(pkcs8PEM: key).pkcs8PEM()
    #expect(secret == key)
    let body = String(decoding: key, as: UTF8.self).split(separator: "\n").dropFirst().first ?? ""
    #expect(body.utf8.count > 40)
    for name in try FileSystem.list(folder.path) {
      let bytes = try FileSystem.readRegularFile(folder.file(name), limit: 1 << 22)
      #expect(!Self.contains(Array(body.utf8), in: bytes), "\(name) contains the publisher's key")
    }
    #expect(try FileSystem.mode(of: folder.file(UpstreamSealer.file)) & 0o777 == 0o600)
  }

  private static func changes(of record: UpstreamRecord) -> [(String, UpstreamRecord)] {
    var (app, keyID, teamID, sealed) = (record, record, record, record)
    app.app += 1
    keyID.keyID = "PUBLISHER2"
    teamID.teamID = "PUBLISHER2"
    sealed.sealedKey[sealed.sealedKey.count - 1] ^= 1
    return [("app", app), ("keyID", keyID), ("teamID", teamID), ("sealedKey", sealed)]
  }

  private static func contains(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
    guard let first = part.first, bytes.count >= part.count else { return false }
    return (0...(bytes.count - part.count)).contains { start in
      bytes[start] == first && bytes[start..<(start + part.count)].elementsEqual(part)
    }
  }

  @Test func `An unusable upstream is refused, and the error does not contain the key`() throws {
    let administration = try Administration(stopped: folder)
    func refused(
      _ kind: AdministrationFailure.Kind,
      _ change: (inout AdministrationRequest.NewUpstream) -> Void
    ) {
      var new = new()
      change(&new)
      #expect {
        try administration.perform(.addUpstream(new))
      } throws: { error in
        (error as? AdministrationFailure)?.kind == kind && !"\(error)".contains("SECRET")
      }
    }
    refused(.missing) { $0.topic = "com.example.other" }
    refused(.invalid) { $0.privateKeyPEM = Array("SECRET".utf8) }
    refused(.invalid) { $0.keyID = "short" }
    refused(.invalid) { $0.teamID = "short" }
    refused(.invalid) { $0.host = "a b" }
    refused(.invalid) { ($0.host, $0.port) = ("a", 0) }
    refused(.invalid) { $0.authorityPEM = Array("x".utf8) }
    refused(.invalid) { ($0.host, $0.authorityPEM) = ("a", Array("x".utf8)) }
    #expect(try administration.perform(.listUpstreams).isEmpty)
  }

  @Test func `A key is listed with its budget, and with the number of pushes used today`() throws {
    let administration = try Administration(stopped: folder)
    let id = "KEY0000001"
    let added = try administration.perform(
      .addKey(.init(id: id, team: "", topics: [topic], perDay: 9, perSecond: 4)))
    #expect(added.first?["perDay"] == 9 && added.first?["perSecond"] == 4)
    #expect(added.first?["usedToday"] == 0)
    let today = SystemClock.unixMilliseconds / 86_400_000
    try administration.store.apply([.addUse(key: id, day: today, count: 2)])
    #expect(try administration.perform(.listKeys).map { $0["usedToday"] } == [2])
    for limit in [Int64(0), -1] {
      #expect(throws: AdministrationFailure.self) {
        try administration.perform(.addKey(.init(team: "", perDay: limit)))
      }
    }
    #expect(throws: AdministrationFailure.self) {
      try administration.perform(.addKey(.init(team: "", perSecond: 0)))
    }
    #expect(try administration.store.keys().count == 1, "a refused key is not stored")
  }

  @Test func `A backup contains the key of the upstreams only on request`() throws {
    do {
      let administration = try Administration(stopped: folder)
      _ = try administration.perform(.addUpstream(new()))
    }
    let authority = try CertificateAuthority.forTests()
    try folder.write(authority.certificatePEM, "ca.pem")
    try folder.write(authority.privateKeyPEM, "ca-key.pem")
    try folder.write([1], "manifest")
    _ = try folder.tokenKeys()
    try SQLiteNotificationStore(path: folder.notificationStoreFile).close()
    for includesKey in [false, true] {
      let file = scratch.file("backup-\(includesKey).tar")
      _ = try FolderBackup.make(
        of: folder, to: file, release: "test", nowMilliseconds: 1, withUpstreamKeys: includesKey)
      let restored = GatewayFolder(path: scratch.file("restored-\(includesKey)"))
      _ = try FolderBackup.restore(file, into: restored, nowMilliseconds: 2)
      #expect((try UpstreamSealer(in: restored) != nil) == includesKey)
    }
  }
}
