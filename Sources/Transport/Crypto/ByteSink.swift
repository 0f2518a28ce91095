internal import COpenSSL

/// An OpenSSL memory BIO, which provides bytes to OpenSSL's readers and collects bytes from its writers.
@safe struct ByteSink: ~Copyable {
  let bio: OpaquePointer

  /// Creates an empty sink for writing.
  init() throws(CryptoFailure) {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else {
      throw OpenSSLErrors.failure("create a buffer")
    }
    unsafe self.bio = bio
  }

  /// Returns a sink for reading a copy of `bytes`.
  static func reading(_ bytes: [UInt8]) throws(CryptoFailure) -> ByteSink {
    guard bytes.count <= Limits.credentialBytesMax else {
      throw .malformed(expected: "at most \(Limits.credentialBytesMax) bytes of PEM or DER")
    }
    let sink = try ByteSink()
    let written = unsafe bytes.withUnsafeBytes { source in
      unsafe source.isEmpty ? 0 : BIO_write(sink.bio, source.baseAddress, Int32(source.count))
    }
    guard Int(written) == bytes.count else { throw OpenSSLErrors.failure("copy into a buffer") }
    return sink
  }

  /// Returns the bytes that have been written but not yet read.
  func bytes() -> [UInt8] {
    let count = unsafe BIO_ctrl_pending(bio)
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      guard count > 0 else { return }
      used = unsafe Int(max(0, BIO_read(bio, buffer.baseAddress, Int32(count))))
    }
  }

  deinit { unsafe BIO_free_all(bio) }
}
