import BelfryWire
import System
import TestSupport
import Testing
import Transport
import WebPush

@testable import BelfryProvider

/// An app with a subscription at a fake service.
private struct App {
  let keys: WebPushSubscriptionKeys
  let subscription: WebPushSubscription

  init(at service: FakeService) throws {
    keys = try WebPushSubscriptionKeys()
    subscription = try WebPushSubscription(
      endpoint: "https://localhost:\(service.port)/push/A?b=c", p256dh: keys.pointText,
      auth: keys.authText)
  }
}

extension FakeService {
  fileprivate static let created = Reply.answer(
    status: 201, fields: ["location": "/message/B", "ttl": "60"], body: nil)

  /// Returns a client that trusts this service.
  fileprivate func webPushClient(
    key: VAPIDKey? = nil, policy: RetryPolicy = RetryPolicy()
  ) throws -> WebPushClient {
    try WebPushClient(
      .init(
        vapidKey: key, subject: key == nil ? nil : "mailto:you@example.org",
        authorityPEM: authorityPEM, policy: policy))
  }

  /// Returns the message in a request, as a service reads it.
  fileprivate static func message(_ request: Request) throws -> WebPushMessage {
    var fields = WebPushRequest()
    for (name, value) in request.fields {
      fields.field(name: Array(name.utf8).span, value: Array(value.utf8).span)
    }
    switch fields.evaluate(body: request.body) {
    case .accepted(let message): return message
    case .refused(let refusal): throw refusal
    }
  }
}

/// Returns the text as a message that is stored for a minute.
private func notification(_ text: String) -> WebPushNotification {
  WebPushNotification(Array(text.utf8), ttlSeconds: 60)
}

@Suite(.timeLimit(.minutes(60))) struct WebPushClientTests {
  @Test func `a message is encrypted for its app, and the response is a value`() async throws {
    let service = try FakeService { _, _ in FakeService.created }
    let app = try App(at: service)
    var sent = notification("Hello")
    sent.urgency = .high
    sent.topic = "news"
    let outcome = try await service.webPushClient().send(sent, to: app.subscription)
    guard case .accepted(let receipt) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(receipt.status == 201)
    #expect(receipt.messageURL == "https://localhost:\(service.port)/message/B")
    #expect(receipt.ttlSeconds == 60)
    let request = try #require(service.requests.first)
    #expect(request.fields[":method"] == "POST")
    #expect(request.fields[":path"] == "/push/A?b=c")
    #expect(request.fields[":authority"] == "localhost:\(service.port)")
    let message = try FakeService.message(request)
    #expect(message.ttlSeconds == 60)
    #expect(message.urgency == .high)
    #expect(message.topic == Array("news".utf8))
    #expect(message.credential == nil)
    #expect(try WebPushEncryption.decrypt(message.body, with: app.keys) == Array("Hello".utf8))
  }

  @Test func `a token names the sender and the service, and is used again`() async throws {
    let service = try FakeService { _, _ in FakeService.created }
    let app = try App(at: service)
    let key = try VAPIDKey()
    let client = try service.webPushClient(key: key)
    for text in ["one", "two"] {
      _ = try await client.send(notification(text), to: app.subscription)
    }
    let credentials = try service.requests.map { try FakeService.message($0).credential }
    #expect(credentials.count == 2 && credentials[0] == credentials[1])
    let verifier = VAPIDVerifier(origins: [app.subscription.address.origin], dialect: .apple)
    let outcome = verifier.verify(
      credentials[0], restrictedTo: key.publicKey.digest,
      atSeconds: SystemClock.unixMilliseconds / 1_000)
    guard case .verified(let token) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(token.subject?.string == "mailto:you@example.org")
  }

  @Test func `a message whose stream is refused is sent at most as often as the policy says`()
    async throws
  {
    let service = try FakeService { _, _ in .reset(HTTP2ErrorCode.refusedStream) }
    let app = try App(at: service)
    let client = try service.webPushClient(
      policy: RetryPolicy(attemptsMax: 3, longestPauseNanoseconds: 1_000_000))
    let failure = await #expect(throws: WebPushFailure.self) {
      try await client.send(notification("a"), to: app.subscription)
    }
    #expect(
      failure?.description
        == "cannot send to localhost:\(service.port): the service refused the request each time "
        + "(REFUSED_STREAM): try again later")
    #expect(service.requests.count == 3)
  }

  @Test func `a refusal has the words of each kind of service`() async throws {
    let bodies = [
      #"{"code":410,"errno":106,"error":"Gone","message":"it ended","reason":"Unregistered"}"#,
      #"{"reason":"BadJwtToken"}"#, #"{"error":{"message":"nested"}}"#, "plain\ntext",
      "<html></html>",
    ]
    let service = try FakeService { _, index in
      .answer(status: index == 0 ? 410 : 403, fields: [:], body: bodies[index])
    }
    let app = try App(at: service)
    let client = try service.webPushClient()
    var refusals: [WebPushOutcome.Refusal] = []
    for _ in bodies {
      if case .rejected(let refusal) = try await client.send(
        notification("a"), to: app.subscription)
      {
        refusals.append(refusal)
      }
    }
    #expect(refusals.map(\.reason) == ["Unregistered", "BadJwtToken", "", "", ""])
    #expect(refusals.map(\.message) == ["it ended", "", "nested", "plain", ""])
    #expect(refusals.map(\.isSubscriptionEnded) == [true, false, false, false, false])
  }

  @Test func `a busy service gets the message again after its pause`() async throws {
    let service = try FakeService { _, index in
      index == 0
        ? .answer(status: 429, fields: ["retry-after": "0"], body: nil) : FakeService.created
    }
    let app = try App(at: service)
    let outcome = try await service.webPushClient().send(notification("a"), to: app.subscription)
    guard case .accepted = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(service.requests.count == 2)
    #expect(Set(service.requests.map(\.body)).count == 1)
  }

  @Test func `a pause that is too long is returned to the sender`() async throws {
    let service = try FakeService { _, _ in
      .answer(status: 503, fields: ["retry-after": "120"], body: nil)
    }
    let app = try App(at: service)
    let outcome = try await service.webPushClient().send(notification("a"), to: app.subscription)
    guard case .rejected(let refusal) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(refusal.retryAfterSeconds == 120)
    #expect(refusal.isTemporary)
    #expect(service.requests.count == 1)
  }

  @Test func `a message whose response is lost is not sent twice`() async throws {
    let service = try FakeService { _, index in index == 0 ? .cut : FakeService.created }
    let app = try App(at: service)
    let client = try service.webPushClient()
    let failure = await #expect(throws: WebPushFailure.self) {
      try await client.send(notification("a"), to: app.subscription)
    }
    guard case .failed(.unanswered) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(failure?.description.contains("apns-id") == false)
    #expect(service.requests.count == 1)
    // The next message uses a new connection.
    _ = try await client.send(notification("b"), to: app.subscription)
    #expect(service.requests.map(\.connection) == [1, 2])
  }

  @Test func `a message of any status from 200 to 299 is accepted`() async throws {
    let service = try FakeService { _, index in
      .answer(status: [200, 201, 202, 204][index], fields: [:], body: nil)
    }
    let app = try App(at: service)
    let client = try service.webPushClient()
    var statuses: [Int] = []
    for _ in 0..<4 {
      if case .accepted(let receipt) = try await client.send(
        notification("a"), to: app.subscription)
      {
        statuses.append(receipt.status)
      }
    }
    #expect(statuses == [200, 201, 202, 204])
  }

  @Test func `a service that only speaks HTTP/1.1 causes an error that names HTTP/2`() async throws
  {
    let service = try FakeService(alpn: ["http/1.1"]) { _, _ in FakeService.created }
    let app = try App(at: service)
    let client = try service.webPushClient()
    let failure = await #expect(throws: WebPushFailure.self) {
      try await client.send(notification("a"), to: app.subscription)
    }
    let description = failure?.description ?? ""
    #expect(description.contains("does not support HTTP/2"), "\(description)")
    #expect(service.requests.isEmpty)
  }

  @Test func `a closed client sends nothing, and says so`() async throws {
    let service = try FakeService { _, _ in FakeService.created }
    let app = try App(at: service)
    let client = try service.webPushClient()
    client.close()
    let failure = await #expect(throws: WebPushFailure.self) {
      try await client.send(notification("a"), to: app.subscription)
    }
    guard case .failed(.closed) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(service.requests.isEmpty)
  }

  @Test(arguments: [
    "you@example.org", "mailto:", "mailto: <you@example.org>", "http://example.org",
  ])
  func `a subject that services refuse is refused before sending`(subject: String) {
    #expect(throws: WebPushFailure.self) { try WebPushClient(.init(subject: subject)) }
  }

  @Test func `a client for public addresses sends nothing to this machine, whatever its name`()
    async throws
  {
    let service = try FakeService { _, _ in FakeService.created }
    var configuration = WebPushClient.Configuration(authorityPEM: service.authorityPEM)
    configuration.allowsPrivateAddresses = false
    let client = try WebPushClient(configuration)
    let keys = try WebPushSubscriptionKeys()
    for host in ["localhost", "127.0.0.1", "[::1]"] {
      let subscription = try WebPushSubscription(
        endpoint: "https://\(host):\(service.port)/push/A", p256dh: keys.pointText,
        auth: keys.authText)
      await #expect {
        try await client.send(notification("Hello"), to: subscription)
      } throws: {
        guard case .failed(.unreachable(_, let reason))? = $0 as? WebPushFailure else {
          return false
        }
        return reason.contains("no public address")
      }
    }
    #expect(service.requests.isEmpty)
  }
}
