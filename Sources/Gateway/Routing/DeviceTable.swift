internal import BelfryWire
internal import Storage
internal import Transport

/// What a device says that it is, by its certificate.
struct DeviceClaim: Sendable, Hashable {
  let number: UInt64
  /// SHA-256 of its public key.
  let keyHash: SHA256.Digest
  /// The serial number of the certificate that says so; empty where there is none yet.
  var serial = ""
}

/// The devices of one loop with their keys, as the control store has them.
///
/// A certificate that the authority signed is not enough: its number may be another device's by now, or
/// no device's, when the folder was restored from a copy.
struct DeviceTable: Sendable {
  /// The first half of a key's hash: no two keys of one gateway share it, and a million take 16 MB less.
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

  /// Takes in a device that is on disk.
  mutating func add(_ device: DeviceClaim) {
    let mark = KeyMark(device.keyHash)
    assert(marks[device.number] ?? mark == mark, "device \(device.number) has another key")
    marks[device.number] = mark
  }

  /// Whether a device of this number is in the store.
  func knows(_ number: UInt64) -> Bool { marks[number] != nil }

  /// Whether this device is in the store with this key.
  func has(_ device: DeviceClaim) -> Bool { marks[device.number] == KeyMark(device.keyHash) }
}
