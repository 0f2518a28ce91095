public import BelfryWire
import Storage
import Transport

/// Checks provider tokens, each distinct one once: a signature costs about 80 µs.
///
/// Confined to its loop. Refusals are cached too, so that a flood of bad tokens is cheap; a new directory
/// empties the cache, which makes revocation immediate.
public final class TokenVerifier {
  /// A token's outcome.
  public enum Outcome {
    case verified(VerifiedToken)
    case refused(Rejection)
  }

  private var directory: CredentialDirectory
  private let hasher = SHA256Context()
  private var known: [SHA256.Digest: Outcome] = [:]
  /// Distinct tokens in the cache; a full cache is emptied.
  private static let knownMax = 4_096

  private let acceptsES512: Bool

  /// A verifier that knows the keys of `directory`.
  ///
  /// `acceptsES512`: whether SHA-512 may stand in for SHA-256, as one client library has it.
  public init(directory: CredentialDirectory, acceptsES512: Bool = true) {
    self.directory = directory
    self.acceptsES512 = acceptsES512
  }

  /// Replaces what is known about keys.
  public func use(_ directory: CredentialDirectory) {
    let isOther = directory.credentialsVersion != self.directory.credentialsVersion
    self.directory = directory
    if isOther { known.removeAll() }
  }

  /// The outcome for an `authorization` value (apns-protocol 1.12, step 4).
  public func verify(authorization: Span<UInt8>) -> Outcome {
    guard authorization.count > 0, let start = ProviderToken.start(in: authorization) else {
      return .refused(.missingProviderToken)
    }
    let text = authorization.extracting(start..<authorization.count)
    let digest = unsafe text.withUnsafeBytes { unsafe hasher.hash($0) }
    if let outcome = known[digest] { return outcome }
    let outcome = check(text, digest: digest)
    if known.count >= Self.knownMax { known.removeAll(keepingCapacity: true) }
    known[digest] = outcome
    return outcome
  }

  private func check(_ text: Span<UInt8>, digest: SHA256.Digest) -> Outcome {
    guard let token = try? ProviderToken(text) else { return .refused(.invalidProviderToken) }
    guard let key = directory.key(token.keyID) else {
      let mayBeDamaged = directory.damage.mayHave(.providerKey(token.keyID))
      return .refused(mayBeDamaged ? .serviceUnavailable : .invalidProviderToken)
    }
    guard key.teamID == token.teamID, token.algorithm == .es256 || acceptsES512
    else { return .refused(.invalidProviderToken) }
    let hash = token.algorithm == .es256 ? SignatureDigest.sha256 : .sha512
    let isSigned = unsafe text.extracting(0..<token.signedByteCount).withUnsafeBytes { message in
      unsafe token.signature.withUnsafeBytes { signature in
        // Two integers of 32 bytes, or of the 66 that ES512 has; else DER.
        unsafe token.signature.count == 64 || token.signature.count == 132
          ? key.publicKey.verify(rawSignature: signature, message: message, digest: hash)
          : key.publicKey.verify(derSignature: signature, message: message, digest: hash)
      }
    }
    guard isSigned else { return .refused(.invalidProviderToken) }
    return .verified(VerifiedToken(key: key, issuedAt: token.issuedAt, digest: digest))
  }
}
