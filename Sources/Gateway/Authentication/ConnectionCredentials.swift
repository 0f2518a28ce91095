public import BelfryWire
public import PushWire
import Transport

/// The rules for tokens on one provider connection: all tokens belong to the same team, their keys are related, and the
/// tokens don't change too often (apns-protocol 1.13, 2.1, 2.2).
public struct ConnectionCredentials {
  private struct Current {
    let key: ProviderVerificationKey
    var digest: SHA256.Digest
    var issuedAt: Int64
    var changedAtSeconds: Int64

    /// Returns true if `token` replaces this token too soon.
    ///
    /// A replacement is allowed 20 minutes after this token was first presented, or if the new token was issued at
    /// least 20 minutes after this one. The second condition lets a connection that began with an old token present the
    /// next token immediately, because the rule limits only how often a team issues tokens.
    func isHurried(by token: VerifiedToken, atSeconds now: Int64) -> Bool {
      let (made, overflow) = token.issuedAt.subtractingReportingOverflow(issuedAt)
      return now - changedAtSeconds < WireLimits.providerTokenRefreshSecondsMin
        && (overflow || made < WireLimits.providerTokenRefreshSecondsMin)
    }
  }

  /// The current tokens: one token, or two tokens whose keys are related.
  private var current: [Current] = []
  private let environment: BelfryWire.Environment

  /// Creates the rules for a new connection.
  public init(environment: BelfryWire.Environment) {
    self.environment = environment
  }

  /// Checks a token whose signature is valid; returns `nil` if the request can proceed.
  public mutating func present(_ token: VerifiedToken, atSeconds now: Int64) -> Rejection? {
    guard ProviderToken.isFresh(issuedAt: token.issuedAt, atSeconds: now) else {
      return .expiredProviderToken
    }
    guard token.key.environments.contains(environment) else { return .badEnvironmentKeyInToken }
    guard let first = current.first else {
      remember(token, now)
      return nil
    }
    guard first.key.teamID == token.key.teamID else { return .invalidProviderToken }
    if let index = current.firstIndex(where: { $0.key.id == token.key.id }) {
      guard current[index].digest != token.digest else { return nil }
      guard !current[index].isHurried(by: token, atSeconds: now) else {
        return .tooManyProviderTokenUpdates
      }
      current[index].digest = token.digest
      current[index].issuedAt = token.issuedAt
      current[index].changedAtSeconds = now
      return nil
    }
    if first.key.isRelated(to: token.key), current.count < 2 {
      remember(token, now)
      return nil
    }
    guard first.key.bundleIDs == nil, token.key.bundleIDs == nil else {
      return .unrelatedKeyIDInToken
    }
    // A different key of the same scope means that the team has rotated its keys.
    guard !first.isHurried(by: token, atSeconds: now) else { return .tooManyProviderTokenUpdates }
    current.removeAll()
    remember(token, now)
    return nil
  }

  private mutating func remember(_ token: VerifiedToken, _ now: Int64) {
    current.append(
      Current(
        key: token.key, digest: token.digest, issuedAt: token.issuedAt, changedAtSeconds: now))
  }
}
