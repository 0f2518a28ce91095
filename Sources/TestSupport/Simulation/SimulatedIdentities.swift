import BelfryWire
import Gateway
import Storage
import Synchronization
import Transport

/// The keys and certificates that all simulated worlds use.
///
/// The seed does not determine these values. All worlds in a process share them, because creating them takes time.
/// Everything that is sent over a connection has the same length in every process, so that the course of a world does
/// not depend on these values.
final class SimulatedIdentities: Sendable {
  /// The time at which the certificates were issued, in seconds since 1970.
  ///
  /// The time is before the virtual clock starts.
  static let issuedSeconds: Int64 = 1_699_000_000
  static let team = "SIMULATED0"
  static let keyID = "SIMULATED1"
  static let enrollmentCode = "CODE"
  /// The IDs of the provider keys that are revoked in a cluster.
  static let revocableKeyIDs = ["SIMULATED2", "SIMULATED3", "SIMULATED4"]
  static let tokenKey = [UInt8](repeating: 7, count: 32)

  /// The issuer of the devices' certificates.
  let issuer: SimulatedIssuer
  let providerKey: ES256PrivateKey
  /// The certificate for the topic of the first app.
  let providerCertificate: PeerCertificate
  /// The keys of imitated devices.
  let deviceKeys: [ES256PrivateKey]
  /// The keys of devices with the real agent, which change if an agent loses its identity.
  let agentKeys: [ES256PrivateKey]

  /// The provider tokens by key, and by time of issue in seconds since 1970.
  private let tokens = Mutex<[String: [Int64: String]]>([:])

  static let shared: Result<SimulatedIdentities, any Error> = Result { try SimulatedIdentities() }

  init() throws {
    var authority: CertificateAuthority
    repeat {
      authority = try CertificateAuthority.make(
        commonName: "Belfry simulated authority",
        nameConstraints: .init(hostNames: ["localhost"]),
        now: Self.issuedSeconds)
    } while !SimulatedIssuer.endsWithUsualSignature(authority.certificate.der)
    issuer = SimulatedIssuer(authority)
    providerKey = try ES256PrivateKey()
    providerCertificate = try authority.issueProvider(
      bundleID: "com.example.app1", environment: .both, form: .universal, now: Self.issuedSeconds
    ).certificate
    deviceKeys = try (0..<8).map { _ in try ES256PrivateKey() }
    agentKeys = try (0..<12).map { _ in try ES256PrivateKey() }
  }

  /// Returns a provider token issued at the given time, in seconds since 1970.
  func providerToken(atSeconds now: Int64, keyID: String = SimulatedIdentities.keyID) -> String {
    if let known = tokens.withLock({ $0[keyID]?[now] }) { return known }
    let made = makeToken(atSeconds: now, keyID)
    tokens.withLock { tokens in
      if tokens[keyID, default: [:]].count >= 4_096 { tokens.removeAll() }
      tokens[keyID, default: [:]][now] = made
    }
    return made
  }

  /// The records of the provider keys that are revoked in a cluster.
  var revocableKeys: [ControlChange] {
    Self.revocableKeyIDs.map { id in
      .putKey(
        KeyRecord(
          id: id, team: Self.team, publicKeySPKI: providerKey.publicKey.spkiDER,
          createdMilliseconds: 0))
    }
  }

  private func makeToken(atSeconds now: Int64, _ keyID: String) -> String {
    let header = Base64.encode(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8), url: true)
    let claims = Base64.encode(Array(#"{"iss":"\#(Self.team)","iat":\#(now)}"#.utf8), url: true)
    let signed = "\(header).\(claims)"
    let rest = HuffmanLength.bits("bearer \(signed).")
    let bytes = (rest + HuffmanLength.signatureBits + 7) / 8
    while true {
      guard let signature = try? providerKey.sign(Array(signed.utf8)) else {
        preconditionFailure("signing the token failed")
      }
      let text = Base64.encode(signature, url: true)
      // HTTP/2 compresses the token, so a token with a different signature can have a different length.
      if (rest + HuffmanLength.bits(text) + 7) / 8 == bytes { return "\(signed).\(text)" }
    }
  }

  /// Returns the initial content of a world's control store.
  func firstChanges(apps: Int) -> [ControlChange] {
    var changes: [ControlChange] = [
      .putTeam(TeamRecord(id: Self.team, name: "", createdMilliseconds: 0)),
      .putKey(
        KeyRecord(
          id: Self.keyID, team: Self.team, publicKeySPKI: providerKey.publicKey.spkiDER,
          createdMilliseconds: 0)),
      .putCertificate(
        CertificateRecord(
          serial: providerCertificate.serial, team: Self.team, bundleID: "com.example.app1",
          environments: .both, isUniversal: true, notAfter: providerCertificate.notAfter,
          createdMilliseconds: 0)),
      .putSetting(name: ControlSetting.enrollmentCode, value: Array(Self.enrollmentCode.utf8)),
      .putSetting(name: ControlSetting.environment, value: Array("sandbox".utf8)),
    ]
    // The number of notifications that are stored varies by app. The fourth app is created when a device registers it.
    for (index, keep) in [1, 3, UInt32.max].prefix(apps).enumerated() {
      changes.append(
        .putApp(
          AppRecord(
            number: UInt32(index + 1), bundleID: "com.example.app\(index + 1)", team: Self.team,
            keep: keep, hasBroadcast: index == 0, createdMilliseconds: 0)))
    }
    return changes
  }
}
