public import Transport

/// A seal that binds a device's key to its machine, so that a copy of the key is useless on any other machine (S1-16).
///
/// A sealed key consists of the line `belfry device key 1`, the AES-256-SIV output (16 bytes plus the encrypted PKCS#8
/// form), and the SHA-256 hash of the preceding parts. The sealing key is derived with HKDF from `MachineIdentity`. The
/// hash offers no protection: it only distinguishes a damaged file from another machine's file.
public struct DeviceKeySeal: Sendable {
  private static let head = Array("belfry device key 1\n".utf8)
  private static let hashBytes = 32

  private let sealKey: [UInt8]

  /// Creates the seal of the machine with the given identity.
  ///
  /// Machines without an ID share the seal of an empty identity.
  public init(machine: [UInt8]) throws(CryptoFailure) {
    sealKey = try HKDF.key(
      from: machine, salt: Array("belfry".utf8), info: Self.head, count: 64)
  }

  /// Returns the contents of the file that stores `key` on this machine.
  public func seal(_ key: ES256PrivateKey) throws(CryptoFailure) -> [UInt8] {
    let sealed = try SIVCipher(key: sealKey).seal(key.pkcs8PEM(), associatedData: [Self.head])
    let file = Self.head + sealed
    return file + SHA256.hash(file).bytes
  }

  /// Returns the key in a file that `seal` created; nil if the file was created on another machine.
  ///
  /// Throws if the file is incomplete or of another kind.
  public func open(_ file: [UInt8]) throws(CryptoFailure) -> ES256PrivateKey? {
    guard file.count > Self.head.count + Self.hashBytes,
      file.starts(with: Self.head),
      SHA256.hash(Array(file.dropLast(Self.hashBytes))).bytes == file.suffix(Self.hashBytes)
    else { throw .malformed(expected: "a complete key that belfry sealed") }
    let sealed = Array(file.dropFirst(Self.head.count).dropLast(Self.hashBytes))
    let opened = try SIVCipher(key: sealKey).open(sealed, associatedData: [Self.head])
    guard let opened else { return nil }
    return try ES256PrivateKey(pkcs8PEM: opened)
  }
}
