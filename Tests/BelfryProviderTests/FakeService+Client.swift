import Transport

@testable import BelfryProvider

extension ProviderKey {
  /// Returns a new provider key for a team; the fake service accepts every key.
  static func sample() throws -> ProviderKey {
    try ProviderKey(p8: ES256PrivateKey().pkcs8PEM(), keyID: "KEYKEYKEY1", teamID: "TEAMTEAM01")
  }
}

extension FakeService {
  /// Returns a client of this service that uses a provider key unless other credentials are given.
  func client(
    credentials: ProviderCredentials? = nil, policy: RetryPolicy = RetryPolicy(),
    connections: Int = 1, group: ProviderClientGroup? = nil
  ) throws -> ProviderClient {
    try ProviderClient(
      .init(
        endpoint: ProviderEndpoint(host: "localhost", port: port),
        credentials: credentials ?? .token(ProviderKey.sample()), authorityPEM: authorityPEM,
        policy: policy, connections: connections),
      group: group)
  }
}
