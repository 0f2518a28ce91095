public import Transport

/// Seals a device's key to its machine, so that a copy of it is of no use on another one (S1-16).
///
/// A sealed key is the line `belfry device key 1`, 16 bytes and more that AES-256-SIV made of the
/// PKCS#8 form, and the SHA-256 of all that. The key of the seal is HKDF's of `MachineIdentity`. The
/// hash is no protection: it tells a damaged file from one of another machine.
public struct DeviceKeySeal: Sendable {
  private static let head = Array("belfry device key 1\n".utf8)
  private static let hashBytes = 32

  private let sealKey: [UInt8]

  /// The seal of the machine of this name; an empty one is every machine's that has no id.
  public init(machine: [UInt8]) throws(CryptoFailure) {
    sealKey = try HKDF.key(
      from: machine, salt: Array("belfry".utf8), info: Self.head, count: 64)
  }

  /// The file that keeps `key` on this machine.
  public func seal(_ key: ES256PrivateKey) throws(CryptoFailure) -> [UInt8] {
    let sealed = try SIVCipher(key: sealKey).seal(key.pkcs8PEM(), associatedData: [Self.head])
    let file = Self.head + sealed
    return file + SHA256.hash(file).bytes
  }

  /// The key in a file that `seal` made; nil when it was on another machine.
  ///
  /// Fails on what is no such file, or not a whole one.
  public func open(_ file: [UInt8]) throws(CryptoFailure) -> ES256PrivateKey? {
    guard file.count > Self.head.count + Self.hashBytes,
      file.starts(with: Self.head),
      SHA256.hash(Array(file.dropLast(Self.hashBytes))).bytes == file.suffix(Self.hashBytes)
    else { throw .malformed(expected: "a whole key that belfry sealed") }
    let sealed = Array(file.dropFirst(Self.head.count).dropLast(Self.hashBytes))
    let opened = try SIVCipher(key: sealKey).open(sealed, associatedData: [Self.head])
    guard let opened else { return nil }
    return try ES256PrivateKey(pkcs8PEM: opened)
  }
}
