import PushWire
import Gateway
import System
import Testing
import Transport

@testable import TestSupport

/// Tests of a connected device that requests another certificate from the gateway.
@Suite struct RenewalTests {
  /// Returns a device that sends raw bytes and has a certificate for `key` and the device number `number`.
  private func client(
    _ harness: GatewayHarness, _ number: UInt64, _ key: ES256PrivateKey
  ) throws -> RawClient {
    let certificate = try harness.world.identities.issuer.issueDevice(
      publicKeySPKI: key.publicKey.spkiDER, device: "\(number)",
      now: SimulatedIdentities.issuedSeconds, days: 30)
    let client = RawClient(
      harness, port: harness.world.ports.device,
      as: StreamIdentity(
        certificate: certificate, negotiatedProtocol: LinkLimits.applicationProtocol))
    let hello = LinkFrame.hello(.init(state: [], window: 8, renews: true))
    client.send(hello.encoded + LinkFrame.connect.encoded + LinkFrame.ready.encoded)
    harness.pass(milliseconds: 500)
    return client
  }

  private func frames(_ client: RawClient) throws -> [LinkFrame] {
    var splitter = LinkFrameSplitter(bodyBytesMax: LinkLimits.gatewayBodyBytesMax)
    var frames: [LinkFrame] = []
    try client.received.withUnsafeBytes { raw in
      var input = raw
      while let frame = try splitter.next(&input) {
        if let decoded = try LinkFrame(type: frame.type, body: frame.body) {
          frames.append(decoded)
        }
      }
    }
    return frames
  }

  private func ask(
    _ client: RawClient, _ harness: GatewayHarness, _ key: ES256PrivateKey
  ) throws -> LinkFrame? {
    client.send(LinkFrame.renew(publicKey: key.publicKey.spkiDER).encoded)
    harness.pass(milliseconds: 500)
    return try frames(client).last
  }

  private func key(of device: SimulatedDevice, in harness: GatewayHarness) -> ES256PrivateKey {
    let keys = harness.world.identities.deviceKeys
    return keys[device.index % keys.count]
  }

  @Test func `a device gets another certificate for its key, and the next one not at once`() throws
  {
    let harness = try GatewayHarness()
    let device = harness.device()
    let key = key(of: device, in: harness)
    device.goOffline()
    let client = try client(harness, device.number, key)
    let issuer = harness.world.identities.issuer
    #expect(try frames(client).contains(.trust(mark: issuer.trustMark)))
    guard case .renewed(let renewed)? = try ask(client, harness, key) else {
      Issue.record("no certificate was issued")
      return
    }
    let certificate = try Certificate(der: renewed.certificate)
    #expect(certificate.publicKeySPKI == key.publicKey.spkiDER)
    #expect(certificate.commonName == "\(device.number)")
    #expect(renewed.authorities == issuer.trustedCertificates.map(\.der))
    let rows = try harness.world.gateway.controlStore.deviceCertificates()
    #expect(rows.contains { $0.serial == certificate.serial && $0.device == device.number })

    guard case .renewalRefused(.tooMany, let seconds)? = try ask(client, harness, key) else {
      Issue.record("a second certificate was issued immediately")
      return
    }
    #expect(seconds >= 60)
    harness.pass(milliseconds: 31_000)
    guard case .renewed? = try ask(client, harness, key) else {
      Issue.record("no certificate was issued after the pause")
      return
    }
    #expect(try harness.world.gateway.controlStore.deviceCertificates().count <= 2)
    #expect(harness.violation == nil)
  }

  @Test func `a renewal with another key is refused, and a revoked device is disconnected`() throws
  {
    let harness = try GatewayHarness()
    let device = harness.device()
    let key = key(of: device, in: harness)
    device.goOffline()
    let client = try client(harness, device.number, key)
    #expect(
      try ask(client, harness, ES256PrivateKey())
        == .renewalRefused(.badKey, afterSeconds: LinkLimits.renewalWaitSecondsMax))
    harness.pass(milliseconds: 31_000)
    device.revoke()
    _ = try harness.world.gateway.administer(.revokeDevice(number: device.number))
    let last = try ask(client, harness, key)
    #expect(last == .close(LinkFault(.revoked)))
    #expect(harness.violation == nil)
  }

  @Test func `a store that takes no row gives no certificate`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    let key = key(of: device, in: harness)
    device.goOffline()
    let client = try client(harness, device.number, key)
    harness.pass(milliseconds: 3_000)
    harness.world.gateway.controlStore.failingChanges = 1
    guard case .renewalRefused(.tryLater, _)? = try ask(client, harness, key) else {
      Issue.record("a certificate was issued but not stored")
      return
    }
    #expect(harness.violation == nil)
  }
}
