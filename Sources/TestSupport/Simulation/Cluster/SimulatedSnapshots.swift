import Storage

/// The data before its latest change, for a planted fault: a reader that reads too early gets this data.
struct SimulatedSnapshots {
  /// The configuration that a starting node reads.
  struct Directory {
    let keys: [KeyRecord]
    let certificates: [CertificateRecord]
    let apps: [AppRecord]
    let channels: [ChannelRecord]
    let broadcasts: [BroadcastRecord]
  }

  /// The state of a device that a claim reads.
  struct Device {
    let registrations: [RegistrationRecord]
    let subscriptions: [SubscriptionRecord]
    let highestSequence: UInt64
  }

  /// The time for which a reader can wait between its two reads, in nanoseconds.
  private static let lifetime: Int64 = 2_000_000_000

  private var directory: (data: Directory, since: Int64)?
  private var devices: [UInt64: (data: Device, since: Int64)] = [:]

  mutating func save(_ data: Directory, at now: Int64) { directory = (data, now) }

  mutating func save(_ data: Device, of device: UInt64, at now: Int64) {
    devices[device] = (data, now)
  }

  /// Returns the configuration before the latest change, if that change is recent.
  func directory(at now: Int64) -> Directory? {
    directory.flatMap { now - $0.since < Self.lifetime ? $0.data : nil }
  }

  /// Returns the state of a device before its latest change, if that change is recent.
  func device(_ number: UInt64, at now: Int64) -> Device? {
    devices[number].flatMap { now - $0.since < Self.lifetime ? $0.data : nil }
  }
}
