internal import COpenSSL
internal import Glibc

/// The owner of an `X509` object.
///
/// The `@unchecked Sendable` conformance is safe because only the builder has a reference while the object changes.
@safe final class X509Handle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

  convenience init(der: [UInt8]) throws(CryptoFailure) {
    guard der.count <= Limits.credentialBytesMax else {
      throw .malformed(expected: "a certificate in DER")
    }
    let read = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var cursor = buffer.baseAddress
      guard let certificate = unsafe d2i_X509(nil, &cursor, buffer.count) else { return nil }
      guard unsafe cursor == buffer.baseAddress.map({ unsafe $0 + buffer.count }) else {
        unsafe X509_free(certificate)
        return nil
      }
      return unsafe certificate
    }
    guard let read = unsafe read else {
      ERR_clear_error()
      throw .malformed(expected: "a certificate in DER")
    }
    unsafe self.init(owning: read)
  }

  convenience init(pem: [UInt8]) throws(CryptoFailure) {
    let sink = try ByteSink.reading(pem)
    guard let read = unsafe PEM_read_bio_X509(sink.bio, nil, nil, nil) else {
      ERR_clear_error()
      throw .malformed(expected: "a certificate in PEM")
    }
    unsafe self.init(owning: read)
  }

  func der() throws(CryptoFailure) -> [UInt8] {
    try unsafe derBytes("encode a certificate") { unsafe i2d_X509(pointer, $0) }
  }

  func pem() throws(CryptoFailure) -> [UInt8] {
    let sink = try ByteSink()
    guard unsafe PEM_write_bio_X509(sink.bio, pointer) == 1 else {
      throw OpenSSLErrors.failure("encode a certificate")
    }
    return sink.bytes()
  }

  func publicKeySPKI() throws(CryptoFailure) -> [UInt8] {
    let key = unsafe X509_get_X509_PUBKEY(pointer)
    return try unsafe derBytes("encode a public key") { unsafe i2d_X509_PUBKEY(key, $0) }
  }

  func publicKey() throws(CryptoFailure) -> EVPKey {
    guard let key = unsafe X509_get_pubkey(pointer) else {
      ERR_clear_error()
      throw .unsupportedKey
    }
    return try unsafe EVPKey(owning: key)
  }

  /// Returns the subject's first entry of kind `nid`, or nil if the entry doesn't exist or isn't text.
  func subjectText(_ nid: Int32) -> String? {
    guard let name = unsafe X509_get_subject_name(pointer) else { return nil }
    let index = unsafe X509_NAME_get_index_by_NID(name, nid, -1)
    guard index >= 0, let entry = unsafe X509_NAME_get_entry(name, index) else { return nil }
    var text: UnsafeMutablePointer<UInt8>?
    let count = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
    guard count >= 0, let start = unsafe text else {
      ERR_clear_error()
      return nil
    }
    defer { unsafe CRYPTO_free(start, nil, 0) }
    return unsafe String(
      validating: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }

  /// Returns true if the certificate is valid for `host`, which is an IP address or a host name.
  ///
  /// A wildcard in the certificate can match only the first label of a name.
  func isFor(_ host: String) -> Bool {
    unsafe X509_check_ip_asc(pointer, host, 0) == 1
      || X509_check_host(pointer, host, host.utf8.count, 0, nil) == 1
  }

  func serialNumber() throws(CryptoFailure) -> [UInt8] {
    guard let number = unsafe X509_get0_serialNumber(pointer),
      let start = unsafe ASN1_STRING_get0_data(number)
    else { throw .malformed(expected: "a certificate with a serial number") }
    let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(number)))
    return unsafe Array(bytes.drop { $0 == 0 })
  }

  enum Bound { case notBefore, notAfter }

  func seconds(_ bound: Bound) throws(CryptoFailure) -> Int64 {
    var parts = unsafe tm()
    let isStart = bound == .notBefore
    let time = unsafe (isStart ? X509_get0_notBefore(pointer) : X509_get0_notAfter(pointer))
    guard unsafe ASN1_TIME_to_tm(time, &parts) == 1 else {
      ERR_clear_error()
      throw .malformed(expected: "a certificate with times of validity")
    }
    return Int64(unsafe timegm(&parts))
  }

  /// Returns the identifier and the value of each extension, both as content octets.
  func extensions() -> [(identifier: [UInt8], value: [UInt8])] {
    (0..<max(0, unsafe X509_get_ext_count(pointer))).compactMap { index in
      guard let found = unsafe X509_get_ext(pointer, index),
        let object = unsafe X509_EXTENSION_get_object(found),
        let data = unsafe X509_EXTENSION_get_data(found)
      else { return nil }
      let identifier = unsafe UnsafeBufferPointer(
        start: OBJ_get0_data(object), count: OBJ_length(object))
      let value = unsafe UnsafeBufferPointer(
        start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data)))
      return unsafe ([UInt8](identifier), [UInt8](value))
    }
  }

  deinit { unsafe X509_free(pointer) }
}
