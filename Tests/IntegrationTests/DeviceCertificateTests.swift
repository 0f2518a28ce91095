import Foundation
import TestSupport
import Testing
import Transport

/// Support for an independent implementation of a device: `Tests/Clients/link-client`, which was written only from
/// docs/device-link.md.
extension Scenario {
  func linkClient(_ gateway: GatewayProgram, _ words: [String]) throws -> RunningProgram {
    try start(
      [
        TestTool.python.required(), Installation.root + "/Tests/Clients/link-client",
        gateway.host, String(gateway.port("device")), gateway.caFile,
      ] + words, name: "link-client")
  }

  /// Enrolls a device at `gateway`; returns the device's number and the file that contains its identity.
  func enrolled(_ gateway: GatewayProgram, _ name: String) async throws -> (
    device: JSONLine, file: String
  ) {
    let file = folder.file(name + ".pem")
    let client = try linkClient(gateway, ["enroll", gateway.enrollmentCode, file])
    let line = try await client.event("enrolled")
    return (line["device"], file)
  }

  /// Attempts to enroll the key in `file`, or a new key, with this code, and returns the reason for the refusal.
  func refusedEnrollment(
    _ gateway: GatewayProgram, _ file: String, code: String
  ) async throws -> Int? {
    let client = try linkClient(gateway, ["enroll", code, file])
    return try await client.event("refused")["reason"].integer
  }
}

@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct DeviceCertificateTests {
  @Test func `a device built only from the specification gets its pushes`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let identity = try await scenario.enrolled(gateway, "device")
      let device = try scenario.linkClient(gateway, ["run", identity.file, "com.example.app"])
      let token = try #require(try await device.event("registered")["token"].string)
      let answer = try await scenario.push("to the other make", to: token, through: gateway)
      #expect(answer["status"].integer == 200)
      let received = try await device.event("received")
      #expect(received["payload"].string?.contains("to the other make") == true)
    }
  }

  @Test func `a wrong enrollment code enrolls no device`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let client = try scenario.linkClient(
        gateway, ["enroll", "wrong-code", scenario.folder.file("nobody.pem")])
      let status = try await client.end()
      #expect(status != 0 || !client.lines.contains { $0.contains("enrolled") })
    }
  }

  @Test func `a certificate of another gateway is refused in the handshake`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let other = try await scenario.gateway("other")
      let foreign = try await scenario.enrolled(other, "foreign")
      let client = try scenario.linkClient(gateway, ["connect", foreign.file])
      let ended = try await client.event("ended")
      #expect(ended["reason"].string?.lowercased().contains("unknown") == true, "\(ended)")
    }
  }

  @Test func `an expired certificate is refused in the handshake`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let identity = try await scenario.enrolled(gateway, "device")
      let file = try expired(identity.file, by: gateway)
      let client = try scenario.linkClient(gateway, ["connect", file])
      let ended = try await client.event("ended")
      #expect(ended["reason"].string?.lowercased().contains("expired") == true, "\(ended)")
    }
  }

  @Test func `a revoked device is closed and its tokens are unregistered`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let identity = try await scenario.enrolled(gateway, "device")
      let device = try scenario.linkClient(gateway, ["run", identity.file, "com.example.app"])
      let token = try #require(try await device.event("registered")["token"].string)
      let number = try #require(identity.device.integer)
      _ = try await scenario.belfryCommand([
        "device", "revoke", String(number), "--data", gateway.data,
      ])
      // On both the open link and the next one, the reason is 11, which means "revoked" (docs/device-link.md section
      // 5).
      #expect(try await device.event("ended")["reason"].integer == 11)
      let again = try scenario.linkClient(gateway, ["connect", identity.file])
      #expect(try await again.event("ended")["reason"].integer == 11)
      let answer = try await scenario.push("too late", to: token, through: gateway)
      #expect(answer["reason"].string == "Unregistered")
      #expect(answer["timestamp"].integer != nil)
    }
  }

  /// Returns the device's certificate, reissued with last year's dates.
  private func expired(_ identity: String, by gateway: GatewayProgram) throws -> String {
    let folder = gateway.data
    let pem = try Data(contentsOf: URL(fileURLWithPath: identity))
    let authority = try CertificateAuthority.load(
      certificatePEM: Array(Data(contentsOf: URL(fileURLWithPath: gateway.caFile))),
      privateKeyPEM: Array(Data(contentsOf: URL(fileURLWithPath: folder + "/ca-key.pem"))))
    let certificate = try Certificate(pem: Array(pem))
    let now = Int64(Date.now.timeIntervalSince1970)
    let old = try authority.issueClient(
      publicKeySPKI: certificate.publicKeySPKI, commonName: certificate.commonName,
      uid: certificate.uid, organizationalUnit: certificate.organizationalUnit,
      notBefore: now - 31_536_000, notAfter: now - 86_400)
    let text = String(decoding: pem, as: UTF8.self)
    let key = text.components(separatedBy: "-----END PRIVATE KEY-----")[0]
    let file = identity + ".expired"
    let all = key + "-----END PRIVATE KEY-----\n" + String(decoding: try old.pem(), as: UTF8.self)
    try Data(all.utf8).write(to: URL(fileURLWithPath: file))
    return file
  }
}
