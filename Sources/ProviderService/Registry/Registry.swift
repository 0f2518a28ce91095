internal import BelfryWire
public import Storage
public import System

/// The tokens of an app's users: what registers, changes and leaves.
public struct Registry: Sendable {
  let store: SQLiteRegistryStore
  let sealer: TokenSealer
  let zones: DeviceZones
  private let now: @Sendable () -> Int64

  /// A registry in a store; `now` is in milliseconds since 1970.
  public init(
    store: SQLiteRegistryStore, sealer: TokenSealer, zones: DeviceZones = DeviceZones(),
    now: @escaping @Sendable () -> Int64 = { SystemClock.unixMilliseconds }
  ) {
    self.store = store
    self.sealer = sealer
    self.zones = zones
    self.now = now
  }

  /// Registers a token for a topic; a limit holds for one that is new.
  func register(
    _ request: RegistrationRequest, topic: String, limit: RegistrationLimit? = nil
  ) throws(StorageFailure) -> RegistrationChange {
    let registration = request.registration(sealed: sealer.seal(request.token), topic: topic)
    return try store.register(registration, at: now(), limit: limit)
  }

  /// Registers many in one transaction.
  func register(
    _ requests: [(request: RegistrationRequest, topic: String)]
  ) throws(StorageFailure) -> [RegistrationChange] {
    let registrations = requests.map { one in
      one.request.registration(sealed: sealer.seal(one.request.token), topic: one.topic)
    }
    return try store.register(registrations, at: now())
  }

  /// Removes a token; whether it was there.
  func remove(_ token: [UInt8], topic: String?) throws(StorageFailure) -> Bool {
    try store.remove(sealer.seal(token), topic: topic)
  }

  /// Removes tokens that a feedback service named; the number of those that left.
  ///
  /// The service's seconds count as their end, so that a registration of the same second is older.
  public func removeDead(
    _ tokens: [(token: [UInt8], unixSeconds: Int64)]
  ) throws(StorageFailure) -> Int {
    try store.removeDead(
      tokens.map { one in
        DeadToken(
          sealed: sealer.seal(one.token), topic: nil, sinceMilliseconds: one.unixSeconds * 1_000)
      })
  }

  /// A page of tokens as objects, and the number after which the next one begins.
  func page(after number: Int64, limit: Int) throws(StorageFailure) -> (
    lines: [JSONObject], next: Int64?
  ) {
    let tokens = try store.tokens(after: number, limit: limit)
    let lines = tokens.map { line($0) }
    return (lines, tokens.count == limit ? tokens.last?.number : nil)
  }

  private func line(_ token: RegisteredToken) -> JSONObject {
    let registration = token.registration
    func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    return [
      "deviceToken": text(sealer.open(registration.sealed).map(Hexadecimal.encode)),
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
