import BelfryProvider
import Foundation
import System
import TestSupport
import Testing

/// Tests of a gateway that relays pushes to another gateway, which takes the place of Apple's service.
@Suite struct RelayTests {
  private let app = "com.example.app"
  private let other = "com.example.other"

  /// Two gateways: `relay` relays the pushes of the app to `upstream`.
  private func gateways(
    _ scenario: Scenario
  ) async throws -> (upstream: GatewayProgram, relay: GatewayProgram) {
    let upstream = try await scenario.gateway("upstream")
    let relay = try await scenario.gateway("relay")
    for topic in [app, other] {
      _ = try await scenario.belfryCommand(["topic", "add", topic, "--data", relay.data])
    }
    _ = try await scenario.belfryCommand([
      "upstream", "add", "--topic", app, "--key-file", upstream.keyFile, "--key-id",
      upstream.keyID, "--team-id", upstream.teamID, "--host",
      "\(upstream.host):\(upstream.port("provider"))", "--ca", upstream.caFile, "--data",
      relay.data,
    ])
    return (upstream, relay)
  }

  private func client(
    _ gateway: GatewayProgram, credentials: ProviderCredentials? = nil
  ) throws -> ProviderClient {
    var policy = RetryPolicy()
    policy.resendsRefused = false
    policy.resendsUnanswered = false
    var configuration = try ProviderClient.Configuration(gatewayFile: gateway.file)
    configuration.policy = policy
    if let credentials { configuration.credentials = credentials }
    return try ProviderClient(configuration)
  }

  private func push(_ token: String, _ change: (inout Push) -> Void = { _ in }) -> Push {
    var push = Push(to: token, topic: app, payload: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
    change(&push)
    return push
  }

  /// Returns the outcome without the `apns-unique-id`, whose value differs from push to push.
  private func comparable(_ outcome: PushOutcome) -> PushOutcome {
    guard case .accepted(let receipt) = outcome else { return outcome }
    return .accepted(.init(id: receipt.id, uniqueID: receipt.uniqueID.map { _ in "present" }))
  }

  /// Returns an outcome with the presence of the timestamp only, because a fault's timestamp is the time of the request.
  private func withoutTime(_ outcome: PushOutcome) -> PushOutcome {
    guard case .rejected(let refusal) = outcome else { return outcome }
    return .rejected(
      .init(
        status: refusal.status, reason: refusal.reason,
        timestampMilliseconds: refusal.timestampMilliseconds.map { _ in 1 }, id: refusal.id,
        retryAfterSeconds: refusal.retryAfterSeconds))
  }

  /// Returns the lines of a gateway's log about a push.
  private func lines(
    _ scenario: Scenario, _ gateway: GatewayProgram, _ id: String
  ) async throws -> [JSONLine] {
    try await scenario.belfryCommand(["log", id, "--json", "--data", gateway.data]).values
  }

  @Test func `A relayed push gets the answer that it gets without the relay`() async throws {
    try await Scenario.run { scenario in
      let (upstream, relay) = try await gateways(scenario)
      let devices = try scenario.devices(of: upstream, topics: [app, other])
      let token = try await devices.token(topic: app)
      let foreign = try await devices.token(topic: other)
      let (direct, relayed) = (try client(upstream), try client(relay))
      let vectors: [(String, Push)] = [
        ("alert", push(token)),
        ("uppercase ID", push(token) { $0.id = ProviderClient.newID().uppercased() }),
        ("background", push(token) { ($0.type, $0.priority) = (.background, 5) }),
        ("no type", push(token) { $0.type = nil }),
        ("once", push(token) { $0.expiration = .once }),
        ("expiration", push(token) { $0.expiration = .until(unixSeconds: 4_000_000_000) }),
        ("collapse ID", push(token) { $0.collapseID = "a b/c" }),
        ("collapse ID too long", push(token) { $0.collapseID = String(repeating: "c", count: 65) }),
        ("forged token", push(String(repeating: "ab", count: 32))),
        ("short token", push("abcd")), ("no hexadecimal token", push("zz")),
        ("another app's token", push(foreign)),
        ("wrong type", push(token) { $0.type = .voip }),
        ("wrong topic suffix", push(token) { ($0.topic, $0.type) = ("\(app).voip", .voip) }),
        ("priority", push(token) { $0.priority = 7 }),
        ("empty payload", push(token) { $0.payload = [] }),
        ("large payload", push(token) { $0.payload = [UInt8](repeating: 0x20, count: 4_097) }),
        ("no topic", push(token) { $0.topic = nil }),
        ("unknown topic", push(token) { $0.topic = "com.example.none" }),
      ]
      for (name, push) in vectors {
        var push = push
        if push.id == nil { push.id = ProviderClient.newID() }
        let expected = comparable(try await direct.send(push))
        let found = comparable(try await relayed.send(push))
        #expect(found == expected, "\(name)")
      }
      for reason in [
        "TooManyRequests", "ServiceUnavailable", "InternalServerError", "Unregistered",
      ] {
        _ = try await scenario.belfryCommand([
          "fault", "add", "--reason", reason, "--data", upstream.data,
        ])
        let push = push(token) { $0.id = ProviderClient.newID() }
        let expected = try await direct.send(push)
        let found = try await relayed.send(push)
        #expect(withoutTime(found) == withoutTime(expected), "\(reason)")
        _ = try await scenario.belfryCommand(["fault", "clear", "--data", upstream.data])
      }
      for client in [direct, relayed] { client.close() }
      for gateway in [upstream, relay] { try await gateway.stop() }
    }
  }

  @Test
  func `Tokens of both gateways work at one address, and the log shows the upstream's answer`()
    async throws
  {
    try await Scenario.run { scenario in
      let (upstream, relay) = try await gateways(scenario)
      let remote = try scenario.devices("remote", of: upstream, topics: [app])
      let local = try scenario.devices("local", of: relay, topics: [app, other])
      let client = try client(relay)
      let (remoteToken, localToken) = (try await remote.token(), try await local.token(topic: app))
      let (remoteID, localID, forgedID) = (
        ProviderClient.newID(), ProviderClient.newID(), ProviderClient.newID()
      )
      guard case .accepted = try await client.send(push(remoteToken) { $0.id = remoteID }),
        case .accepted = try await client.send(push(localToken) { $0.id = localID }),
        case .rejected(let refusal) = try await client.send(
          push(String(repeating: "ab", count: 32)) { $0.id = forgedID })
      else {
        Issue.record("a push got another answer")
        return
      }
      #expect(refusal.reason == "BadDeviceToken" && refusal.status == 400)
      #expect(try await remote.received()["apnsID"].string?.lowercased() == remoteID)
      #expect(try await local.received()["apnsID"].string?.lowercased() == localID)
      // A topic without an upstream is not relayed.
      guard
        case .rejected(let unrelayed) = try await client.send(
          push(remoteToken) { $0.topic = other })
      else {
        Issue.record("a token of another gateway was accepted")
        return
      }
      #expect(unrelayed.reason == "BadDeviceToken")
      let accepted = try await lines(scenario, relay, remoteID)
      #expect(accepted.map { $0["state"].string } == ["Relayed"])
      #expect(accepted.first?["status"].integer == 200)
      let refused = try await lines(scenario, relay, forgedID)
      #expect(refused.map { $0["reason"].string } == ["BadDeviceToken"])
      #expect(refused.first?["status"].integer == 400)
      #expect(
        try await lines(scenario, relay, localID).allSatisfy { $0["state"].string != "Relayed" })
      client.close()
      for gateway in [upstream, relay] { try await gateway.stop() }
    }
  }

  @Test func `A killed upstream is answered with 503, and works again after its restart`()
    async throws
  {
    try await Scenario.run { scenario in
      let (upstream, relay) = try await gateways(scenario)
      let devices = try scenario.devices(of: upstream, topics: [app])
      let local = try scenario.devices("local", of: relay, topics: [app])
      let token = try await devices.token()
      let localToken = try await local.token()
      let client = try client(relay)
      guard case .accepted = try await client.send(push(token)) else {
        Issue.record("the first push was refused")
        return
      }
      try await upstream.crash()
      let started = SystemClock.monotonicNanoseconds
      for _ in 0..<10 {
        guard case .rejected(let refusal) = try await client.send(push(token)) else {
          Issue.record("a push was accepted without an upstream")
          return
        }
        #expect(refusal.status == 503 && refusal.reason == "ServiceUnavailable")
        #expect((refusal.retryAfterSeconds ?? 0) > 0)
      }
      #expect(SystemClock.monotonicNanoseconds - started < 10_000_000_000)
      guard case .accepted = try await client.send(push(localToken)) else {
        Issue.record("the upstream's failure affected a device of the gateway")
        return
      }
      #expect(relay.program.errors.contains("cannot send to the upstream"))
      let restarted = try await scenario.restart(upstream)
      try await Scenario.wait("the relay to reconnect") {
        if case .accepted = try await client.send(push(token)) { return true }
        return false
      }
      client.close()
      for gateway in [restarted, relay] { try await gateway.stop() }
    }
  }

  @Test func `The sender sees neither the publisher's key nor a refusal of it`() async throws {
    try await Scenario.run { scenario in
      let (upstream, relay) = try await gateways(scenario)
      let devices = try scenario.devices(of: upstream, topics: [app])
      let token = try await devices.token()
      let key = try String(contentsOfFile: upstream.keyFile, encoding: .utf8)
      let secret = try #require(key.split(separator: "\n").dropFirst().first)
      _ = try await scenario.belfryCommand([
        "key", "revoke", upstream.keyID, "--data", upstream.data,
      ])
      let client = try client(relay)
      let id = ProviderClient.newID()
      guard case .rejected(let refusal) = try await client.send(push(token) { $0.id = id }) else {
        Issue.record("a push with a revoked key was accepted")
        return
      }
      #expect(refusal.status == 503 && refusal.reason == "ServiceUnavailable" && refusal.id == id)
      let relayed = try await lines(scenario, relay, id).first { $0["state"].string == "Relayed" }
      #expect(relayed?["status"].integer == 403)
      #expect(relayed?["reason"].string == "InvalidProviderToken")
      #expect(relay.program.errors.contains("the upstream refuses the publisher's credentials"))
      let listed = try await scenario.belfryCommand([
        "upstream", "list", "--json", "--data", relay.data,
      ])
      #expect(listed.values.first?["state"].string == "credentials refused")
      let printed = relay.program.errors + listed.lines.joined()
      #expect(!printed.contains(secret))
      client.close()
      for gateway in [upstream, relay] { try await gateway.stop() }
      let files = try FileManager.default.contentsOfDirectory(atPath: relay.data)
      #expect(files.contains("upstream-key"))
      for file in files {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(relay.data)/\(file)"))
        #expect(data.range(of: Data(secret.utf8)) == nil, "\(file) contains the publisher's key")
      }
    }
  }

  @Test func `An upstream that closes a request leaves its outcome unknown, and gets it only once`()
    async throws
  {
    try await Scenario.run { scenario in
      let (upstream, relay) = try await gateways(scenario)
      let devices = try scenario.devices(of: upstream, topics: [app])
      let token = try await devices.token()
      _ = try await scenario.belfryCommand([
        "fault", "add", "--close", "--times", "1", "--data", upstream.data,
      ])
      let client = try client(relay)
      let id = ProviderClient.newID()
      guard case .rejected(let refusal) = try await client.send(push(token) { $0.id = id }) else {
        Issue.record("a push was accepted without an answer of the upstream, or sent again")
        return
      }
      #expect(refusal.status == 503)
      let states = try await lines(scenario, relay, id).map { $0["state"].string }
      #expect(states.contains("Unknown") && !states.contains("Relayed"))
      client.close()
      for gateway in [upstream, relay] { try await gateway.stop() }
    }
  }

  @Test func `A sender has the pushes of its key's daily budget, and no more after a kill`()
    async throws
  {
    try await Scenario.run { scenario in
      let (upstream, relay) = try await gateways(scenario)
      let devices = try scenario.devices(of: upstream, topics: [app])
      let local = try scenario.devices("local", of: relay, topics: [app])
      let (token, localToken) = (try await devices.token(), try await local.token())
      let added = try await scenario.belfryCommand([
        "key", "add", "--topic", app, "--per-day", "3", "--json", "--data", relay.data,
      ])
      let id = try #require(added.values.first?["id"].string)
      let file = try #require(added.values.first?["file"].string)
      let p8 = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
      let key = try ProviderKey(p8: p8, keyID: id, teamID: relay.teamID)
      let first = try client(relay, credentials: .token(key))
      // All pushes arrive at once, so most of them wait while the first one is counted.
      let outcomes = try await withThrowingTaskGroup(of: PushOutcome.self) { group in
        for _ in 0..<10 { group.addTask { [push = push(token)] in try await first.send(push) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      var refusals = outcomes.compactMap { outcome in
        if case .rejected(let refusal) = outcome { refusal } else { nil }
      }
      #expect(outcomes.count - refusals.count == 3)
      for _ in 0..<3 { _ = try await devices.received() }
      first.close()
      try await relay.crash()
      let restarted = try await scenario.restart(relay)
      let client = try client(restarted, credentials: .token(key))
      if case .rejected(let refusal) = try await client.send(push(token)) {
        refusals.append(refusal)
      } else {
        Issue.record("a push over the budget was accepted after the kill")
      }
      for refusal in refusals {
        #expect(refusal.status == 429 && refusal.reason == "TooManyRequests")
        #expect((1...86_400).contains(refusal.retryAfterSeconds ?? 0))
      }
      guard case .accepted = try await client.send(push(localToken)) else {
        Issue.record("the budget applies to a device of the gateway")
        return
      }
      let listed = try await scenario.belfryCommand([
        "key", "list", "--json", "--data", relay.data,
      ])
      #expect(listed.values.first { $0["id"].string == id }?["usedToday"].integer == 3)
      client.close()
      for gateway in [upstream, restarted] { try await gateway.stop() }
    }
  }
}
