public import PushWire
import Storage
import Transport

/// A verifier of provider tokens that checks each distinct token once, because a signature check takes about 80 µs.
///
/// The verifier is confined to its loop. It caches refusals too, so that rejecting a flood of invalid tokens is cheap.
/// A new directory empties the cache, so that revocations take effect immediately.
public final class TokenVerifier {
  /// The outcome of checking a token.
  public enum Outcome {
    case verified(VerifiedToken)
    case refused(Rejection)
  }

  private var directory: CredentialDirectory
  private let hasher = SHA256Context()
  private var known: [SHA256.Digest: Outcome] = [:]
  /// The maximum number of distinct tokens in the cache, which is emptied when it is full.
  private static let knownMax = 4_096

  private let acceptsES512: Bool

  /// Creates a verifier for tokens that are signed with the keys in `directory`.
  ///
  /// If `acceptsES512` is true, the verifier accepts SHA-512 in place of SHA-256, because one client library signs that
  /// way.
  public init(directory: CredentialDirectory, acceptsES512: Bool = true) {
    self.directory = directory
    self.acceptsES512 = acceptsES512
  }

  /// Replaces the known keys.
  public func use(_ directory: CredentialDirectory) {
    let isOther = directory.credentialsVersion != self.directory.credentialsVersion
    self.directory = directory
    if isOther { known.removeAll() }
  }

  /// Returns the outcome for an `authorization` value (apns-protocol 1.12, step 4).
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
        // A raw signature consists of two integers of 32 bytes each, or of 66 bytes each for ES512. A signature of any
        // other length is in DER.
        unsafe token.signature.count == 64 || token.signature.count == 132
          ? key.publicKey.verify(rawSignature: signature, message: message, digest: hash)
          : key.publicKey.verify(derSignature: signature, message: message, digest: hash)
      }
    }
    guard isSigned else { return .refused(.invalidProviderToken) }
    return .verified(VerifiedToken(key: key, issuedAt: token.issuedAt, digest: digest))
  }
}
