import Foundation
import Glibc
import PushWire
import Storage

/// A benchmark of the store of undelivered notifications, beside the schema that it replaced.
///
/// Each commit has 256 notifications with payloads of 250 bytes, and each notification replaces the previous one of its
/// key. The figures are the processor time per notification and the notifications per second of wall-clock time, in one
/// run. The last argument can be `steady` or `large`, for one part only. The folder in `BELFRY_BENCH_FOLDER`, by default `/var/tmp`, determines the disk.
@main
struct StoreBenchmark {
  static func main() throws {
    let isQuick = CommandLine.arguments.contains("--quick")
    let folder = try Folder()
    defer { folder.remove() }
    var report: [String: Any] = [:]
    let part = CommandLine.arguments.last
    if part != "large" {
      report["steady"] = try steady(folder, keys: isQuick ? 20_000 : 200_000, isQuick: isQuick)
    }
    if part != "steady" {
      report["large"] = try large(folder, rows: isQuick ? 100_000 : 1_000_000, isQuick: isQuick)
    }
    let data = try JSONSerialization.data(
      withJSONObject: report, options: [.prettyPrinted, .sortedKeys])
    let results = URL(filePath: "Benchmarks/results")
    try FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
    try data.write(to: results.appending(path: "local-store.json"))
  }

  static let batch = 256
  static let payload = [UInt8](repeating: 0x78, count: 250)

  /// Replaces notifications of random keys, after each key has one.
  private static func steady(
    _ folder: Folder, keys: Int, isQuick: Bool
  ) throws -> [String: Any] {
    let rows = keys * 6
    let log = try SQLiteNotificationStore(path: folder.file("steady.sqlite"))
    try Load(devices: UInt64(keys)).fill(log)
    let new = try measure("log, \(keys) keys", rows: rows) {
      try Load(devices: UInt64(keys), seed: 1, after: UInt64(keys)).replace(rows, in: log)
    }
    let bytes = folder.byteCount("steady.sqlite")
    let live = keys * (payload.count + 81)
    say("  the file has \(bytes >> 20) MB for \(live >> 20) MB of notifications")
    log.close()
    // The former schema is slow, so it gets fewer rows.
    let former = try FormerStore(path: folder.file("former.sqlite"))
    try Load(devices: UInt64(keys)).fill(former)
    let formerRows = rows / 4
    let old = try measure("former schema, \(keys) keys", rows: formerRows) {
      try Load(devices: UInt64(keys), seed: 1, after: UInt64(keys)).replace(formerRows, in: former)
    }
    say("  ratio of processor time: \(rounded(new.cpu / old.cpu, 3))")
    return [
      "log": new.json, "former": old.json, "ratio": new.cpu / old.cpu, "fileBytes": bytes,
      "liveBytes": live,
    ]
  }

  /// Stores a million notifications, opens the file again, and replaces some of them.
  private static func large(
    _ folder: Folder, rows: Int, isQuick: Bool
  ) throws -> [String: Any] {
    let path = folder.file("large.sqlite")
    let first = try SQLiteNotificationStore(path: path)
    try Load(devices: UInt64(rows)).fill(first)
    first.close()
    let before = residentBytes()
    let start = ContinuousClock.now
    // On a slow disk, the check reaches its time limit.
    let inspection = try SQLiteNotificationStore.inspect(path: path)
    guard inspection == .whole || inspection == .unfinished else { throw POSIXError(.EIO) }
    let inspected = ContinuousClock.now
    let store = try SQLiteNotificationStore(path: path)
    let opened = ContinuousClock.now
    // SQLite's cache is full after the file has been read.
    let memory = residentBytes() - before - 34_000_000
    say(
      "\(rows) notifications: check \(inspected - start), open \(opened - inspected), "
        + "about \(memory / rows) bytes of memory per notification")
    let count = rows / 4
    var next = UInt64(rows)
    let hot = try measure("200 devices", rows: count) {
      try Load(devices: 200, seed: 2, after: next).replace(count, in: store)
    }
    next += UInt64(count)
    let random = try measure("\(rows) devices", rows: count) {
      try Load(devices: UInt64(rows), seed: 3, after: next).replace(count, in: store)
    }
    next += UInt64(count)
    let hotAgain = try measure("200 devices", rows: count) {
      try Load(devices: 200, seed: 4, after: next).replace(count, in: store)
    }
    let ratio = random.rate / ((hot.rate + hotAgain.rate) / 2)
    say("  ratio of the rates, random to hot: \(rounded(ratio, 2))")
    store.close()
    return [
      "rows": rows, "random": random.json, "hot": hot.json, "hotAgain": hotAgain.json,
      "ratio": ratio, "openSeconds": seconds(opened - start), "memoryBytes": memory,
    ]
  }

  struct Figures {
    let cpu: Double
    let rate: Double
    var json: [String: Any] { ["cpuMicroseconds": cpu, "perSecond": rate] }
  }

  private static func measure(
    _ name: String, rows: Int, _ body: () throws -> Void
  ) rethrows -> Figures {
    let cpu = processorSeconds()
    let start = ContinuousClock.now
    try body()
    let spent = seconds(ContinuousClock.now - start)
    let figures = Figures(
      cpu: (processorSeconds() - cpu) * 1e6 / Double(rows), rate: Double(rows) / spent)
    say(
      "\(name): \(rounded(figures.cpu, 2)) µs of processor time, \(Int(figures.rate)) per second")
    return figures
  }

  /// Prints a line immediately, because a run takes minutes.
  private static func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }

  private static func rounded(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  private static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4_096
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// A store under measurement.
protocol MeasuredStore {
  func perform(_ operations: [StoreOperation]) throws
}

extension SQLiteNotificationStore: MeasuredStore {
  /// Commits as the gateway's writer does, which removes records after each commit.
  func perform(_ operations: [StoreOperation]) throws {
    try commit(operations)
    _ = sweep(isIdle: false)
  }
}

/// The notifications for a number of devices.
struct Load {
  let devices: UInt64
  var seed: UInt64 = 0
  /// The last sequence that has been used.
  var after: UInt64 = 0

  /// Stores a notification for each device.
  func fill(_ store: some MeasuredStore) throws {
    for start in stride(from: UInt64(0), to: devices, by: 4_096) {
      try store.perform(
        (start..<min(devices, start + 4_096)).map { put(device: $0, sequence: $0 + 1) })
    }
  }

  /// Stores `count` notifications for random devices.
  func replace(_ count: Int, in store: some MeasuredStore) throws {
    var state = 88_172_645_463_325_252 &+ seed &* 0x9E37_79B9_7F4A_7C15
    var sequence = after
    var left = count
    while left > 0 {
      let size = min(left, StoreBenchmark.batch)
      left -= size
      try store.perform(
        (0..<size).map { _ in
          state ^= state << 13
          state ^= state >> 7
          state ^= state << 17
          sequence += 1
          return put(device: state % devices, sequence: sequence)
        })
    }
  }

  private func put(device: UInt64, sequence: UInt64) -> StoreOperation {
    .put(
      StoredNotification(
        // The numbers of devices are spread over all values, as those of real devices.
        key: NotificationKey(device: device &* 0x9E37_79B9_7F4A_7C15, app: 7, kind: 1),
        sequence: sequence,
        id: NotificationID(high: sequence, low: ~sequence),
        uniqueID: NotificationID(high: ~sequence, low: sequence),
        expiration: 1_800_000_000 + Int64(sequence % 2_592_000), priority: 10, pushType: 1,
        collapseID: [], payload: StoreBenchmark.payload,
        acceptedMilliseconds: 1_700_000_000_000), keep: 1)
  }
}

/// A temporary folder on the disk that is measured.
struct Folder {
  private let path: String

  init() throws {
    let parent = ProcessInfo.processInfo.environment["BELFRY_BENCH_FOLDER"] ?? "/var/tmp"
    path = "\(parent)/belfry-store-\(getpid())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func byteCount(_ name: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file(name))
    return attributes?[.size] as? Int ?? 0
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
