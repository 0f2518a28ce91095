/// The sizes of TLS records (RFC 8446 section 5).
package enum TLSRecord {
  package static let headerBytes = 5
  package static let tagBytes = 16
  /// The maximum number of bytes of content in a record.
  package static let contentBytes = 16_384
  /// The maximum number of bytes in an encrypted record's body: content, type, padding, and tag.
  static let ciphertextBytes = contentBytes + 256
  /// The size, in bytes, of a handshake message's header: its type and length fields.
  static let handshakeHeaderBytes: UInt8 = 4
  /// The maximum number of key updates and user_canceled alerts without any content between them.
  ///
  /// The value is the same as OpenSSL's limit for key updates.
  static let idleMessages: UInt8 = 32

  /// Returns the number of complete records in `bytes`.
  static func count(in bytes: UnsafeRawBufferPointer) -> UInt64 {
    var offset = 0
    defer { assert(offset == bytes.count, "the bytes consist of complete records") }
    var count: UInt64 = 0
    while offset + headerBytes <= bytes.count {
      unsafe offset += headerBytes + length(bytes, at: offset)
      count += 1
    }
    return count
  }

  /// Returns the length field of the header at `offset`, which must be present.
  static func length(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    unsafe Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4])
  }
}

/// The type of a record's content.
package enum TLSContentType: UInt8 {
  case changeCipherSpec = 20
  case alert = 21
  case handshake = 22
  case applicationData = 23
}

/// The alerts that this side sends.
enum TLSAlert: UInt8 {
  case closeNotify = 0
  case unexpectedMessage = 10
  case badRecordMAC = 20
  case recordOverflow = 22
  case illegalParameter = 47
  case decodeError = 50
  case internalError = 80
  case userCanceled = 90

  var text: String {
    switch self {
    case .closeNotify, .userCanceled: "closed"
    case .unexpectedMessage: "unexpected TLS message"
    case .badRecordMAC: "a TLS record failed authentication"
    case .recordOverflow: "a TLS record is too long"
    case .illegalParameter, .decodeError: "a TLS message is malformed"
    case .internalError: "encrypting failed"
    }
  }
}
