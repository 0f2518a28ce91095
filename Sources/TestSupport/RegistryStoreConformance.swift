public import Storage
import Testing

/// A suite of checks for the requirements that every implementation of `RegistryStore` must meet.
///
/// Each check gets a new, empty store from `make`.
public struct RegistryStoreConformance: Sendable {
  let make: @Sendable () throws -> any RegistryStore
  static let topic = "com.example.app"

  /// Creates the suite for the stores that `make` creates.
  public init(_ make: @escaping @Sendable () throws -> any RegistryStore) { self.make = make }

  /// Runs every check in the suite.
  public func check() throws {
    try registersAndRenews()
    try replacesTheTokenOfAnInstallation()
    try neverReusesNumbers()
    try limitsNewTokens()
    try removesTokens()
    try removesDeadTokens()
    try findsTokens()
    try countsTokens()
    try probes()
    try refusesAfterClosing()
    try checkCampaigns()
    try checkSubscriptions()
    try agreesWithSQLite()
  }

  static func token(
    _ byte: UInt8, topic: String = topic, language: String? = nil, timeZone: String? = nil,
    user: String? = nil, installation: String? = nil, tags: [String] = [],
    environment: String? = nil, keys: [UInt8]? = nil
  ) -> TokenRegistration {
    assert(!topic.isEmpty, "a token has a topic")
    assert(byte > 0, "a token is not 0, so that a zeroed row differs")
    return TokenRegistration(
      sealed: [byte], topic: topic, language: language, timeZone: timeZone, user: user,
      installation: installation, tags: tags, environment: environment, keys: keys)
  }

  static func sealed(_ store: any RegistryStore) throws -> [[UInt8]] {
    try store.tokens(after: 0, limit: .max).map(\.registration.sealed)
  }

  private func registersAndRenews() throws {
    let store = try make()
    let first = Self.token(
      1, language: "fr-CA", timeZone: "Europe/Paris", user: "ann", tags: ["sport", "news", "news"],
      environment: "sandbox")
    #expect(try store.register(first, at: 10) == .added)
    var expected = first
    expected.tags = ["news", "sport"]
    let added = try #require(try store.tokens(after: 0, limit: 10).first)
    #expect(added.registration == expected)
    #expect(added.firstMilliseconds == 10 && added.lastMilliseconds == 10)
    #expect(try store.register(Self.token(1, language: "de"), at: 20) == .renewed)
    let renewed = try #require(try store.tokens(after: 0, limit: 10).first)
    #expect(renewed.registration == Self.token(1, language: "de"))
    #expect(renewed.number == added.number)
    #expect(renewed.firstMilliseconds == 10 && renewed.lastMilliseconds == 20)
    // A clock that is set back does not make a token older.
    #expect(try store.register(Self.token(1, tags: ["é", "e\u{301}"]), at: 5) == .renewed)
    let last = try #require(try store.tokens(after: 0, limit: 10).first)
    #expect(last.lastMilliseconds == 20)
    #expect(last.registration.tags.map { Array($0.utf8).count } == [3, 2])
    // The same token for another app is a separate registration, and one call can register it twice.
    #expect(
      try store.register([Self.token(1, topic: "b"), Self.token(1, topic: "b")], at: 30)
        == [.added, .renewed])
    #expect(try store.register([], at: 30) == [])
    #expect(try store.tokens(after: last.number, limit: 10).map(\.registration.topic) == ["b"])
    #expect(try store.tokens(after: 0, limit: 1).count == 1)
  }

  private func replacesTheTokenOfAnInstallation() throws {
    let store = try make()
    let changes = try store.register(
      [
        Self.token(1, installation: "phone", tags: ["a"]), Self.token(2, installation: "tablet"),
        Self.token(3, installation: "phone"), Self.token(4, topic: "b", installation: "phone"),
      ], at: 1)
    #expect(changes == [.added, .added, .replaced, .added])
    #expect(try Self.sealed(store) == [[3], [2], [4]])
    #expect(try store.tokens(after: 0, limit: 1).first?.registration.tags == [])
    // A known token that moves to another installation replaces that installation's token.
    #expect(try store.register(Self.token(3, installation: "tablet"), at: 2) == .renewed)
    #expect(try Self.sealed(store) == [[3], [4]])
    #expect(try store.tokenCount() == 2)
  }

  private func neverReusesNumbers() throws {
    let store = try make()
    _ = try store.register([Self.token(1), Self.token(2)], at: 1)
    let last = try #require(try store.tokens(after: 0, limit: 10).last?.number)
    #expect(try store.remove([2], topic: nil))
    #expect(try store.register(Self.token(2), at: 2) == .added)
    #expect(try store.tokens(after: last, limit: 10).count == 1)
  }

  private func limitsNewTokens() throws {
    let store = try make()
    let limit = RegistrationLimit(topics: [Self.topic, "b"], tokens: 2)
    let tokens = [
      Self.token(1, installation: "phone"), Self.token(2, topic: "b"), Self.token(3),
      Self.token(4, topic: "other"),
    ]
    #expect(try store.register(tokens, at: 1, limit: limit) == [.added, .added, .full, .full])
    #expect(
      try store.register(Self.token(1, installation: "phone"), at: 2, limit: limit) == .renewed)
    #expect(
      try store.register(Self.token(5, installation: "phone"), at: 2, limit: limit) == .replaced)
    #expect(try store.register(Self.token(3), at: 2, limit: limit) == .full)
    #expect(try store.remove([2], topic: "b"))
    #expect(try store.register(Self.token(3), at: 2, limit: limit) == .added)
    #expect(try store.tokenCount() == 2)
  }

  private func removesTokens() throws {
    let store = try make()
    _ = try store.register(
      [Self.token(1), Self.token(1, topic: "b"), Self.token(1, topic: "c")], at: 1)
    #expect(try store.remove([1], topic: "b"))
    #expect(try !store.remove([1], topic: "b"))
    #expect(try store.remove([1], topic: nil))
    #expect(try !store.remove([1], topic: nil))
    #expect(try store.tokenCount() == 0)
    #expect(try store.departures() == [:])
  }

  private func removesDeadTokens() throws {
    let store = try make()
    func dead(
      _ byte: UInt8, _ topic: String? = nil, since: Int64 = 5, environment: String? = nil
    ) -> DeadToken {
      DeadToken(
        sealed: [byte], topic: topic, sinceMilliseconds: since, environment: environment)
    }
    _ = try store.register(
      [
        Self.token(1), Self.token(1, topic: "b"), Self.token(2), Self.token(3),
        Self.token(4, environment: "sandbox"), Self.token(5), Self.token(6),
      ], at: 5)
    _ = try store.register(Self.token(2), at: 6)
    #expect(try store.removeDead([dead(1), dead(2), dead(3, "b"), dead(1), dead(9)]) == 2)
    #expect(
      try store.removeDead([
        dead(4, environment: "sandbox"), dead(5, environment: "sandbox"), dead(6, Self.topic),
      ]) == 2)
    #expect(try store.removeDead([]) == 0)
    #expect(try Self.sealed(store) == [[2], [3], [5]])
    #expect(try store.departures() == [Self.topic: 3, "b": 1])
    #expect(try store.tokenCount() == 3)
  }

  private func findsTokens() throws {
    let store = try make()
    _ = try store.register(
      [
        Self.token(1, language: "fr", user: "ann", tags: ["news"]),
        Self.token(2, language: "fr-CA", user: "bob", tags: ["news", "sport"]),
        Self.token(3, language: "fro", user: "ann"), Self.token(1, topic: "b", tags: ["news"]),
      ], at: 1)
    func found(_ change: (inout TokenFilter) -> Void) throws -> [[UInt8]] {
      var filter = TokenFilter()
      change(&filter)
      let page = try store.tokens(matching: filter, after: 0, limit: 10)
      #expect(page.next == nil)
      return page.tokens.map(\.registration.sealed)
    }
    #expect(try found { _ in }.count == 4)
    #expect(try found { $0.sealed = [1] } == [[1], [1]])
    #expect(try found { ($0.sealed, $0.topic) = ([1], "b") } == [[1]])
    #expect(try found { $0.user = "ann" } == [[1], [3]])
    #expect(try found { ($0.user, $0.tag) = ("ann", "news") } == [[1]])
    #expect(try found { $0.tag = "news" } == [[1], [2], [1]])
    #expect(try found { ($0.tag, $0.topic) = ("news", "b") } == [[1]])
    #expect(try found { $0.language = "FR" } == [[1], [2]])
    #expect(try found { $0.language = "fr-ca" } == [[2]])
    #expect(try found { $0.language = "f" } == [])
    #expect(try found { ($0.sealed, $0.user, $0.language) = ([2], "bob", "fr") } == [[2]])
    var filter = TokenFilter()
    filter.tag = "news"
    let first = try store.tokens(matching: filter, after: 0, limit: 2)
    #expect(first.tokens.map(\.registration.tags) == [["news"], ["news", "sport"]])
    let next = try #require(first.next)
    let second = try store.tokens(matching: filter, after: next, limit: 2)
    #expect(second.tokens.map(\.registration.topic) == ["b"] && second.next == nil)
  }

  private func countsTokens() throws {
    let store = try make()
    #expect(try store.tokenCount() == 0)
    _ = try store.register(
      [
        Self.token(1, language: "fr"), Self.token(2, language: "fr"), Self.token(3),
        Self.token(4, topic: "b", environment: "sandbox"),
      ], at: 1)
    #expect(try store.tokenCount() == 4)
    #expect(
      try store.shares() == [
        RegistryShare(topic: "b", language: nil, environment: "sandbox", count: 1),
        RegistryShare(topic: Self.topic, language: "fr", environment: nil, count: 2),
        RegistryShare(topic: Self.topic, language: nil, environment: nil, count: 1),
      ])
  }

  private func probes() throws {
    let store = try make()
    try store.probe()
    #expect(store.health.failure == nil)
    #expect(store.damage.count == 0)
    #expect(try store.rowsSetAside().isEmpty)
    #expect(try store.forgetSetAside() == 0)
    #expect(try store.departures() == [:])
  }

  private func refusesAfterClosing() throws {
    let store = try make()
    store.close()
    #expect(throws: StorageFailure.self) { try store.tokenCount() }
    #expect(throws: StorageFailure.self) { try store.register(Self.token(1), at: 1) }
  }

  /// Applies random operations to the store and to an SQLite store, and compares their contents.
  private func agreesWithSQLite() throws {
    let store = try make()
    let model = try SQLiteRegistryStore(path: "")
    var random = SeededGenerator(seed: 7)
    for number in UInt64(1)...250 {
      let contents = try RegistryUnderPowerCuts.contents(in: model)
      let operation = RegistryUnderPowerCuts.operation(after: contents, number: number, &random)
      try RegistryUnderPowerCuts.apply(operation, to: model)
      try RegistryUnderPowerCuts.apply(operation, to: store)
      assert(contents.tokens.count <= 300, "the operations use a limited number of tokens")
      guard number.isMultiple(of: 10) else { continue }
      let expected = try RegistryUnderPowerCuts.contents(in: model)
      let found = try RegistryUnderPowerCuts.contents(in: store)
      #expect(
        expected == found,
        "after \(number): \(RegistryUnderPowerCuts.difference(expected, found))")
      #expect(try store.tokenCount() == model.tokenCount())
      #expect(try store.departures() == model.departures())
    }
  }
}
