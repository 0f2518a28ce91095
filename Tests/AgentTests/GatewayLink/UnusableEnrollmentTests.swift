import PushWire
import System
import TestSupport
import Testing
import Transport

@testable import Agent

/// Tests of a gateway that enrolls a device with an unusable certificate.
@Suite struct UnusableEnrollmentTests {
  enum Forgery: String, CaseIterable {
    case garbage, empty, otherKey, otherNumber, otherAuthority, expired, notYetValid

    func chain(
      _ gateway: LinkGateway, _ enrollment: LinkFrame.Enrollment, _ device: UInt64
    ) throws -> [UInt8] {
      let authority = gateway.authority
      let now = SystemClock.unixMilliseconds / 1_000
      func chain(
        _ authority: CertificateAuthority, key: [UInt8]? = nil, name: UInt64? = nil,
        valid range: ClosedRange<Int64>? = nil
      ) throws -> [UInt8] {
        let issued = try authority.issueClient(
          publicKeySPKI: key ?? enrollment.publicKey, commonName: "\(name ?? device)",
          organizationalUnit: CertificateAuthority.deviceUnit,
          notBefore: range?.lowerBound ?? authority.certificate.notBefore,
          notAfter: range?.upperBound ?? authority.certificate.notAfter)
        return try issued.pem() + authority.certificatePEM
      }
      switch self {
      case .garbage: return Array("-----BEGIN CERTIFICATE-----\nAAAA".utf8)
      case .empty: return []
      case .otherKey: return try chain(authority, key: ES256PrivateKey().publicKey.spkiDER)
      case .otherNumber: return try chain(authority, name: device + 1)
      case .otherAuthority:
        return try chain(
          CertificateAuthority.make(
            commonName: "Another",
            nameConstraints: CertificateAuthority.NameConstraints(hostNames: ["localhost"]),
            now: now))
      case .expired: return try chain(authority, valid: now - 7_200...now - 60)
      case .notYetValid: return try chain(authority, valid: now + 600...now + 86_400)
      }
    }
  }

  @Test(arguments: Forgery.allCases)
  func `a certificate that cannot be used is discarded at once, and the device enrolls again`(
    _ forgery: Forgery
  ) throws {
    let scenario = try LinkScenario()
    let gateway = scenario.gateway
    gateway.forgeChain = { enrollment, device in
      device > 2 ? nil : try? forgery.chain(gateway, enrollment, device)
    }
    scenario.link.goOnline()
    #expect(try scenario.run { scenario.link.isUp })
    #expect(gateway.enrolled == 3)
    #expect(scenario.device.unusable.count == 2)
    #expect(scenario.device.downs.count == 2)
    #expect(
      scenario.device.downs.allSatisfy { $0.contains("a certificate that the device cannot use") },
      "\(scenario.device.downs)")
    #expect(scenario.device.identity?.device == 3)
    scenario.link.goOffline()
  }
}
