public import Transport

/// A verifier of senders' tokens (RFC 8292 section 4.2) that checks the signature of each distinct token once.
///
/// A signature check takes about 80 µs, and senders reuse their tokens. The verifier caches invalid signatures too, so
/// that rejecting a flood of the same token is cheap. It is confined to its loop.
public final class VAPIDVerifier {
  /// The outcome of checking a credential.
  public enum Outcome: Sendable {
    /// The token is valid for this subscription at this time.
    case verified(VAPIDToken)
    /// The request has no credential, and the subscription does not require one.
    case absent
    /// The credential is missing or invalid; a message of an unrestricted subscription is refused too.
    case refused(WebPushRefusal)
  }

  /// The part of an outcome that depends neither on the time nor on the subscription.
  private enum Known {
    case signed(VAPIDToken)
    case refused(WebPushRefusal)
  }

  private let origins: [WebPushOrigin]
  private let dialect: WebPushDialect
  private let hasher = SHA256Context()
  private var known: [SHA256.Digest: Known] = [:]

  /// Creates a verifier for endpoints at `origins`, of which a token's `aud` must contain at least one.
  public init(origins: [WebPushOrigin], dialect: WebPushDialect = .rfc) {
    precondition(!origins.isEmpty, "an endpoint has an origin")
    self.origins = origins
    self.dialect = dialect
  }

  /// Returns the outcome for a request's credential.
  ///
  /// `digest` is the SHA-256 hash of the key to which the subscription is restricted, or nil if the subscription is not
  /// restricted. `now` is in seconds since 1970.
  public func verify(
    _ credential: VAPIDCredential?, restrictedTo digest: SHA256.Digest? = nil, atSeconds now: Int64
  ) -> Outcome {
    guard let credential else {
      return digest == nil ? .absent : .refused(WebPushRefusal(.authorizationMissing))
    }
    switch signed(credential) {
    case .refused(let refusal): return .refused(refusal)
    case .signed(let token):
      do {
        try check(token, restrictedTo: digest, at: now)
        return .verified(token)
      } catch {
        return .refused(error)
      }
    }
  }

  /// The number of distinct tokens in the cache.
  var knownCount: Int { known.count }

  private func signed(_ credential: VAPIDCredential) -> Known {
    hasher.begin()
    hasher.update(credential.key)
    // No key contains a space.
    hasher.update([0x20])
    hasher.update(credential.token)
    let digest = hasher.finish()
    if let outcome = known[digest] { return outcome }
    let outcome: Known
    do {
      outcome = .signed(try VAPIDToken(verifying: credential))
    } catch {
      outcome = .refused(error)
    }
    if known.count >= WebPushLimits.verifiedTokensMax { known.removeAll(keepingCapacity: true) }
    known[digest] = outcome
    assert(known.count <= WebPushLimits.verifiedTokensMax, "the cache is within its limit")
    return outcome
  }

  private func check(
    _ token: VAPIDToken, restrictedTo digest: SHA256.Digest?, at now: Int64
  ) throws(WebPushRefusal) {
    if let digest, token.key.digest != digest { throw WebPushRefusal(.keyOfOtherSender) }
    try token.checkAudience(origins)
    try token.checkExpiration(atSeconds: now)
    if dialect == .apple { try token.checkSubject() }
  }
}
