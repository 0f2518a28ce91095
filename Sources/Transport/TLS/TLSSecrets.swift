import COpenSSL

/// The two traffic secrets of a TLS 1.3 connection, from OpenSSL's key log.
///
/// The secrets are erased on deinitialization.
@safe final class TLSSecrets {
  /// The maximum number of bytes in a secret: 48, for SHA-384.
  static let capacity = 48

  private(set) var count = 0
  /// The client's secret, followed by the server's secret; owned by this object.
  private let bytes: UnsafeMutableRawBufferPointer

  init() {
    unsafe bytes = .allocate(byteCount: 2 * Self.capacity, alignment: 8)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    unsafe bytes.deallocate()
  }

  var client: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: bytes[0..<count]) }

  var server: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: bytes[Self.capacity..<Self.capacity + count])
  }

  /// Parses one line of the key log, which contains the label, and the client random and the secret in hexadecimal.
  func parse(keyLogLine line: UnsafeBufferPointer<CChar>) {
    if unsafe starts(line, "CLIENT_TRAFFIC_SECRET_0 ") {
      unsafe read(line, into: 0)
    } else if unsafe starts(line, "SERVER_TRAFFIC_SECRET_0 ") {
      unsafe read(line, into: Self.capacity)
    }
  }

  private func starts(_ line: UnsafeBufferPointer<CChar>, _ label: StaticString) -> Bool {
    let count = label.utf8CodeUnitCount
    guard line.count >= count else { return false }
    for index in 0..<count
    where unsafe UInt8(bitPattern: line[index]) != label.utf8Start[index] { return false }
    return true
  }

  private func read(_ line: UnsafeBufferPointer<CChar>, into offset: Int) {
    guard let space = unsafe line.lastIndex(of: 0x20) else { return }
    let digits = line.count - space - 1
    guard digits % 2 == 0, digits / 2 <= Self.capacity else { return }
    count = digits / 2
    assert(count == 32 || count == 48, "the secret has the size of a SHA-256 or SHA-384 hash")
    for index in 0..<count {
      let high = unsafe Self.digit(line[space + 1 + 2 * index])
      let low = unsafe Self.digit(line[space + 2 + 2 * index])
      unsafe bytes[offset + index] = high << 4 | low
    }
  }

  private static func digit(_ character: CChar) -> UInt8 {
    let value = UInt8(bitPattern: character)
    return value < 0x3a ? value &- 0x30 : (value | 0x20) &- 0x57
  }
}
