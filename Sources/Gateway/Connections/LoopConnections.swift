import BelfryWire
import Storage

/// The connections of one loop by number; a single counter assigns the numbers.
struct LoopConnections {
  private var providers: [UInt64: any ProviderPeer] = [:]
  /// The loads of connections that closed before all of their pushes were answered.
  private var departed: [UInt64: ProviderLoad] = [:]
  private var teams: [String: TeamLoad] = [:]
  private var devices: [SessionID: DeviceConnection] = [:]
  private var feedbackClients: [UInt64: FeedbackConnection] = [:]
  private var lastNumber: UInt64 = 0

  var hasProviders: Bool { !providers.isEmpty }
  var isEmpty: Bool { providers.isEmpty && devices.isEmpty && feedbackClients.isEmpty }
  var counts: (providers: Int, devices: Int, feedbackClients: Int) {
    (providers.count, devices.count, feedbackClients.count)
  }

  /// Returns a number that no connection of this loop has had.
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

  /// Returns the load of a team on this loop.
  mutating func load(ofTeam team: String) -> TeamLoad {
    if let known = teams[team] { return known }
    let new = TeamLoad()
    teams[team] = new
    return new
  }

  func device(_ session: SessionID) -> DeviceConnection? { devices[session] }

  mutating func add(_ provider: any ProviderPeer) {
    assert(provider.number <= lastNumber && providers[provider.number] == nil)
    providers[provider.number] = provider
  }

  mutating func add(_ device: DeviceConnection) {
    assert(device.session.number <= lastNumber && devices[device.session] == nil)
    devices[device.session] = device
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

  /// Removes a device's connection and returns true if it was present.
  mutating func remove(_ device: DeviceConnection) -> Bool {
    devices.removeValue(forKey: device.session) != nil
  }

  mutating func removeFeedbackClient(_ number: UInt64) -> FeedbackConnection? {
    feedbackClients.removeValue(forKey: number)
  }

  /// All provider connections, sorted by number, so that operations on all of them have a deterministic order.
  var allProviders: [any ProviderPeer] {
    providers.values.sorted { $0.number < $1.number }
  }

  /// All device connections, sorted by number.
  var allDevices: [DeviceConnection] {
    devices.values.sorted { $0.session.number < $1.session.number }
  }

  /// Returns the connections of one device, sorted by number.
  ///
  /// It scans all connections, so use it only for rare operations.
  func devices(of device: UInt64) -> [DeviceConnection] {
    devices.values.filter { $0.device == device }
      .sorted { $0.session.number < $1.session.number }
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
    for (session, device) in devices {
      assert(
        device.session == session && session.number <= lastNumber,
        "a device is stored under its own session")
    }
    assert(
      feedbackClients.keys.allSatisfy { $0 <= lastNumber },
      "a feedback client has an assigned number")
  }
}
