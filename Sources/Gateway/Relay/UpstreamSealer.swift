import BelfryWire
import Storage
import System
import Transport

/// The encryption of the publishers' private keys in the control store, with the key in the folder's file
/// `upstream-key`.
///
/// The file is not part of a backup unless the operator asks for it. A backup, a copy of the database, or a file of the
/// store is therefore useless to a reader who does not also have the file (decision 0026).
struct UpstreamSealer: Sendable {
  /// The name of the file, which contains the key in hexadecimal.
  static let file = "upstream-key"
  /// The number of bytes of the key, for AES-256-SIV.
  private static let keyBytes = 64

  private let key: [UInt8]

  /// Reads the folder's key; nil if the folder has no key, because no upstream was ever added.
  init?(in folder: GatewayFolder) throws(GatewayFolder.Failure) {
    guard let text = try folder.read(Self.file) else { return nil }
    let digits = String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
    guard let key = Hexadecimal.decode(digits), key.count == Self.keyBytes else {
      throw .damaged(file: folder.file(Self.file), "does not contain a hexadecimal key")
    }
    self.key = key
  }

  /// Creates a new key, and writes it to the folder.
  init(creatingIn folder: GatewayFolder) throws(GatewayFolder.Failure) {
    key = SystemRandom.bytes(Self.keyBytes)
    assert(key.count == Self.keyBytes, "the key has the size that the cipher requires")
    try folder.write(Array((Hexadecimal.encode(key) + "\n").utf8), Self.file)
  }

  /// Returns the encrypted form of a private key, which can be decrypted only for the same app, key ID, and team ID.
  func seal(
    _ privateKey: [UInt8], app: UInt32, keyID: String, teamID: String
  ) throws(CryptoFailure) -> [UInt8] {
    assert(!privateKey.isEmpty, "there is a key to encrypt")
    return try SIVCipher(key: key).seal(
      privateKey, associatedData: Self.context(app: app, keyID: keyID, teamID: teamID))
  }

  /// Returns the private key of an upstream; nil if another key encrypted it, or if the record was changed.
  func open(_ record: UpstreamRecord) throws(CryptoFailure) -> [UInt8]? {
    try SIVCipher(key: key).open(
      record.sealedKey,
      associatedData: Self.context(app: record.app, keyID: record.keyID, teamID: record.teamID))
  }

  private static func context(app: UInt32, keyID: String, teamID: String) -> [[UInt8]] {
    [Array("belfry upstream \(app)".utf8), Array(keyID.utf8), Array(teamID.utf8)]
  }
}
