import COpenSSL

/// Descriptions of connection failures, each of which tells which side rejected the connection.
enum TLSReason {
  static let unknownAuthority = "certificate of an unknown CA: trust the CA that signed it"
  static let unknownClientAuthority =
    "certificate of an unknown CA: the client needs a new certificate of this gateway's CA"
  static let wrongSignature = "the certificate's signature is invalid"
  static let otherName = "the certificate is for another name"
  static let refusedAuthority = "the peer reported: certificate of an unknown CA"
  static let untrustedByClient =
    refusedAuthority + ": the client must trust the CA that signed the gateway's certificate"
  static let refusedCertificate = "the peer reported: certificate not accepted"

  /// Returns the reason why `ssl` failed on this thread, and empties OpenSSL's error queue.
  static func pop(_ ssl: OpaquePointer) -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    let reason = Int32(truncatingIfNeeded: code & 0x7f_ffff)
    if reason == SSL_R_CERTIFICATE_VERIFY_FAILED {
      return unsafe verification(SSL_get_verify_result(ssl))
    }
    if let known = text(reason) { return known }
    guard code != 0, let text = unsafe ERR_reason_error_string(code) else {
      return "the peer aborted the handshake"
    }
    return unsafe String(cString: text)
  }

  /// Returns the reason that this side rejects the peer's certificate.
  static func verification(_ code: Int) -> String {
    switch Int32(truncatingIfNeeded: code) {
    case X509_V_ERR_CERT_REVOKED: "certificate revoked"
    case X509_V_ERR_CERT_HAS_EXPIRED: "certificate expired"
    case X509_V_ERR_CERT_NOT_YET_VALID: "certificate not yet valid: check the clocks"
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
      X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      unknownAuthority
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      otherName
    case X509_V_ERR_INVALID_PURPOSE: "certificate is not valid for this purpose"
    case X509_V_ERR_CERT_SIGNATURE_FAILURE: wrongSignature
    default: "certificate refused: \(unsafe String(cString: X509_verify_cert_error_string(code)))"
    }
  }

  private static func text(_ reason: Int32) -> String? {
    switch reason {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: "client certificate missing"
    case SSL_R_HTTP_REQUEST: "the peer speaks HTTP without TLS"
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_BAD_RECORD_TYPE, SSL_R_UNEXPECTED_MESSAGE:
      "the peer does not speak TLS"
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_VERSION_TOO_LOW:
      "no common TLS version: use TLS 1.2 or 1.3"
    case SSL_R_NO_SHARED_CIPHER: "no common cipher"
    case SSL_R_NO_APPLICATION_PROTOCOL: "no common application protocol (ALPN)"
    case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
      "the peer has no common application protocol (ALPN): check the port"
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED: "the peer reported: certificate revoked"
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED: "the peer reported: certificate expired"
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA: refusedAuthority
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE: "the peer reported: bad certificate"
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN: refusedCertificate
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the peer reported: client certificate missing"
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED: "the peer reported: access denied"
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE: "the peer reported: handshake failure"
    default: nil
    }
  }
}
