internal import BelfryWire
internal import Storage
internal import Transport

/// The identity that a device claims with its certificate.
struct DeviceClaim: Sendable, Hashable {
  let number: UInt64
  /// The SHA-256 hash of the device's public key.
  let keyHash: SHA256.Digest
  /// The serial number of the certificate; empty if the device doesn't have a certificate yet.
  var serial = ""
}

/// The devices of one loop and their keys, as stored in the control store.
///
/// A valid certificate doesn't prove a device's identity: if the folder was restored from a backup, the number in the
/// certificate might belong to another device or to no device. For this reason, the key must match too.
struct DeviceTable: Sendable {
  /// The first half of a key's hash.
  ///
  /// Half of the hash is enough to distinguish all keys of a gateway, and saves 16 MB for a million keys.
  private struct KeyMark: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(_ hash: SHA256.Digest) {
      high = hash.words.0
      low = hash.words.1
    }
  }

  private var marks: [UInt64: KeyMark] = [:]

  mutating func reserve(_ count: Int) { marks.reserveCapacity(count) }

  /// Adds a device that is on disk.
  mutating func add(_ device: DeviceClaim) {
    let mark = KeyMark(device.keyHash)
    assert(marks[device.number] ?? mark == mark, "device \(device.number) keeps its key")
    marks[device.number] = mark
  }

  /// Adds or replaces a device of a cluster, whose state was read from the store again.
  mutating func replace(_ device: DeviceClaim) { marks[device.number] = KeyMark(device.keyHash) }

  /// Forgets a device of a cluster, which stays in the store.
  mutating func remove(_ number: UInt64) { marks[number] = nil }

  /// Returns true if a device with this number is in the store.
  func knows(_ number: UInt64) -> Bool { marks[number] != nil }

  /// Returns true if this device is in the store with this key.
  func has(_ device: DeviceClaim) -> Bool { marks[device.number] == KeyMark(device.keyHash) }
}
