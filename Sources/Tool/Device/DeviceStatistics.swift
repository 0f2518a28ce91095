import BelfryWire

/// The statistics of all virtual devices, which `--summary` prints.
struct DeviceStatistics {
  private(set) var tokens = 0
  private(set) var received = 0
  private(set) var stored = 0
  private(set) var payloadBytes = 0
  private var first: Int64 = 0
  private var last: Int64 = 0
  /// The latencies, in microseconds, in order of arrival; they are sorted when needed.
  private var latencies: [UInt32] = []

  mutating func registered() { tokens += 1 }

  mutating func received(
    payloadBytes: Int, fromStorage: Bool, latencyMicros: Int64?, at now: Int64
  ) {
    if received == 0 { first = now }
    last = now
    received += 1
    stored += fromStorage ? 1 : 0
    self.payloadBytes += payloadBytes
    if let latencyMicros { latencies.append(UInt32(clamping: max(0, latencyMicros))) }
  }

  /// Returns the statistics as a JSON object.
  ///
  /// `seconds` is the time between the first and the last notification.
  func line(devices: Int, up: Int) -> JSONValue {
    let seconds = Double(last - first) / 1e9
    var line: JSONObject = [
      "event": "summary", "devices": .integer(Int64(devices)), "up": .integer(Int64(up)),
      "registered": .integer(Int64(tokens)), "received": .integer(Int64(received)),
      "stored": .integer(Int64(stored)), "payloadBytes": .integer(Int64(payloadBytes)),
      "seconds": .double(seconds),
      "perSecond": .double(seconds > 0 ? Double(received - 1) / seconds : 0),
    ]
    let sorted = latencies.sorted()
    line["latencyCount"] = .integer(Int64(sorted.count))
    for (name, share) in [
      ("latencyMicrosP50", 0.5), ("latencyMicrosP90", 0.9), ("latencyMicrosP99", 0.99),
      ("latencyMicrosP999", 0.999), ("latencyMicrosMax", 1),
    ] where !sorted.isEmpty {
      let rank = Int((Double(sorted.count) * share).rounded(.up))
      line[name] = .integer(Int64(sorted[max(1, rank) - 1]))
    }
    return .object(line)
  }
}
