internal import COpenSSL

/// The SHA-256 hash function (FIPS 180-4).
public enum SHA256 {
  /// A 32-byte hash as a value that can serve as a dictionary key without an allocation.
  public struct Digest: Hashable, Sendable {
    /// The 32 bytes as four big-endian words; the first byte is the most significant.
    public let words: (UInt64, UInt64, UInt64, UInt64)

    /// Creates a digest from 32 bytes, or returns nil for any other number of bytes.
    public init?(_ bytes: some Collection<UInt8>) {
      let digest = unsafe Array(bytes).withUnsafeBytes { unsafe Digest(bytes: $0) }
      guard let digest else { return nil }
      self = digest
    }

    /// Creates a digest from 32 bytes, or returns nil for any other number of bytes.
    public init?(bytes: UnsafeRawBufferPointer) {
      guard bytes.count == 32 else { return nil }
      unsafe self.init(reading: bytes)
    }

    init(reading bytes: UnsafeRawBufferPointer) {
      func word(_ index: Int) -> UInt64 {
        unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
      }
      words = (word(0), word(1), word(2), word(3))
    }

    /// The digest as 32 bytes.
    public var bytes: [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(32)
      for word in [words.0, words.1, words.2, words.3] {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
          bytes.append(UInt8(truncatingIfNeeded: word >> shift))
        }
      }
      return bytes
    }

    /// Compares all 32 bytes.
    public static func == (one: Digest, other: Digest) -> Bool { one.words == other.words }

    /// Hashes only the first word, because its bits are already uniformly distributed.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
  }

  /// Returns the hash of `bytes`.
  ///
  /// This function allocates an OpenSSL context. To avoid the allocation, use `SHA256Context`.
  public static func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
    unsafe SHA256Context().hash(bytes)
  }

  /// Returns the hash of `bytes`.
  public static func hash(_ bytes: [UInt8]) -> Digest {
    unsafe bytes.withUnsafeBytes { unsafe hash($0) }
  }
}

/// A reusable SHA-256 context, which reduces OpenSSL's small allocations from four to one per hash.
///
/// A context is confined to one thread.
@safe public final class SHA256Context {
  private let context: OpaquePointer

  /// Creates a context that can compute any number of hashes.
  public init() {
    guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
    unsafe self.context = context
    let isReady = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    precondition(isReady, "OpenSSL supports SHA-256")
  }

  /// Returns the hash of `bytes`.
  public func hash(_ bytes: UnsafeRawBufferPointer) -> SHA256.Digest {
    unsafe withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { output in
      let done =
        unsafe EVP_DigestInit_ex(context, nil, nil) == 1
        && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
        && EVP_DigestFinal_ex(
          context, output.bindMemory(to: UInt8.self).baseAddress, nil) == 1
      precondition(done, "OpenSSL's SHA-256 operation succeeded")
      return unsafe SHA256.Digest(reading: UnsafeRawBufferPointer(output))
    }
  }

  /// Begins a hash of bytes that arrive in parts.
  ///
  /// If the previous hash is unfinished, it is discarded.
  public func begin() {
    let isReady = unsafe EVP_DigestInit_ex(context, nil, nil) == 1
    precondition(isReady, "OpenSSL's SHA-256 operation succeeded")
  }

  /// Adds a part to the current hash.
  public func update(_ bytes: [UInt8]) {
    let done = unsafe bytes.withUnsafeBytes {
      unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1
    }
    precondition(done, "OpenSSL's SHA-256 operation succeeded")
  }

  /// Returns the hash of all parts since `begin`.
  public func finish() -> SHA256.Digest {
    unsafe withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { output in
      let done =
        unsafe EVP_DigestFinal_ex(
          context, output.bindMemory(to: UInt8.self).baseAddress, nil) == 1
      precondition(done, "OpenSSL's SHA-256 operation succeeded")
      return unsafe SHA256.Digest(reading: UnsafeRawBufferPointer(output))
    }
  }

  deinit { unsafe EVP_MD_CTX_free(context) }
}
