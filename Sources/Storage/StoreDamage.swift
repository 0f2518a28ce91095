internal import Synchronization

/// A record of the rows that a store set aside because their checksums were wrong.
///
/// This object can be used from any thread. A row that is not found in a table might have been set aside. A row whose
/// key could not be read might have any key.
public final class StoreDamage: Sendable {
  /// A key of a table, as recorded for a row that was set aside.
  public enum Key: Sendable {
    case team(String)
    case providerKey(String)
    /// The serial number of a provider's certificate.
    case certificate(String)
    case app(number: UInt32)
    case bundle(String)
    case channel([UInt8])
    case device(UInt64)
    case registration(device: UInt64, app: UInt32, kind: UInt8)
    /// The upstream of an app.
    case upstream(app: UInt32)
    /// The budget of a provider key.
    case budget(String)
    case setting(String)
    /// A record of an agent.
    case record(collection: String, key: String)
  }

  /// The rows of one table that were set aside.
  struct Rows: Equatable {
    var count = 0
    /// True if the key of at least one of these rows is also damaged.
    var hasUnknownKey = false
    /// True if an entry represents an unknown number of rows that could not be read.
    var hasGap = false
    /// The keys, each quoted by SQLite, and the separate parts of keys that have several parts.
    var keys: Set<[UInt8]> = []
  }

  private struct State {
    var tables: [String: Rows] = [:]  // text: names of our own tables
    var count = 0
  }

  private let state = Mutex(State())
  private let number = Atomic<Int>(0)

  /// Creates a value without damage.
  public init() {}

  /// The value for a store that is not on a disk.
  public static let none = StoreDamage()

  /// The number of rows that were set aside.
  public var count: Int { number.load(ordering: .relaxed) }

  /// The number of rows that were set aside, by table name.
  public var counts: [String: Int] { state.withLock { $0.tables.mapValues(\.count) } }

  /// A summary for log lines and messages; nil if no rows were set aside.
  public var summary: String? {
    let tables = state.withLock { $0.tables }
    guard !tables.isEmpty else { return nil }
    assert(tables.values.allSatisfy { $0.count > 0 }, "a table in the list has damaged rows")
    return tables.sorted { $0.key < $1.key }.map { table in
      "\(table.value.count)\(table.value.hasGap ? " or more" : "") of \(table.key)"
    }.joined(separator: ", ")
  }

  /// Returns true if a row with this key might have been set aside.
  public func mayHave(_ key: Key) -> Bool {
    guard count > 0 else { return false }
    return state.withLock { state in
      // If a row of `set_aside` itself is damaged, the row might have represented any key.
      if state.tables[ChecksummedTable.setAside.name] != nil { return true }
      guard let rows = state.tables[key.table] else { return false }
      return rows.hasUnknownKey || rows.keys.contains(key.bytes)
    }
  }

  /// Returns true if a row of this table was set aside.
  public func has(table: String) -> Bool {
    count > 0
      && state.withLock {
        $0.tables[table] != nil || $0.tables[ChecksummedTable.setAside.name] != nil
      }
  }

  /// Returns true if a row of one of these tables, with this string as a part of its key, might have been set aside.
  public func mayHave(part text: String, in tables: [String]) -> Bool {
    guard count > 0 else { return false }
    let part = Key.quoted(text)
    return state.withLock { state in
      // As in `mayHave(_:)`, a damaged row of `set_aside` might have represented any key.
      if state.tables[ChecksummedTable.setAside.name] != nil { return true }
      return tables.contains { name in
        guard let rows = state.tables[name] else { return false }
        return rows.hasUnknownKey || rows.keys.contains(part)
      }
    }
  }

  func replace(with tables: [String: Rows]) {
    let count = tables.values.reduce(0) { $0 + $1.count }
    state.withLock { state in
      state.tables = tables
      state.count = count
      number.store(count, ordering: .relaxed)
    }
  }

  /// The separator between the parts of a key.
  static let separator: UInt8 = 0x1F
}

extension StoreDamage.Key {
  var table: String {
    switch self {
    case .team: "team"
    case .providerKey: "provider_key"
    case .certificate: "certificate"
    case .app, .bundle: "app"
    case .channel: "channel"
    case .device: "device"
    case .registration: "registration"
    case .upstream: "upstream"
    case .budget: "budget"
    case .setting: "setting"
    case .record: "record"
    }
  }

  /// The key as written by SQLite's `quote`.
  ///
  /// The key is compared by bytes, because requests contain arbitrary text.
  var bytes: [UInt8] {
    switch self {
    case .team(let text), .providerKey(let text), .certificate(let text), .bundle(let text),
      .budget(let text), .setting(let text):
      Self.quoted(text)
    case .app(let number), .upstream(let number): Array("\(number)".utf8)
    case .channel(let bytes): Array("X'\(bytes.map(Self.hexadecimal).joined())'".utf8)
    case .device(let number): Array("\(Int64(bitPattern: number))".utf8)
    case .registration(let device, let app, let kind):
      Array(["\(Int64(bitPattern: device))", "\(app)", "\(kind)"].joined(separator: "\u{1F}").utf8)
    case .record(let collection, let key):
      Self.quoted(collection) + [StoreDamage.separator] + Self.quoted(key)
    }
  }

  fileprivate static func quoted(_ text: String) -> [UInt8] {
    let quote = UInt8(ascii: "'")
    var bytes = [quote]
    for byte in text.utf8 {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    return bytes + [quote]
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.utf8.count < 2 ? "0" + digits : digits
  }
}

/// A row whose checksum was wrong, for inspection.
public struct SetAsideRow: Sendable {
  /// The table from which the row was moved.
  public let table: String
  /// True if the key shown is the key that was written.
  public let isKeyKnown: Bool
  /// The row's values in SQL notation, one line per column, or the available information about unreadable rows.
  public let content: String
  /// The time at which the damage was found, in milliseconds since 1970.
  public let foundMilliseconds: Int64
}
