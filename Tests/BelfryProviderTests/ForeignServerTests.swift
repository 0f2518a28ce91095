import BelfryWire
import Foundation
import Glibc
import System
import TestSupport
import Testing
import Transport

@testable import BelfryProvider

/// Tests with nghttpd from Debian.
///
/// nghttpd is an independent HTTP/2 server that serves files and doesn't implement APNs.
@Suite(.timeLimit(.minutes(60))) struct ForeignServerTests {
  private static let known = 200
  private static let unknown = 50

  @Test(.requires(.nghttpd), arguments: [1, 3])
  func `every push to a server of others has its own answer`(connections: Int) async throws {
    try await Scenario.run { scenario in
      let now = SystemClock.unixMilliseconds / 1_000
      let authority = try CertificateAuthority.make(
        commonName: "A test's authority", nameConstraints: .init(hostNames: ["localhost"]), now: now
      )
      let identity = try authority.issueServer(names: ["localhost"], addresses: [], now: now)
      let (key, chain) = (scenario.folder.file("key.pem"), scenario.folder.file("chain.pem"))
      try Data(identity.privateKeyPEM).write(to: URL(fileURLWithPath: key))
      try Data(identity.certificateChainPEM).write(to: URL(fileURLWithPath: chain))
      let tokens = (0..<Self.known + Self.unknown).map { Hexadecimal.encode([0xA0, UInt8($0)]) }
      let root = scenario.folder.file("root")
      let folder = "\(root)/3/device"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      for token in tokens.prefix(Self.known) {
        try Data().write(to: URL(fileURLWithPath: "\(folder)/\(token)"))
      }
      let port = UInt16(ReservedPorts.next())
      let server = try RunningProgram(
        [
          TestTool.nghttpd.required(), "-a", "127.0.0.1", "-d", root, "-v", "-m", "7", "\(port)",
          key,
          chain,
        ], errorsFile: scenario.folder.file("errors"))
      let client = try ProviderClient(
        .init(
          endpoint: ProviderEndpoint(host: "localhost", port: port),
          credentials: .token(ProviderKey.sample()),
          authorityPEM: authority.certificatePEM, connections: connections))
      try await Scenario.wait("nghttpd to listen") {
        server.lines.contains { $0.contains("listen 127.0.0.1:\(port)") }
      }
      let pushes = AsyncStream<Push> { continuation in
        for token in tokens {
          if let push = try? Push(
            .alert(AlertContent(body: "b")), to: token, app: "com.example.app")
          {
            continuation.yield(push)
          }
        }
        continuation.finish()
      }
      var statuses: [String: Int] = [:]
      for try await one in client.send(pushes) {
        switch try one.result.get() {
        case .accepted(let receipt):
          #expect(receipt.id.isEmpty, "the answer has no apns-id")
          statuses[one.push.deviceToken] = 200
        case .rejected(let rejection):
          statuses[one.push.deviceToken] = rejection.status
          #expect(rejection.reason.isEmpty, "a web page is not a reason: \(rejection.reason)")
        }
      }
      for (index, token) in tokens.enumerated() {
        #expect(statuses[token] == (index < Self.known ? 200 : 404))
      }
      client.close()
      server.signal(SIGTERM)
    }
  }
}
