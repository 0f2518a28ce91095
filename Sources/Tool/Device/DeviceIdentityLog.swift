import Agent
import BelfryWire
import Foundation
import Glibc
import System
import Transport

/// The identities of the virtual devices in a folder: `devices.jsonl`, mode 0600, with one JSON line per device.
///
/// Lines are appended as devices enroll and renew their certificates; only the last line for a position in the fleet is
/// valid. Earlier releases wrote lines without positions; their devices get the first free positions, in the order of
/// the lines. Only one process at a time uses the folder.
final class DeviceIdentityLog {
  private let lock: LockFile
  private let descriptor: Int32
  let path: String

  /// The persisted identities, by the devices' positions in the fleet, which begin at 1.
  private(set) var identities: [Int: DeviceIdentity] = [:]

  /// Opens the log in the folder.
  ///
  /// Identities of another gateway are ignored.
  init(folder: String, authorityPEM: [UInt8]) throws(SystemFailure) {
    try FileSystem.makeDirectories(folder)
    do throws(SystemFailure) {
      lock = try LockFile(folder + "/devices.lock")
    } catch {
      guard case .locked = error else { throw error }
      throw .unusable(
        text: folder,
        reason:
          "it contains the identities of virtual devices that are already running: to run more devices, "
          + "choose another --data; to run these devices again, stop the other 'belfry device run' first"
      )
    }
    path = folder + "/devices.jsonl"
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .call(name: "open", errno: errno, subject: path) }
    fchmod(descriptor, 0o600)
    var isOurs: [Substring: Bool] = [:]
    var positions: [UInt64: Int] = [:]
    var firstFree = 1
    let bytes = try FileSystem.read(path, limit: Self.fileBytesMax)
    for line in bytes.split(separator: 0x0A) {
      guard let object = try? JSONValue(parsing: Array(line)).objectValue,
        let device = object["device"]?.stringValue.flatMap({ UInt64($0) }),
        let chain = object["chain"]?.stringValue, let pem = object["key"]?.stringValue,
        let first = chain.range(of: "-----END CERTIFICATE-----")
      else { continue }
      // The certificates after a device's own certificate are the same for many devices, so verify them only once.
      let rest = chain[first.upperBound...]
      if isOurs[rest] == nil {
        isOurs[rest] = DeviceTrust(chain: Array(chain.utf8), given: authorityPEM) != nil
      }
      guard isOurs[rest] == true, let key = try? ES256PrivateKey(pkcs8PEM: Array(pem.utf8)) else {
        continue
      }
      let identity = DeviceIdentity(key: key, device: device, chainPEM: Array(chain.utf8))
      while identities[firstFree] != nil { firstFree += 1 }
      let written = object["position"]?.integerValue.flatMap { Int(exactly: $0) }
      let position = written ?? positions[device] ?? firstFree
      positions[device] = position
      identities[position] = identity
    }
  }

  deinit { close(descriptor) }

  /// The maximum size of the log, in bytes: enough for more than 100,000 devices.
  private static let fileBytesMax = 512 << 20

  /// Persists a new identity of the device at a position in the fleet.
  func append(_ identity: DeviceIdentity, at position: Int) throws {
    guard let device = identity.device, let chain = identity.chainPEM else { return }
    let line: JSONValue = [
      "device": .string("\(device)"), "position": .integer(Int64(position)),
      "key": .string(String(decoding: try identity.key.pkcs8PEM(), as: UTF8.self)),
      "chain": .string(String(decoding: chain, as: UTF8.self)),
    ]
    let bytes = line.bytes + [0x0A]
    let written = unsafe bytes.withUnsafeBytes {
      unsafe write(descriptor, $0.baseAddress, $0.count)
    }
    guard written == bytes.count else {
      throw SystemFailure.call(name: "write", errno: errno, subject: path)
    }
  }
}
