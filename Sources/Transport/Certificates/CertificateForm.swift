internal import COpenSSL
internal import Glibc

/// The content of a certificate before it is signed.
struct CertificateForm {
  var commonName: String
  var organizationalUnit: String?
  var uid: String?
  var serial: [UInt8] = Self.randomSerial()
  /// The start of validity, in seconds since 1970.
  var notBefore: Int64
  /// The end of validity, in seconds since 1970.
  var notAfter: Int64
  var publicKey: EVPKey
  var extensions: [CertificateExtension] = []

  /// Returns a random serial number of 16 bytes.
  ///
  /// The top bit is clear and the next bit is set, so that the number is positive and always has 16 bytes in DER.
  static func randomSerial() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    let done = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      unsafe RAND_bytes(buffer.baseAddress, Int32(buffer.count))
    }
    precondition(done == 1, "OpenSSL provides random bytes")
    bytes[0] = bytes[0] & 0x3F | 0x40
    return bytes
  }

  /// Signs the certificate with `signer` on behalf of `issuer`; if `issuer` is nil, the certificate is self-signed.
  func signed(by signer: EVPKey, issuer: X509Handle?) throws(CryptoFailure) -> X509Handle {
    guard let pointer = unsafe X509_new() else {
      throw OpenSSLErrors.failure("create a certificate")
    }
    let certificate = unsafe X509Handle(owning: pointer)
    // Version 3 is encoded as 2 (RFC 5280 section 4.1.2.1).
    guard unsafe X509_set_version(pointer, 2) == 1 else {
      throw OpenSSLErrors.failure("create a certificate")
    }
    try unsafe setSerial(of: pointer)
    try unsafe setValidity(of: pointer)
    try unsafe setSubject(of: pointer)
    let issuerName = unsafe X509_get_subject_name(issuer?.pointer ?? pointer)
    guard unsafe X509_set_issuer_name(pointer, issuerName) == 1,
      unsafe X509_set_pubkey(pointer, publicKey.pointer) == 1
    else { throw OpenSSLErrors.failure("set the issuer of a certificate") }
    let subjectKey = CertificateExtension.keyIdentifier(of: try publicKey.publicDER())
    let issuerKey = CertificateExtension.keyIdentifier(of: try signer.publicDER())
    let identifiers = [
      CertificateExtension.subjectKeyIdentifier(subjectKey),
      CertificateExtension.authorityKeyIdentifier(issuerKey),
    ]
    for one in extensions + identifiers { try unsafe add(one, to: pointer) }
    guard unsafe X509_sign(pointer, signer.pointer, EVP_sha256()) > 0 else {
      throw OpenSSLErrors.failure("sign a certificate")
    }
    return certificate
  }

  private func setSerial(of certificate: OpaquePointer) throws(CryptoFailure) {
    let number = unsafe BN_bin2bn(serial, Int32(serial.count), nil)
    defer { unsafe BN_free(number) }
    guard unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil else {
      throw OpenSSLErrors.failure("set the serial number of a certificate")
    }
  }

  private func setValidity(of certificate: OpaquePointer) throws(CryptoFailure) {
    guard unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(notBefore)) != nil,
      unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(notAfter)) != nil
    else { throw OpenSSLErrors.failure("set the validity of a certificate") }
  }

  private func setSubject(of certificate: OpaquePointer) throws(CryptoFailure) {
    let name = unsafe X509_get_subject_name(certificate)
    let entries: [(Int32, String?)] = [
      (NID_userId, uid), (NID_commonName, commonName),
      (NID_organizationalUnitName, organizationalUnit),
    ]
    for (nid, text) in entries {
      guard let text else { continue }
      let bytes = Array(text.utf8)
      guard
        unsafe X509_NAME_add_entry_by_NID(
          name, nid, MBSTRING_FLAG, bytes, Int32(bytes.count), -1, 0) == 1
      else {
        ERR_clear_error()
        throw .malformed(expected: "a name of 1 to 64 characters instead of '\(text)'")
      }
    }
  }

  private func add(
    _ addition: CertificateExtension, to certificate: OpaquePointer
  ) throws(CryptoFailure) {
    let encoded = DER.objectIdentifier(addition.identifier)
    let object = unsafe encoded.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return unsafe d2i_ASN1_OBJECT(nil, &cursor, buffer.count)
    }
    defer { unsafe ASN1_OBJECT_free(object) }
    let data = unsafe ASN1_OCTET_STRING_new()
    defer { unsafe ASN1_OCTET_STRING_free(data) }
    guard
      unsafe ASN1_OCTET_STRING_set(data, addition.value, Int32(addition.value.count)) == 1,
      let made = unsafe X509_EXTENSION_create_by_OBJ(
        nil, object, addition.isCritical ? 1 : 0, data)
    else { throw OpenSSLErrors.failure("add an extension to a certificate") }
    defer { unsafe X509_EXTENSION_free(made) }
    guard unsafe X509_add_ext(certificate, made, -1) == 1 else {
      throw OpenSSLErrors.failure("add an extension to a certificate")
    }
  }
}
