import BelfryWire
import Storage
import System
import Transport

/// The keys that all nodes of a cluster share: the authority of device certificates, the keys of device tokens, and the
/// generated provider keys.
///
/// They are one secret in the database, encrypted with the cluster key, so that they change together. A copy of the
/// database is useless without the cluster key.
struct ClusterSecrets {
  /// The reason that the shared keys cannot be used.
  enum Failure: Error, CustomStringConvertible {
    /// The file does not contain a key.
    case badKey(path: String)
    /// The shared keys were encrypted with another key.
    case otherKey(path: String)
    /// The file does not exist.
    case missingKey(path: String)
    case system(SystemFailure)

    var description: String {
      switch self {
      case .badKey(let path):
        "\(path) does not contain a cluster key: copy the cluster key of another node, or create a cluster with "
          + "'belfry cluster init'"
      case .otherKey(let path):
        "the key in \(path) cannot decrypt the cluster's keys: copy the cluster key of another node"
      case .missingKey(let path):
        "the file \(path) with the cluster key does not exist: copy it from another node, or create a cluster with "
          + "'belfry cluster init'"
      case .system(let failure): "\(failure)"
      }
    }
  }

  /// The files in the data folder that contain the shared keys.
  static let files = [
    "ca-key.pem", "ca.pem", "ca-first.pem", "token-keys", UpstreamSealer.file,
  ]
  private static let publicFiles: Set = ["ca.pem", "ca-first.pem"]
  /// The name of the secret in the database.
  static let name = "keys"
  private static let keyFileBytesMax = 1_024

  private let membership: any ClusterMembership
  private let key: [UInt8]
  private let keyFile: String

  /// Reads the cluster key from a file.
  init(_ membership: any ClusterMembership, keyFile path: String) throws(Failure) {
    self.membership = membership
    keyFile = path
    key = try Self.readKey(from: path)
  }

  /// Throws if the key in this file cannot decrypt the shared keys, which are given as they were stored.
  static func check(_ sealed: [UInt8], keyFile path: String) throws {
    _ = try open(sealed, with: try readKey(from: path), of: path)
  }

  /// Returns the key in a file with 32 bytes in hexadecimal.
  private static func readKey(from path: String) throws(Failure) -> [UInt8] {
    let content: [UInt8]?
    do throws(SystemFailure) {
      content =
        try FileSystem.isPresent(path)
        ? FileSystem.readRegularFile(path, limit: keyFileBytesMax) : nil
    } catch {
      throw .system(error)
    }
    guard let content else { throw .missingKey(path: path) }
    let digits = String(decoding: content, as: UTF8.self).filter { !$0.isWhitespace }
    let key = Hexadecimal.decode(digits) ?? []
    guard key.count == 32 else { throw .badKey(path: path) }
    return key
  }

  /// Writes the shared keys to the folder; returns false if the database does not contain any yet.
  func pull(into folder: GatewayFolder) throws -> Bool {
    guard let sealed = try membership.secret(Self.name) else { return false }
    try write(sealed, into: folder)
    return true
  }

  /// Stores the folder's keys; if another node has stored its keys first, and `replaces` is false, writes those to the
  /// folder.
  ///
  /// Returns false if the folder was changed.
  func push(from folder: GatewayFolder, replaces: Bool) throws -> Bool {
    let former = try membership.secret(Self.name)
    if let former {
      // Another node might have generated keys that this node has not read yet.
      try write(former, into: folder) { name in
        (Self.isProviderKey(name) || name == UpstreamSealer.file)  // text: our own names
          && !FileSystem.exists(folder.file(name))
      }
    }
    var bundle: [UInt8] = []
    let providerKeys = try FileSystem.list(folder.path).filter(Self.isProviderKey)
    for name in Self.files + providerKeys {
      guard let bytes = try folder.read(name) else { continue }
      bundle += Array("\(name) \(bytes.count)\n".utf8) + bytes
    }
    assert(!bundle.isEmpty, "the folder contains keys")
    let sealed = try Self.cipher(key, of: keyFile).seal(
      bundle, associatedData: [Array(Self.name.utf8)])
    if former == sealed { return true }
    let stored = try membership.putSecret(Self.name, sealed, replaces: replaces)
    guard stored != sealed else { return true }
    try write(stored, into: folder)
    return false
  }

  /// Returns true if a file with this name contains a generated provider key.
  private static func isProviderKey(_ name: String) -> Bool {
    name.utf8.starts(with: "AuthKey_".utf8) && name.utf8.suffix(3).elementsEqual(".p8".utf8)
      && name.utf8.dropFirst(8).dropLast(3).allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
      }
  }

  private static func cipher(_ key: [UInt8], of path: String) throws -> SIVCipher {
    do throws(CryptoFailure) {
      return try SIVCipher(key: key)
    } catch {
      throw Failure.badKey(path: path)
    }
  }

  private static func open(
    _ sealed: [UInt8], with key: [UInt8], of path: String
  ) throws -> [UInt8] {
    let bundle = try cipher(key, of: path).open(sealed, associatedData: [Array(Self.name.utf8)])
    guard let bundle else { throw Failure.otherKey(path: path) }
    return bundle
  }

  private func write(
    _ sealed: [UInt8], into folder: GatewayFolder, where isWanted: (String) -> Bool = { _ in true }
  ) throws {
    var rest = try Self.open(sealed, with: key, of: keyFile)[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
      rest = rest[(end + 1)...]
      guard words.count == 2, let count = Int(words[1]), rest.count >= count,
        let name = Self.files.first(where: { $0.utf8.elementsEqual(words[0].utf8) })
          ?? (Self.isProviderKey(String(words[0])) ? String(words[0]) : nil)
      else { throw Failure.otherKey(path: keyFile) }
      let bytes = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      if isWanted(name), try folder.read(name) != bytes {
        try folder.write(bytes, name, mode: Self.publicFiles.contains(name) ? 0o644 : 0o600)
      }
    }
  }
}
