import BelfryWire
import Foundation
import System
import TestSupport
import Testing
import Transport

@testable import BelfryProvider

private func push(_ token: String = "00ff") -> Push {
  Push(to: token, topic: "com.example.app", payload: Array(#"{"aps":{"alert":"A"}}"#.utf8))
}

@Suite(.timeLimit(.minutes(60))) struct ProviderClientTests {
  @Test func `an accepted push is a value with its identities`() async throws {
    let service = try FakeService { _, _ in .accept }
    let client = try service.client()
    var one = push()
    one.id = "123e4567-e89b-12d3-a456-4266554400a0"
    let outcome = try await client.send(one)
    #expect(
      outcome
        == .accepted(
          .init(
            id: "123e4567-e89b-12d3-a456-4266554400a0",
            uniqueID: "U-123e4567-e89b-12d3-a456-4266554400a0")))
    let request = try #require(service.requests.first)
    #expect(request.fields[":authority"] == "localhost:\(service.port)")
    #expect(request.fields["authorization"]?.hasPrefix("bearer ey") == true)
    #expect(request.body == one.payload)
  }

  @Test func `a refused push is a value too`() async throws {
    let service = try FakeService { _, _ in .refuse(status: 400, reason: "BadDeviceToken") }
    let outcome = try await service.client().send(push())
    guard case .rejected(let refusal) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(refusal.rejection == .badDeviceToken)
    #expect(refusal.tokenVerdict == .doubtful)
  }

  @Test func `a thousand pushes at once share one connection of one stream at first`() async throws
  {
    let service = try FakeService { _, _ in .accept }
    var policy = RetryPolicy()
    policy.timeoutNanoseconds = TestTimeout.standardNanoseconds
    let client = try service.client(policy: policy)
    let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          if case .accepted = try await client.send(push(String(number))) { true } else { false }
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(accepted == 1_000)
    // If the machine stalls for fifteen seconds, the client replaces the connection, but never opens a second
    // one beside it.
    let connections = service.requests.map(\.connection)
    #expect(zip(connections, connections.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(Set(service.requests.map(\.token)).count == 1_000)
    #expect(Set(service.requests.compactMap { $0.fields["authorization"] }).count == 1)
  }

  @Test func `a push without an identity gets one that it keeps when sent again`() async throws {
    let service = try FakeService { _, index in index == 0 ? .cut : .accept }
    let outcome = try await service.client().send(push())
    guard case .accepted(let receipt) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(service.requests.map { $0.fields["apns-id"] } == [receipt.id, receipt.id])
    #expect(service.requests.map(\.connection) == [1, 2])
    #expect(receipt.id == receipt.id.lowercased())
    #expect(UUID(uuidString: receipt.id) != nil)
  }

  @Test func `a going service is left for another connection`() async throws {
    let service = try FakeService { request, _ in
      request.connection == 1 && request.token == "02" ? .goAwayUnprocessed : .accept
    }
    let client = try service.client()
    _ = try await client.send(push("01"))
    let outcome = try await client.send(push("02"))
    #expect(outcome != .accepted(.init(id: "", uniqueID: nil)))
    #expect(service.requests.map(\.token) == ["01", "02", "02"])
    #expect(service.requests.map(\.connection) == [1, 1, 2])
  }

  @Test func `an expired provider token is renewed on another connection`() async throws {
    let service = try FakeService { _, index in
      index == 0 ? .refuse(status: 403, reason: "ExpiredProviderToken") : .accept
    }
    let outcome = try await service.client().send(push())
    guard case .accepted = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(service.requests.map(\.connection) == [1, 2])
    let tokens = service.requests.compactMap { $0.fields["authorization"] }
    #expect(tokens.count == 2 && tokens[0] != tokens[1])
  }

  @Test func `a refused stream is sent again on the same connection`() async throws {
    let service = try FakeService { _, index in
      index == 0 ? .reset(HTTP2ErrorCode.refusedStream) : .accept
    }
    _ = try await service.client().send(push())
    #expect(service.requests.map(\.connection) == [1, 1])
  }

  @Test func `an unreachable service causes an error that names its endpoint`() async throws {
    let listener = try Socket.listen(on: .loopback(port: 0))
    let gone = try #require(Socket.localAddress(listener)).port
    Socket.close(listener)
    let key = try ProviderKey.sample()
    let client = try ProviderClient(
      .init(
        endpoint: ProviderEndpoint(host: "localhost", port: gone), credentials: .token(key)))
    let failure = await #expect(throws: ProviderFailure.self) { try await client.send(push()) }
    guard case .unreachable(let endpoint, _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(endpoint == "localhost:\(gone)")
    let description = failure?.description ?? ""
    let advice = "; check the address, and that the gateway is running"
    #expect(description.hasSuffix(advice), "\(description)")
  }

  @Test func `an authority that did not sign the service is not trusted`() async throws {
    let service = try FakeService { _, _ in .accept }
    let other = try FakeService { _, _ in .accept }
    let key = try ProviderKey.sample()
    let client = try ProviderClient(
      .init(
        endpoint: ProviderEndpoint(host: "localhost", port: service.port),
        credentials: .token(key), authorityPEM: other.authorityPEM))
    let failure = await #expect(throws: ProviderFailure.self) { try await client.send(push()) }
    guard case .unreachable(_, let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason.contains("TLS"))
    let description = failure?.description ?? ""
    #expect(description.hasSuffix("; check the address and the CA"), "\(description)")
    #expect(service.requests.isEmpty)
  }

  @Test func `a failure at a port with another protocol has one remedy and no TLS terms`() {
    let failure = ProviderFailure.unreachable(
      endpoint: "localhost:2195",
      reason: "TLS failed: the peer has no common application protocol (ALPN): check the port")
    #expect(
      failure.description
        == "cannot connect to localhost:2195: the port does not accept pushes; check the port")
  }

  @Test func `a certificate is shown and no token sent`() async throws {
    let authority = try CertificateAuthority.make(
      commonName: "Senders",
      nameConstraints: .init(
        hostNames: ["localhost"]),
      now: Int64(Date.now.timeIntervalSince1970))
    let key = try ES256PrivateKey()
    let now = Int64(Date.now.timeIntervalSince1970)
    let certificate = try authority.issueClient(
      publicKeySPKI: key.publicKey.spkiDER, commonName: "Sender", uid: "com.example.app",
      notBefore: now - 60, notAfter: now + 3_600)
    let service = try FakeService(clientAuthority: authority) { _, _ in .accept }
    let client = try service.client(

      credentials: .certificate(
        chainPEM: certificate.pem(), privateKeyPEM: key.pkcs8PEM()))
    _ = try await client.send(push())
    #expect(service.requests.first?.fields["authorization"] == nil)
    #expect(service.requests.count == 1)
  }

  @Test func `a refused client certificate causes an error that asks for a valid one`()
    async throws
  {
    let now = Int64(Date.now.timeIntervalSince1970)
    let (accepted, other) = try (
      CertificateAuthority.make(
        commonName: "Senders", nameConstraints: .init(hostNames: ["localhost"]), now: now),
      CertificateAuthority.make(
        commonName: "Others", nameConstraints: .init(hostNames: ["localhost"]), now: now)
    )
    let key = try ES256PrivateKey()
    let certificate = try other.issueClient(
      publicKeySPKI: key.publicKey.spkiDER, commonName: "Sender", uid: "com.example.app",
      notBefore: now - 60, notAfter: now + 3_600)
    let service = try FakeService(clientAuthority: accepted) { _, _ in .accept }
    let client = try service.client(
      credentials: .certificate(
        chainPEM: certificate.pem(), privateKeyPEM: key.pkcs8PEM()))
    let failure = await #expect(throws: ProviderFailure.self) { try await client.send(push()) }
    let description = failure?.description ?? ""
    #expect(
      description.hasSuffix(
        "; use a valid client certificate, which 'belfry certificate add' creates"),
      "\(description)")
    #expect(service.requests.isEmpty)
  }

  @Test(arguments: ["revoked", "expired", "of an unknown CA"])
  func `Apple's service gets no advice to use a gateway's certificate`(problem: String) {
    let failure = ProviderFailure.unreachable(
      endpoint: "api.push.apple.com:443",
      reason: "not connected: TLS failed: the peer reported: certificate \(problem)")
    #expect(
      failure.description
        == "cannot connect to api.push.apple.com:443: TLS failed: the peer reported: certificate "
        + "\(problem); use a valid client certificate")
  }

  @Test func `a silent service is not awaited longer than the policy says`() async throws {
    let service = try FakeService { _, _ in .silence }
    let client = try service.client(policy: RetryPolicy(timeoutNanoseconds: 200_000_000))
    await #expect(throws: ProviderFailure.timedOut(seconds: 0)) { try await client.send(push()) }
  }

  @Test func `a refusal is the outcome if the time ends before the push is sent again`()
    async throws
  {
    let service = try FakeService { _, _ in .refuse(status: 429, reason: "TooManyRequests") }
    // The pauses become longer, so that the time limit expires during a pause.
    let client = try service.client(
      policy: RetryPolicy(attemptsMax: 100, timeoutNanoseconds: 5_000_000_000))
    guard case .rejected(let refusal) = try await client.send(push()) else {
      Issue.record("the push was accepted")
      return
    }
    #expect(refusal.status == 429 && refusal.rejection == .tooManyRequests)
  }

  @Test func `a push whose stream is refused is sent at most as often as the policy says`()
    async throws
  {
    let service = try FakeService { _, _ in .reset(HTTP2ErrorCode.refusedStream) }
    let client = try service.client(
      policy: RetryPolicy(attemptsMax: 3, longestPauseNanoseconds: 1_000_000))
    let failure = await #expect(throws: ProviderFailure.self) { try await client.send(push()) }
    #expect(failure?.description.contains("(REFUSED_STREAM)") == true)
    #expect(service.requests.count == 3)
  }

  @Test func `a cancelled task fails at once`() async throws {
    let service = try FakeService { _, _ in .silence }
    // The time limit must not end before this test on a busy machine.
    let client = try service.client(policy: RetryPolicy(timeoutNanoseconds: .max / 2))
    let task = Task { try await client.send(push()) }
    while service.requests.isEmpty { await Task.yield() }
    task.cancel()
    let result = await task.result
    #expect(throws: ProviderFailure.cancelled) { try result.get() }
  }

  @Test func `closing the client fails waiting requests and later ones`() async throws {
    let service = try FakeService { _, _ in .silence }
    // The time limit must not end before this test on a busy machine.
    let client = try service.client(policy: RetryPolicy(timeoutNanoseconds: .max / 2))
    let task = Task { try await client.send(push()) }
    while service.requests.isEmpty { await Task.yield() }
    client.close()
    let result = await task.result
    #expect(throws: ProviderFailure.closed) { try result.get() }
    await #expect(throws: ProviderFailure.closed) { try await client.send(push()) }
  }
}
