internal import BelfryProvider
internal import BelfryWire
public import Storage
public import System

/// The registry of device tokens and Web Push subscriptions, with operations to register, change, and remove them.
public struct Registry: Sendable {
  let store: any RegistryStore
  let sealer: TokenSealer
  package let zones: DeviceZones
  private let now: @Sendable () -> Int64

  /// Creates a registry based on a store.
  ///
  /// `now` returns milliseconds since 1970.
  public init(
    store: any RegistryStore, sealer: TokenSealer, zones: DeviceZones = DeviceZones(),
    now: @escaping @Sendable () -> Int64 = { SystemClock.unixMilliseconds }
  ) {
    self.store = store
    self.sealer = sealer
    self.zones = zones
    self.now = now
  }

  /// Registers a token for a topic.
  ///
  /// A limit applies only to a new token.
  func register(
    _ request: RegistrationRequest, topic: String, limit: RegistrationLimit? = nil
  ) throws(StorageFailure) -> RegistrationChange {
    try store.register(sealed(request, topic: topic), at: now(), limit: limit)
  }

  /// Registers many tokens in one transaction.
  func register(
    _ requests: [(request: RegistrationRequest, topic: String)]
  ) throws(StorageFailure) -> [RegistrationChange] {
    let registrations = requests.map { sealed($0.request, topic: $0.topic) }
    return try store.register(registrations, at: now())
  }

  private func sealed(_ request: RegistrationRequest, topic: String) -> TokenRegistration {
    request.registration(
      sealed: sealer.seal(request.token), keys: request.subscription?.keys.map(sealer.seal),
      topic: topic)
  }

  /// Removes a token; returns true if the token was registered.
  func remove(_ token: [UInt8], topic: String?) throws(StorageFailure) -> Bool {
    try store.remove(sealer.seal(token), topic: topic)
  }

  /// Removes tokens that a feedback service reported, and returns the number of removed tokens.
  ///
  /// The service reports times in whole seconds. A reported time counts as the beginning of its second, so a token that
  /// was registered later in the same second is kept.
  public func removeDead(
    _ tokens: [(token: [UInt8], unixSeconds: Int64)]
  ) throws(StorageFailure) -> Int {
    try store.removeDead(
      tokens.map { one in
        DeadToken(
          sealed: sealer.seal(one.token), topic: nil, sinceMilliseconds: one.unixSeconds * 1_000)
      })
  }

  /// Returns a page of tokens as objects, and the token number after which the next page begins; nil if this page is
  /// the last one.
  func page(
    _ filter: TokenFilter? = nil, after number: Int64, limit: Int
  ) throws(StorageFailure) -> (lines: [JSONObject], next: Int64?) {
    if let filter {
      let page = try store.tokens(matching: filter, after: number, limit: limit)
      return (page.tokens.map { line($0) }, page.next)
    }
    let tokens = try store.tokens(after: number, limit: limit)
    let lines = tokens.map { line($0) }
    return (lines, tokens.count == limit ? tokens.last?.number : nil)
  }

  /// Returns a page of the tokens that match a filter and begin with these hexadecimal digits, and the token number
  /// after which the search continues; nil if it is complete.
  ///
  /// The tokens are encrypted, so no index covers their beginnings: each call opens a limited number of tokens, and a
  /// page can be empty even if the search is not complete.
  func page(
    startingWith digits: String, _ filter: TokenFilter, after number: Int64, limit: Int
  ) throws(StorageFailure) -> (lines: [JSONObject], next: Int64?) {
    var lines: [JSONObject] = []
    var last = number
    for _ in 0..<Limits.pagesOpenedMax {
      let page = try store.tokens(matching: filter, after: last, limit: Limits.tokensPerPage)
      for token in page.tokens {
        guard token.registration.keys == nil else { continue }
        let text = sealer.open(token.registration.sealed).map(Hexadecimal.encode) ?? ""
        guard text.utf8.starts(with: digits.utf8) else { continue }
        lines.append(line(token))
        if lines.count == limit { return (lines, token.number) }
      }
      guard let next = page.next else { return (lines, nil) }
      assert(next > last, "a search does not go backward")
      last = next
      // The store has already read as many rows as it reads for one page.
      if page.tokens.isEmpty { break }
    }
    return (lines, last)
  }

  /// The words for the kinds of registrations in requests and responses.
  static let deviceKind = "device"
  static let webPushKind = "webPush"

  /// Opens the subscription of a recipient.
  ///
  /// Returns nil if this registry did not seal it.
  func subscription(sealed: [UInt8], keys: [UInt8]) -> WebPushSubscription? {
    guard let endpoint = sealer.open(sealed), let keys = sealer.open(keys) else { return nil }
    return try? WebPushSubscription(
      endpoint: String(decoding: endpoint, as: UTF8.self), keys: keys)
  }

  private func line(_ token: RegisteredToken) -> JSONObject {
    let registration = token.registration
    func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    let opened = sealer.open(registration.sealed)
    let isWebPush = registration.keys != nil
    return [
      "kind": .string(isWebPush ? Self.webPushKind : Self.deviceKind),
      "deviceToken": text(isWebPush ? nil : opened.map(Hexadecimal.encode)),
      "endpoint": text(isWebPush ? opened.map { String(decoding: $0, as: UTF8.self) } : nil),
      "topic": .string(registration.topic), "language": text(registration.language),
      "timeZone": text(registration.timeZone), "user": text(registration.user),
      "installation": text(registration.installation),
      "tags": .array(registration.tags.map { .string($0) }),
      "environment": text(registration.environment),
      "registered": .string(Timestamp.rfc3339(unixMilliseconds: token.firstMilliseconds)),
      "renewed": .string(Timestamp.rfc3339(unixMilliseconds: token.lastMilliseconds)),
    ]
  }
}
