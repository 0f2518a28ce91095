internal import BelfryWire
internal import Storage
internal import Synchronization
public import System
public import Transport

/// A sealer that encrypts device tokens, so that the store's file and its copies do not reveal the tokens.
///
/// The same token always has the same sealed bytes, which are used to look up the token.
public final class TokenSealer: Sendable {
  /// The reason that no key is available.
  public enum Failure: Error, CustomStringConvertible {
    case system(SystemFailure)
    /// The file does not contain a key.
    case badKey(path: String)
    /// The stored tokens were sealed with a different key.
    case otherKey(path: String)

    /// A description of the error and its remedy.
    public var description: String {
      switch self {
      case .system(let failure): "\(failure)"
      case .badKey(let path):
        "\(path) does not contain a key: restore it, or start with an empty folder"
      case .otherKey(let path):
        "\(path) cannot decrypt the registered tokens: restore the key that belongs to them"
      }
    }
  }

  private static let keyBytes = 64
  private let cipher: Mutex<SIVCipher>

  /// Creates a sealer with a key of 64 bytes.
  public init(key: [UInt8]) throws(CryptoFailure) { cipher = Mutex(try SIVCipher(key: key)) }

  /// Reads the key file, or creates it with mode 0600.
  public convenience init(keyFile path: String) throws(Failure) {
    let key: [UInt8]
    do throws(SystemFailure) {
      if !FileSystem.exists(path) {
        let made = Hexadecimal.encode(SystemRandom.bytes(Self.keyBytes)) + "\n"
        try FileSystem.write(Array(made.utf8), to: path, mode: 0o600)
      }
      let bytes = try FileSystem.readRegularFile(path, limit: Limits.keyFileBytesMax)
      key = Hexadecimal.decode(String(decoding: bytes, as: UTF8.self).filter { $0 != "\n" }) ?? []
    } catch {
      throw .system(error)
    }
    guard key.count == Self.keyBytes else { throw .badKey(path: path) }
    do throws(CryptoFailure) {
      try self.init(key: key)
    } catch {
      throw .badKey(path: path)
    }
  }

  /// Returns the sealed form of a token.
  public func seal(_ token: [UInt8]) -> [UInt8] { cipher.withLock { $0.seal(token) } }

  /// Returns the token, or nil if this key did not seal it.
  public func open(_ sealed: [UInt8]) -> [UInt8]? { cipher.withLock { $0.open(sealed) } }
}

extension RegistryStore {
  /// Returns true if the sealer can open the stored tokens.
  ///
  /// The result is true for an empty store, which has no tokens to open.
  func isSealed(by sealer: TokenSealer) throws(StorageFailure) -> Bool {
    try tokens(after: 0, limit: 1).allSatisfy { sealer.open($0.registration.sealed) != nil }
  }
}
