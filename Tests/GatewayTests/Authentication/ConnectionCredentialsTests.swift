import BelfryWire
import Gateway
import Testing
import Transport

@Suite struct ConnectionCredentialsTests {
  private static let now: Int64 = 1_700_000_000

  private func key(
    _ id: String, team: String = "TEAMAAAAAA",
    environments: Set<BelfryWire.Environment> = [.sandbox, .production],
    topics: Set<[UInt8]>? = nil, related: String? = nil
  ) throws -> ProviderVerificationKey {
    ProviderVerificationKey(
      id: id, teamID: team, publicKey: try ES256PrivateKey().publicKey,
      environments: environments, bundleIDs: topics, relatedKeyID: related)
  }

  private func token(_ key: ProviderVerificationKey, _ text: String, issuedAt: Int64 = now)
    -> VerifiedToken
  {
    VerifiedToken(key: key, issuedAt: issuedAt, digest: SHA256.hash(Array(text.utf8)))
  }

  private let specific: Set<[UInt8]> = [Array("com.example.app".utf8)]

  @Test func `F31 the same token may be used for an hour`() throws {
    var connection = ConnectionCredentials(environment: .sandbox)
    let token = token(try key("A"), "one")
    for age: Int64 in [0, 1_500, 3_600] {
      #expect(connection.present(token, atSeconds: Self.now + age) == nil)
    }
    #expect(connection.present(token, atSeconds: Self.now + 3_601) == .expiredProviderToken)
  }

  @Test func `F30 a second token within twenty minutes is too many`() throws {
    var connection = ConnectionCredentials(environment: .sandbox)
    let key = try key("A")
    #expect(connection.present(token(key, "one"), atSeconds: Self.now) == nil)
    #expect(
      connection.present(token(key, "two"), atSeconds: Self.now + 60)
        == .tooManyProviderTokenUpdates)
    #expect(connection.present(token(key, "one"), atSeconds: Self.now + 60) == nil)
    #expect(connection.present(token(key, "two"), atSeconds: Self.now + 1_200) == nil)
  }

  @Test func `a token made twenty minutes after the first may follow it at once`() throws {
    var connection = ConnectionCredentials(environment: .sandbox)
    let key = try key("A")
    let old = token(key, "old", issuedAt: Self.now - 3_500)
    #expect(connection.present(old, atSeconds: Self.now) == nil)
    #expect(connection.present(token(key, "new"), atSeconds: Self.now + 60) == nil)
    #expect(
      connection.present(token(key, "newer", issuedAt: Self.now + 60), atSeconds: Self.now + 61)
        == .tooManyProviderTokenUpdates)
  }

  @Test func `a change to a related key is allowed at once, whichever of the two is used first`()
    throws
  {
    let named = try key("A", topics: specific)
    let naming = try key("B", topics: specific, related: "A")
    for (first, second) in [(named, naming), (naming, named)] {
      var connection = ConnectionCredentials(environment: .sandbox)
      #expect(connection.present(token(first, "one"), atSeconds: Self.now) == nil)
      #expect(connection.present(token(second, "two"), atSeconds: Self.now + 1) == nil)
      #expect(
        connection.present(token(second, "three"), atSeconds: Self.now + 2)
          == .tooManyProviderTokenUpdates)
    }
  }

  @Test func `after a team-scoped key no topic-specific one is taken`() throws {
    var connection = ConnectionCredentials(environment: .sandbox)
    #expect(connection.present(token(try key("A"), "one"), atSeconds: Self.now) == nil)
    let specific = try key("B", topics: specific)
    #expect(
      connection.present(token(specific, "two"), atSeconds: Self.now + 1_300)
        == .unrelatedKeyIDInToken)
  }

  @Test func `a token that is refused does not tie the connection to its team or key`() throws {
    var connection = ConnectionCredentials(environment: .sandbox)
    let production = try key("P", team: "TEAMBBBBBB", environments: [.production])
    #expect(
      connection.present(token(production, "one"), atSeconds: Self.now) == .badEnvironmentKeyInToken
    )
    let stale = token(try key("S", team: "TEAMBBBBBB"), "two", issuedAt: Self.now - 3_601)
    #expect(connection.present(stale, atSeconds: Self.now) == .expiredProviderToken)
    #expect(connection.present(token(try key("A"), "three"), atSeconds: Self.now) == nil)
  }

  @Test func `F33 a key of the other environment is refused`() throws {
    var connection = ConnectionCredentials(environment: .sandbox)
    #expect(connection.present(token(try key("A"), "one"), atSeconds: Self.now) == nil)
    let production = try key("B", environments: [.production])
    #expect(
      connection.present(token(production, "two"), atSeconds: Self.now)
        == .badEnvironmentKeyInToken)
  }

  @Test func `one connection never mixes teams`() throws {
    var connection = ConnectionCredentials(environment: .sandbox)
    #expect(connection.present(token(try key("A"), "one"), atSeconds: Self.now) == nil)
    let foreign = try key("B", team: "TEAMBBBBBB")
    #expect(
      connection.present(token(foreign, "two"), atSeconds: Self.now + 5) == .invalidProviderToken)
  }

  @Test func `F35 an unrelated topic-specific key is refused, a related one is not`() throws {
    var connection = ConnectionCredentials(environment: .sandbox)
    let first = try key("A", topics: specific)
    let related = try key("B", topics: specific, related: "A")
    let unrelated = try key("C", topics: specific)
    #expect(connection.present(token(first, "one"), atSeconds: Self.now) == nil)
    #expect(
      connection.present(token(unrelated, "x"), atSeconds: Self.now) == .unrelatedKeyIDInToken)
    #expect(connection.present(token(related, "two"), atSeconds: Self.now) == nil)
    #expect(connection.present(token(first, "one"), atSeconds: Self.now) == nil)
    #expect(
      connection.present(token(try key("T"), "team"), atSeconds: Self.now)
        == .unrelatedKeyIDInToken)
  }

  @Test func `a team may change its key, but not in a hurry`() throws {
    var connection = ConnectionCredentials(environment: .sandbox)
    let old = try key("A")
    let new = try key("B")
    #expect(connection.present(token(old, "one"), atSeconds: Self.now) == nil)
    #expect(
      connection.present(token(new, "two"), atSeconds: Self.now + 60)
        == .tooManyProviderTokenUpdates)
    #expect(connection.present(token(new, "two"), atSeconds: Self.now + 1_200) == nil)
  }
}
