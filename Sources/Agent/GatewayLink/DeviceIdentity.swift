public import PushWire
public import System
public import Transport

/// A device's identity: its key, and the certificate that it received at enrollment.
public struct DeviceIdentity: Sendable {
  /// The key, which never leaves the device.
  public let key: ES256PrivateKey
  /// The device's number at its gateway; `nil` before enrollment.
  public var device: UInt64?
  /// The device's certificate, then the authorities that the gateway announced (``DeviceTrust``), in PEM format; `nil`
  /// before enrollment.
  public var chainPEM: [UInt8]?

  /// Creates an identity from its parts.
  public init(key: ES256PrivateKey, device: UInt64? = nil, chainPEM: [UInt8]? = nil) {
    self.key = key
    self.device = device
    self.chainPEM = chainPEM
  }

  /// Returns an enrollment request whose proof is still empty.
  public func enrollment(code: String, name: String) -> LinkFrame.Enrollment {
    LinkFrame.Enrollment(publicKey: key.publicKey.spkiDER, proof: [], code: code, name: name)
  }
}

extension LinkEnrollmentRefusal {
  /// Returns advice for a user whose enrollment was refused; `hasCode` is true if the user gave an enrollment code.
  public func advice(hasCode: Bool) -> String {
    switch self {
    case .wrongCode where !hasCode:
      "add --enroll CODE, or use the line that 'belfry device invite' prints"
    case .wrongCode:
      "join with a new invitation from 'belfry device invite', or check --enroll; the code might have been rotated"
    case .revoked:
      "remove the device's identity, and join with a new invitation from 'belfry device invite'"
    case _ where isTemporary: "the device retries automatically"
    default: "check --enroll"
    }
  }
}

/// Durable storage for one device's identity.
package protocol DeviceIdentityStore {
  /// The location where the identity is stored, for error messages.
  var path: String { get }

  /// Loads the stored identity; creates and stores a new key if no identity is stored.
  func load(
    authorityPEM: [UInt8], willReplace: () -> Void
  ) throws(DeviceIdentityFolder.Failure) -> (identity: DeviceIdentity, hasMoved: Bool)

  /// Stores the identity from an enrollment or a renewal.
  func save(_ identity: DeviceIdentity) throws(DeviceIdentityFolder.Failure)
}

/// The folder in which one device stores its identity, with file mode 0600: `identity.key` (sealed to the machine by
/// `DeviceKeySeal`), `identity.pem` (the certificate and the trusted authorities), and `identity.number`.
public struct DeviceIdentityFolder: DeviceIdentityStore, Sendable {
  /// The reason that the identity cannot be used.
  public enum Failure: Error, Sendable, CustomStringConvertible {
    /// A file in the folder could not be read or written.
    case file(SystemFailure)
    /// The key file contains no key.
    case badKey(path: String, CryptoFailure)
    /// The key is sealed to a machine, and this machine has no ID.
    case unknownMachine(path: String)
    /// Other users can read the key.
    case exposedKey(path: String)

    /// A description of the problem and how to fix it.
    public var description: String {
      switch self {
      case .file(let failure): "\(failure)"
      case .badKey(let path, let failure):
        "no usable key in \(path) (\(failure)): restore this machine's own key, or remove the "
          + "file to enroll as another device"
      case .unknownMachine(let path):
        "\(path) belongs to a machine with an ID, but /etc/machine-id is empty: restore the ID, or "
          + "remove the key to enroll as another device"
      case .exposedKey(let path):
        "other users can read \(path): run chmod 600 on it, or remove it to enroll as another device"
      }
    }
  }

  package let path: String
  private let machine: [UInt8]

  /// Creates the folder object for `path`, which need not exist yet, on the machine with the given `MachineIdentity`.
  public init(_ path: String, machine: [UInt8]) {
    self.path = path
    self.machine = machine
  }

  private var keyPath: String { path + "/identity.key" }
  private var chainPath: String { path + "/identity.pem" }
  private var numberPath: String { path + "/identity.number" }

  /// Loads the stored identity; creates and stores a new key if the folder contains none.
  ///
  /// An identity that belongs to another machine is discarded (S1-16), and `hasMoved` is true: the folder was restored
  /// on this machine, or the system was reinstalled. A certificate is omitted if an authority other than `authorityPEM`
  /// signed it: the device has moved to another gateway and enrolls there.
  ///
  /// `willReplace` is called before another machine's key is replaced. Any consequence of the move that is not durable
  /// when `willReplace` returns can be lost in a power failure.
  public func load(
    authorityPEM: [UInt8], willReplace: () -> Void = {}
  ) throws(Failure) -> (identity: DeviceIdentity, hasMoved: Bool) {
    guard FileSystem.exists(keyPath) else {
      return (DeviceIdentity(key: try makeKey()), hasMoved: false)
    }
    guard let key = try loadKey() else {
      willReplace()
      // Replace the key last: until then, the next start finds the same state and repeats the replacement.
      do throws(SystemFailure) {
        for path in [numberPath, chainPath] { try FileSystem.remove(path) }
      } catch {
        throw .file(error)
      }
      return (DeviceIdentity(key: try makeKey()), hasMoved: true)
    }
    var identity = DeviceIdentity(key: key)
    guard let chain = try? FileSystem.read(chainPath, limit: Self.fileBytesMax),
      let number = try? FileSystem.read(numberPath, limit: 32),
      let device = UInt64(String(decoding: number, as: UTF8.self).filter(\.isNumber)),
      DeviceIdentity.isChain(chain, of: key, under: authorityPEM)
    else { return (identity, hasMoved: false) }
    identity.device = device
    identity.chainPEM = chain
    return (identity, hasMoved: false)
  }

  /// Stores the identity from an enrollment or a renewal.
  public func save(_ identity: DeviceIdentity) throws(Failure) {
    guard let chain = identity.chainPEM, let device = identity.device else { return }
    do throws(SystemFailure) {
      try FileSystem.write(chain, to: chainPath)
      // The number is the same after each renewal, so its file need not be written again.
      let number = Array("\(device)\n".utf8)
      guard (try? FileSystem.read(numberPath, limit: 32)) != number else { return }
      try FileSystem.write(number, to: numberPath)
    } catch {
      throw .file(error)
    }
  }

  private static let fileBytesMax = 65_536

  /// Loads the key; returns nil if it belongs to another machine.
  private func loadKey() throws(Failure) -> ES256PrivateKey? {
    let bytes: [UInt8]
    let mode: UInt32
    do throws(SystemFailure) {
      mode = try FileSystem.mode(of: keyPath)
      bytes = try FileSystem.read(keyPath, limit: Self.fileBytesMax)
    } catch {
      throw .file(error)
    }
    let key: ES256PrivateKey?
    do throws(CryptoFailure) {
      key = try DeviceKeySeal(machine: machine).open(bytes)
    } catch {
      throw .badKey(path: keyPath, error)
    }
    // On a machine without an ID, a key that cannot be opened might still belong to this machine, because the machine's
    // ID can reappear.
    guard key != nil || !machine.isEmpty else { throw .unknownMachine(path: keyPath) }
    // Another machine's key is replaced, so its file mode does not matter.
    if key != nil, mode & 0o077 != 0 { throw .exposedKey(path: keyPath) }
    return key
  }

  private func makeKey() throws(Failure) -> ES256PrivateKey {
    let key: ES256PrivateKey
    let bytes: [UInt8]
    do throws(CryptoFailure) {
      key = try ES256PrivateKey()
      bytes = try DeviceKeySeal(machine: machine).seal(key)
    } catch {
      throw .badKey(path: keyPath, error)
    }
    do throws(SystemFailure) {
      try FileSystem.makeDirectories(path)
      try FileSystem.write(bytes, to: keyPath)
    } catch {
      throw .file(error)
    }
    return key
  }
}
