internal import COpenSSL
internal import Glibc
internal import System

/// The verification of a certificate against authorities, as in TLS, but for any point in time.
public enum CertificateChain {
  /// The purpose of a certificate.
  public enum Purpose: Sendable {
    case server
    case client
  }

  /// The reason why a certificate isn't valid.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    /// The certificate has expired; the time is in seconds since 1970.
    case expired(notAfter: Int64)
    /// The certificate isn't valid yet; the time is in seconds since 1970.
    case notYetValid(notBefore: Int64)
    /// The authority's certificate has expired; the time is in seconds since 1970.
    case authorityExpired(notAfter: Int64)
    /// The authority's certificate isn't valid yet; the time is in seconds since 1970.
    case authorityNotYetValid(notBefore: Int64)
    /// None of the authorities signed the certificate.
    case foreignIssuer
    /// The authority's name constraints don't permit one of the certificate's names.
    case forbiddenName
    /// The certificate or an authority's certificate is malformed or breaks another rule. The text is OpenSSL's.
    case refused(String)

    /// A description of the problem and how to fix it.
    public var description: String {
      switch self {
      case .expired: "the certificate has expired: request a new one"
      case .notYetValid: "the certificate is not valid yet: check the clock"
      case .authorityExpired(let notAfter):
        "the certificate's authority expired \(Self.time(notAfter)): run 'belfry ca rotate' and "
          + "'belfry ca finish --force' on the gateway, or replace the CA certificate if it is your "
          + "own, and let the devices join again"
      case .authorityNotYetValid(let notBefore):
        "the certificate's authority is not valid before \(Self.time(notBefore)): check the clock"
      case .foreignIssuer: "the certificate is not signed by this authority"
      case .forbiddenName: "the certificate contains a name that its authority may not sign"
      case .refused(let reason): "the certificate is refused: \(reason)"
      }
    }

    private static func time(_ seconds: Int64) -> String {
      Timestamp.rfc3339(unixMilliseconds: seconds * 1_000)
    }
  }

  /// Throws unless one of `authorities` signed `certificate` for `purpose` and both are valid at `now` (seconds since
  /// 1970).
  public static func check(
    _ certificate: Certificate, authorities: [Certificate], purpose: Purpose, now: Int64
  ) throws(Failure) {
    do {
      let leaf = try X509Handle(der: certificate.der)
      let store = try TrustStore(authorities)
      guard let refusal = try store.refusal(of: leaf, purpose: purpose, now: now) else { return }
      switch refusal.reason {
      case X509_V_ERR_CERT_HAS_EXPIRED:
        if let authority = refusal.authority {
          throw Failure.authorityExpired(notAfter: authority.notAfter)
        }
        throw Failure.expired(notAfter: certificate.notAfter)
      case X509_V_ERR_CERT_NOT_YET_VALID:
        if let authority = refusal.authority {
          throw Failure.authorityNotYetValid(notBefore: authority.notBefore)
        }
        throw Failure.notYetValid(notBefore: certificate.notBefore)
      case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
        X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        throw Failure.foreignIssuer
      case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION:
        throw Failure.forbiddenName
      default:
        throw Failure.refused(
          unsafe String(cString: X509_verify_cert_error_string(Int(refusal.reason))))
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw .refused("\(error)")
    }
  }
}

/// An `X509_STORE` of authorities.
@safe private final class TrustStore {
  private let store: OpaquePointer

  /// The reason that a certificate isn't valid.
  struct Refusal {
    /// OpenSSL's code for the reason.
    let reason: Int32
    /// The authority to which the reason applies; nil if it applies to the certificate itself.
    let authority: Certificate?
  }

  init(_ authorities: [Certificate]) throws(CryptoFailure) {
    guard let store = unsafe X509_STORE_new() else {
      throw OpenSSLErrors.failure("create a certificate store")
    }
    unsafe self.store = store
    for authority in authorities {
      let handle = try X509Handle(der: authority.der)
      guard unsafe X509_STORE_add_cert(store, handle.pointer) == 1 else {
        throw OpenSSLErrors.failure("trust an authority")
      }
    }
  }

  /// Returns the reason that `leaf` isn't valid, or nil if it is valid.
  func refusal(
    of leaf: X509Handle, purpose: CertificateChain.Purpose, now: Int64
  ) throws(CryptoFailure) -> Refusal? {
    guard let context = unsafe X509_STORE_CTX_new() else {
      throw OpenSSLErrors.failure("check a certificate")
    }
    defer { unsafe X509_STORE_CTX_free(context) }
    guard unsafe X509_STORE_CTX_init(context, store, leaf.pointer, nil) == 1 else {
      throw OpenSSLErrors.failure("check a certificate")
    }
    unsafe X509_STORE_CTX_set_time(context, 0, time_t(now))
    let use = purpose == .server ? X509_PURPOSE_SSL_SERVER : X509_PURPOSE_SSL_CLIENT
    guard unsafe X509_STORE_CTX_set_purpose(context, use) == 1 else {
      throw OpenSSLErrors.failure("check a certificate")
    }
    if unsafe X509_verify_cert(context) == 1 { return nil }
    ERR_clear_error()
    let reason = unsafe X509_STORE_CTX_get_error(context)
    assert(reason != X509_V_OK, "a refusal has a reason")
    // The depth of the certificate itself is 0.
    guard unsafe X509_STORE_CTX_get_error_depth(context) > 0,
      let raw = unsafe X509_STORE_CTX_get_current_cert(context), unsafe X509_up_ref(raw) == 1
    else { return Refusal(reason: reason, authority: nil) }
    return Refusal(reason: reason, authority: try Certificate(unsafe X509Handle(owning: raw)))
  }

  deinit { unsafe X509_STORE_free(store) }
}
