internal import BelfryProvider
internal import BelfryWire
internal import PushWire
internal import Dispatch
internal import Storage
internal import Synchronization
internal import System

/// Requests that apply to one device: a test push, and a query for the notifications that were sent to the device.
extension CampaignService {
  /// Sends a campaign's content to one registered device immediately, without changing the campaign.
  ///
  /// Without a token, the content goes to the only registered device of the user or, without a user, of the app.
  func test(
    _ id: String, token: [UInt8]?, user: String? = nil
  ) throws(Failure) -> JSONObject {
    let campaign = try campaign(id)
    let document = try document(of: campaign)
    let device = try device(of: campaign, token: token, user: user)
    let language = document.textLanguage(for: device.language)
    if let keys = device.keys { return try test(id, document, device, keys, language: language) }
    guard let token = registry.sealer.open(device.sealed) else {
      throw Self.invalid("deviceToken", "the token cannot be read", "register it again")
    }
    let push = Push(
      to: Hexadecimal.encode(token), topic: campaign.topic,
      payload: document.payload(in: language), type: document.type, priority: document.priority,
      expiration: document.expiration(now: clock.unixSeconds), collapseID: document.collapseID)
    let result = try submit(push)
    var line: JSONObject = [
      "id": .string(id), "deviceToken": .string(Hexadecimal.encode(token)),
      "language": language.map { .string($0) } ?? .null,
    ]
    switch result {
    case .success(.accepted(let receipt)):
      line["status"] = 200
      line["apnsID"] = .string(receipt.id)
      line["uniqueID"] = receipt.uniqueID.map { .string($0) } ?? .null
      line["reason"] = .null
    case .success(.rejected(let refusal)):
      line["status"] = .integer(Int64(refusal.status))
      line["apnsID"] = .string(refusal.id)
      line["reason"] = .string(refusal.reason)
    // The answer to the request contains its own advice.
    case .failure(.unreachable(let endpoint, let reason)):
      let cause = ProviderFailure.cause(reason, of: endpoint)
      throw .unanswered("cannot connect to \(endpoint): \(cause)")
    case .failure(let failure): throw .unanswered("\(failure)")
    }
    return line
  }

  /// Sends a campaign's content to a Web Push subscription immediately.
  private func test(
    _ id: String, _ document: CampaignDocument, _ device: TokenRegistration, _ keys: [UInt8],
    language: String?
  ) throws(Failure) -> JSONObject {
    guard let subscription = registry.subscription(sealed: device.sealed, keys: keys) else {
      throw Self.invalid("endpoint", "the subscription cannot be read", "register it again")
    }
    guard let sender = try service().webPush else {
      throw .unanswered("this service does not send to Web Push subscriptions")
    }
    let answer = TestAnswer<Result<WebPushOutcome, WebPushFailure>>()
    sender.submit(document.webPushNotification(in: language), to: subscription) { answer.set($0) }
    guard let result = answer.wait(nanoseconds: Limits.testNanoseconds) else {
      throw .unanswered("no answer within \(Limits.testNanoseconds / 1_000_000_000) seconds")
    }
    var line: JSONObject = [
      "id": .string(id), "endpoint": .string(subscription.endpoint),
      "language": language.map { .string($0) } ?? .null,
    ]
    switch result {
    case .success(.accepted(let receipt)):
      line["status"] = .integer(Int64(receipt.status))
      line["reason"] = .null
    case .success(.rejected(let refusal)):
      line["status"] = .integer(Int64(refusal.status))
      line["reason"] = .string(refusal.reason.isEmpty ? refusal.message : refusal.reason)
    case .failure(let failure): throw .unanswered("\(failure)")
    }
    return line
  }

  private func device(
    of campaign: CampaignRecord, token: [UInt8]?, user: String?
  ) throws(Failure) -> TokenRegistration {
    var filter = TokenFilter()
    filter.topic = campaign.topic
    filter.sealed = token.map(registry.sealer.seal)
    filter.user = user
    let search = filter
    let found = try stored { () throws(StorageFailure) in
      try registry.store.tokens(matching: search, after: 0, limit: 2).tokens
    }
    if found.count == 1, let device = found.first { return device.registration }
    let owner = user.map { " of the user '\(RequestProblem.excerpt($0))'" } ?? ""
    guard found.isEmpty else {
      throw Self.invalid(
        "deviceToken", "several devices\(owner) are registered for \(campaign.topic)",
        (user == nil ? "specify a user with 'user', or a token" : "specify a token")
          + " with 'deviceToken'; 'GET /tokens' and the console list the devices")
    }
    if user != nil {
      throw Self.invalid(
        "user",
        "no device\(owner) is registered for \(campaign.topic)"
          + (token == nil ? "" : " with this token"),
        "check the user; 'GET /tokens' and the console list the devices")
    }
    guard let token else {
      throw Self.invalid(
        "deviceToken", "no device is registered for \(campaign.topic)",
        "register one: see 'Registering' in docs/provider.md")
    }
    throw Self.invalid(
      "deviceToken",
      "no device is registered for \(campaign.topic) with the token "
        + "'\(RequestProblem.excerpt(Hexadecimal.encode(token)))'",
      "use a whole token; 'GET /tokens' and the device's details in the console contain it")
  }

  private static func invalid(_ field: String, _ what: String, _ advice: String) -> Failure {
    .invalid(RequestProblems([RequestProblem(field, what, do: advice)]))
  }

  /// Sends a push and waits for the response.
  private func submit(_ push: Push) throws(Failure) -> Result<PushOutcome, ProviderFailure> {
    let answer = TestAnswer<Result<PushOutcome, ProviderFailure>>()
    try service().submit(push) { answer.set($0) }
    guard let result = answer.wait(nanoseconds: Limits.testNanoseconds) else {
      throw .unanswered("no answer within \(Limits.testNanoseconds / 1_000_000_000) seconds")
    }
    return result
  }

  /// Returns the notifications that the app's newest campaigns sent to a device, from the gateway's delivery log.
  func sent(to token: [UInt8], topic: String?) throws(Failure) -> JSONObject {
    var filter = TokenFilter()
    filter.topic = topic
    filter.sealed = registry.sealer.seal(token)
    let search = filter
    let registrations = try stored { () throws(StorageFailure) in
      try registry.store.tokens(
        matching: search, after: 0, limit: Limits.tokensPerPage
      ).tokens
    }
    var campaigns: [NotificationID: CampaignRecord] = [:]
    for one in registrations.prefix(TokenKind.allCases.count) {
      let newest = try stored { () throws(StorageFailure) in
        try registry.store.campaigns(
          ofTopic: one.registration.topic, limit: Limits.campaignsOfDevice)
      }
      for campaign in newest where campaign.state != .draft && campaign.state != .scheduled {
        campaigns[CampaignIdentity(campaign: campaign.id).notification(to: token)] = campaign
      }
    }
    guard let lines = (try? service())?.log?.last(of: Set(campaigns.keys)) else {
      return ["sent": .null, "campaigns": .integer(Int64(campaigns.count))]
    }
    let sent = lines.sorted { $0.atMilliseconds > $1.atMilliseconds }.compactMap { line in
      campaigns[line.id].map { campaign -> JSONValue in
        [
          "id": .string(campaign.id), "name": .string(campaign.name ?? campaign.id),
          "topic": .string(campaign.topic), "apnsID": .string(line.id.text),
          "state": .string(line.state),
          "at": .string(Timestamp.rfc3339(unixMilliseconds: line.atMilliseconds)),
        ]
      }
    }
    return ["sent": .array(sent), "campaigns": .integer(Int64(campaigns.count))]
  }
}

/// The response to a test push, which is received on the client's thread.
private final class TestAnswer<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let isSet = DispatchSemaphore(value: 0)

  func set(_ answer: Value) {
    result.withLock { $0 = answer }
    isSet.signal()
  }

  func wait(nanoseconds: Int64) -> Value? {
    _ = isSet.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    return result.withLock { $0 }
  }
}
