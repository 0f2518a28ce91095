internal import Console
internal import BelfryProvider
internal import BelfryWire
internal import PushWire
internal import Dispatch
public import Gateway
internal import Synchronization
internal import System
internal import Transport

/// The sender of the console's test pushes.
///
/// Like any other sender, it connects to the gateway's provider port over HTTP/2 and TLS. The methods can be called on
/// any thread.
public final class TestPushes: Sendable {
  /// The destination of test pushes.
  public struct Gateway: Sendable {
    /// The address of the provider port.
    public var host: String
    /// The port of the provider API.
    public var port: UInt16
    /// The folder with the authority's certificate and the provider keys.
    public var folder: GatewayFolder

    /// Creates a destination; `host` is the listener's address.
    public init(host: String, port: UInt16, folder: GatewayFolder) {
      self.host = SocketAddress.hostOnThisMachine(ofListener: host)
      self.port = port
      self.folder = folder
    }
  }

  private struct State {
    /// The open connections, one per key, which the next pushes reuse.
    var clients: [String: ProviderClient] = [:]
    var waiting = 0
  }

  private let gateway: Gateway
  private let state = Mutex(State())

  /// Creates a sender without connections.
  init(_ gateway: Gateway) { self.gateway = gateway }

  deinit { state.withLock { state in for client in state.clients.values { client.close() } } }

  /// The values with which a command can send the same push.
  var destination: JSONObject {
    let host = gateway.host.contains(":") ? "[\(gateway.host)]" : gateway.host
    return [
      "provider": .string("\(host):\(gateway.port)"), "folder": .string(gateway.folder.path),
      "caFile": .string(gateway.folder.authorityFile),
    ]
  }

  /// Sends the push in the request's body; returns the gateway's answer.
  func send(
    _ request: HTTP1Request, checkedBy administration: Administration
  ) throws(AdministrationFailure) -> [JSONObject] {
    var fields = AdministrationFields(try AdminRouter.object(in: request) ?? [:])
    let draft = try AdministrationRequest.PushDraft(&fields)
    try fields.end()
    let check = try administration.perform(.checkPush(draft)).first ?? [:]
    guard let key = check["key"]?.stringValue, let team = check["team"]?.stringValue else {
      throw AdministrationFailure(
        .missing, "no valid provider key for the app's team", do: "generate one under Manage")
    }
    let push = try Self.push(draft)
    let client = try client(key: key, team: team)
    let isRoom = state.withLock { state in
      guard state.waiting < Limits.pushesAtATime else { return false }
      state.waiting += 1
      return true
    }
    guard isRoom else {
      throw AdministrationFailure(
        .conflict, "too many test pushes in progress", do: "try again in a moment")
    }
    defer { state.withLock { $0.waiting -= 1 } }
    return [Self.line(try outcome(of: push, client), key: key)]
  }

  private func outcome(
    of push: Push, _ client: ProviderClient
  ) throws(AdministrationFailure) -> PushOutcome {
    let answer = Once<Result<PushOutcome, ProviderFailure>>()
    client.submit(push) { answer.set($0) }
    do throws(ProviderFailure) {
      return try answer.wait().get()
    } catch {
      let text = ProblemText("\(error)")
      var kind = AdministrationFailure.Kind.broken
      if case .badPush = error { kind = .invalid }
      throw AdministrationFailure(
        kind, text.problem, do: text.advice ?? "check the gateway's log")
    }
  }

  private func client(
    key: String, team: String
  ) throws(AdministrationFailure) -> ProviderClient {
    if let known = state.withLock({ $0.clients[key] }) { return known }
    let made: ProviderClient
    do {
      let file = try FileSystem.readRegularFile(
        gateway.folder.keyFile(key), limit: Limits.fileBytes)
      var policy = RetryPolicy()
      policy.timeoutNanoseconds = Limits.pushNanoseconds
      made = try ProviderClient(
        ProviderClient.Configuration(
          endpoint: ProviderEndpoint(host: gateway.host, port: gateway.port),
          credentials: .token(try ProviderKey(p8: file, keyID: key, teamID: team)),
          authorityPEM: try FileSystem.readRegularFile(
            gateway.folder.authorityFile, limit: Limits.fileBytes),
          policy: policy))
    } catch {
      throw AdministrationFailure(
        .missing, "cannot sign with the key \(key) (\(error))",
        do: "choose a key whose file is in the gateway's data folder")
    }
    return state.withLock { state in
      if let known = state.clients[key] {
        made.close()
        return known
      }
      if state.clients.count >= Limits.senders, let other = state.clients.keys.first {
        state.clients.removeValue(forKey: other)?.close()
      }
      state.clients[key] = made
      return made
    }
  }

  /// Returns the push that a draft describes.
  ///
  /// Throws if the draft does not form a valid request, because the gateway could not report the reason for an invalid
  /// one.
  static func push(
    _ draft: AdministrationRequest.PushDraft
  ) throws(AdministrationFailure) -> Push {
    guard !draft.token.isEmpty else {
      throw AdministrationFailure(
        .invalid, "missing device token", do: "choose a device and an app, or enter a device token")
    }
    guard draft.token.utf8.count <= Limits.tokenCharacters,
      draft.token.utf8.allSatisfy({ Hexadecimal.value($0) != nil })
    else {
      throw wrong(
        "device token", draft.token,
        "at most \(Limits.tokenCharacters) hexadecimal digits, exactly as the app received them")
    }
    guard draft.topic.utf8.count <= WireLimits.topicBytesMax else {
      throw wrong("topic", draft.topic, "at most \(WireLimits.topicBytesMax) bytes")
    }
    var push = Push(
      to: draft.token, topic: draft.topic.isEmpty ? nil : draft.topic, payload: draft.payload,
      type: nil, collapseID: draft.collapseID, id: draft.id)
    if let type = draft.type {
      push.type = PushType.allCases.first { "\($0.name)" == type }
      guard push.type != nil else { throw wrong("push type", type, "one of APNs' push types") }
    }
    if let priority = draft.priority {
      push.priority = UInt8(priority)
      guard push.priority != nil else { throw wrong("priority", priority, "10, 5 or 1") }
    }
    if let expiration = draft.expiration {
      guard let seconds = Int64(expiration), seconds >= 0 else {
        throw wrong("expiration", expiration, "seconds since 1970, or 0")
      }
      push.expiration = seconds == 0 ? .once : .until(unixSeconds: seconds)
    }
    return push
  }

  /// Returns the failure for a value, which is named as in the console's form.
  private static func wrong(
    _ name: String, _ value: String, _ wanted: String
  ) -> AdministrationFailure {
    AdministrationFailure(
      .invalid, "invalid \(name) '\(AdministrationFields.shown(value))'", do: "expected \(wanted)")
  }

  static func line(_ outcome: PushOutcome, key: String) -> JSONObject {
    switch outcome {
    case .accepted(let receipt):
      var line: JSONObject = ["status": 200, "apnsID": .string(receipt.id)]
      line["uniqueID"] = receipt.uniqueID.map { .string($0) }
      line["key"] = .string(key)
      return line
    case .rejected(let refusal):
      var line: JSONObject = [
        "status": .integer(Int64(refusal.status)), "apnsID": .string(refusal.id),
        "reason": .string(refusal.reason),
      ]
      line["when"] = refusal.rejection.map { .string("\($0.row.when)") }
      line["advice"] = .string(advice(refusal))
      line["since"] = refusal.timestampMilliseconds.map {
        .string(Timestamp.rfc3339(unixMilliseconds: $0))
      }
      line["key"] = .string(key)
      return line
    }
  }

  /// Returns a sentence that says what to do after a refusal.
  private static func advice(_ refusal: PushOutcome.Refusal) -> String {
    switch refusal.tokenVerdict {
    case .dead: return "delete the token, unless the app has registered it again since then"
    case .doubtful: return "check the token, the topic and the push type"
    case .unaffected: break
    }
    if let seconds = refusal.retryAfterSeconds,
      [.retryLater, .retryWithBackoff].contains(refusal.advice)
    {
      return "wait \(seconds) second\(seconds == 1 ? "" : "s"), then send the push again"
    }
    return switch refusal.advice {
    case .doNotRetry: "fix the push before you send it again"
    case .renewProviderToken: "check the provider key, then send the push again"
    case .retryLater: "wait, then send the push again"
    case .retryWithBackoff: "wait about 15 minutes, then send the push again"
    case .reconnect: "send the push again, with valid credentials"
    }
  }
}
