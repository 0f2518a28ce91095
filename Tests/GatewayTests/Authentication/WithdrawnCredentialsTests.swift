import Storage
import Testing
import Transport

@testable import Gateway

@Suite struct WithdrawnCredentialsTests {
  private let directory: CredentialDirectory

  init() throws {
    let publicKey = try ES256PrivateKey().publicKey
    let keys = [("KEY1", "TEAM1"), ("KEY2", "TEAM1"), ("KEY3", "TEAM2")].map { id, team in
      ProviderVerificationKey(
        id: id, teamID: team, publicKey: publicKey, environments: [.sandbox], bundleIDs: nil,
        relatedKeyID: nil)
    }
    let apps = [(1, "one", "TEAM1"), (2, "two", "TEAM1"), (3, "three", "TEAM2")].map {
      App(number: $0, bundleID: Array($1.utf8), teamID: $2)
    }
    directory = CredentialDirectory(
      version: 1, keys: keys, apps: apps, certificateTeams: ["AA": "TEAM1", "BB": "TEAM2"]
    ).adding(App(number: 4, bundleID: Array("four".utf8), teamID: "TEAM1"), version: 2)
  }

  private func key(_ id: String, revoked: Int64?) -> ControlChange {
    .putKey(
      KeyRecord(
        id: id, team: "TEAM1", publicKeySPKI: [], createdMilliseconds: 0,
        revokedMilliseconds: revoked))
  }

  private func known(_ directory: CredentialDirectory) -> [UInt32] {
    (1...4).filter { number in
      let app = directory.app(number: number)
      let byName = app.flatMap { app in
        let bundleID = app.bundleID
        return directory.app(bundleID: bundleID.span)
      }
      return byName?.number == number
    }
  }

  @Test func `a revoked key is withdrawn, and an added key is not added`() {
    let changed = directory.withoutRevoked(
      [key("KEY1", revoked: 5), key("KEY2", revoked: nil), key("KEY9", revoked: nil)], version: 3)
    #expect(changed.key("KEY1") == nil)
    #expect(changed.key("KEY2") != nil && changed.key("KEY3") != nil && changed.key("KEY9") == nil)
    #expect(changed.credentialsVersion == 3, "verified tokens are verified again")
    #expect(known(changed) == [1, 2, 3, 4])
  }

  @Test func `a revoked certificate is withdrawn`() {
    let record = CertificateRecord(
      serial: "AA", team: "TEAM1", bundleID: "one", environments: .both, isUniversal: false,
      notAfter: 1, createdMilliseconds: 0, revokedMilliseconds: 5)
    let changed = directory.withoutRevoked([.putCertificate(record)], version: 3)
    #expect(changed.isRevoked(certificateSerial: "AA"))
    #expect(!changed.isRevoked(certificateSerial: "BB"))
  }

  @Test func `removed apps, and everything of a removed team, are withdrawn`() {
    let withoutApps = directory.withoutRevoked(
      [.removeApp(number: 2), .removeApp(number: 4)], version: 3)
    #expect(known(withoutApps) == [1, 3] && withoutApps.key("KEY1") != nil)
    let withoutTeam = directory.withoutRevoked([.removeTeam(id: "TEAM1")], version: 3)
    #expect(known(withoutTeam) == [3])
    #expect(withoutTeam.key("KEY1") == nil && withoutTeam.key("KEY3") != nil)
    #expect(withoutTeam.team(certificateSerial: "AA") == nil)
    #expect(withoutTeam.team(certificateSerial: "BB") == "TEAM2")
  }
}
