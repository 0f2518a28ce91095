/// The connections of one provider front, by number.
struct ProviderConnections {
  private var providers: [UInt64: any ProviderPeer] = [:]
  /// The loads of connections that closed while some of their pushes were unanswered.
  private var departed: [UInt64: ProviderLoad] = [:]
  private var teams: [String: TeamLoad] = [:]
  private var feedbackClients: [UInt64: FeedbackConnection] = [:]
  private var lastNumber: UInt64 = 0

  /// True if no provider is connected; feedback clients don't count.
  var isEmpty: Bool { providers.isEmpty }
  var counts: (providers: Int, feedbackClients: Int) {
    (providers.count, feedbackClients.count)
  }

  /// Returns a number that no connection of this front has had.
  mutating func makeNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  func provider(_ number: UInt64) -> (any ProviderPeer)? { providers[number] }

  /// Counts the answer to a push of a connection; returns the connection if it is still open.
  mutating func answered(_ number: UInt64) -> (any ProviderPeer)? {
    if let provider = providers[number] {
      provider.load.end()
      return provider
    }
    guard let load = departed[number] else { return nil }
    load.end()
    if load.unanswered == 0 { departed[number] = nil }
    return nil
  }

  /// Returns the count of a team's unanswered pushes on this front.
  mutating func load(ofTeam team: String) -> TeamLoad {
    if let known = teams[team] { return known }
    let new = TeamLoad()
    teams[team] = new
    return new
  }

  mutating func add(_ provider: any ProviderPeer) {
    assert(provider.number <= lastNumber && providers[provider.number] == nil)
    providers[provider.number] = provider
  }

  /// Adds a feedback client that is waiting for its answer, and returns its number.
  mutating func addWaiting(_ client: FeedbackConnection) -> UInt64 {
    let number = makeNumber()
    feedbackClients[number] = client
    return number
  }

  /// Removes a provider's connection and returns true if it was present.
  mutating func remove(_ provider: any ProviderPeer) -> Bool {
    guard providers.removeValue(forKey: provider.number) != nil else { return false }
    if provider.load.unanswered > 0 { departed[provider.number] = provider.load }
    return true
  }

  mutating func removeFeedbackClient(_ number: UInt64) -> FeedbackConnection? {
    feedbackClients.removeValue(forKey: number)
  }

  /// All connections, sorted by number, so that operations on all of them have a deterministic order.
  var all: [any ProviderPeer] {
    providers.values.sorted { $0.number < $1.number }
  }

  func checkInvariants() {
    for (number, provider) in providers {
      assert(
        provider.number == number && number <= lastNumber,
        "a provider is stored under its own number")
    }
    assert(
      departed.values.allSatisfy { $0.unanswered > 0 },
      "a departed provider's load has unanswered requests")
    assert(
      feedbackClients.keys.allSatisfy { $0 <= lastNumber },
      "a feedback client has an assigned number")
  }
}
