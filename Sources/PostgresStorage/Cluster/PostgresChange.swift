internal import Storage

/// A change that other nodes must learn of, as it is stored.
struct PostgresChange: Hashable {
  let kind: Int64
  let bytes: [UInt8]

  /// Creates the stored form of a changed subject.
  init(_ subject: ClusterChange.Subject) {
    switch subject {
    case .directory: (kind, bytes) = (1, [])
    case .channel(let id): (kind, bytes) = (2, id)
    case .device(let number):
      (kind, bytes) = (3, (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    case .setting(let name): (kind, bytes) = (4, Array(name.utf8))
    }
    assert(self.subject == subject, "the stored form can be read")
  }

  /// Creates the stored form from its columns.
  init(kind: Int64, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  /// The changed subject; nil if the stored form is invalid.
  var subject: ClusterChange.Subject? {
    switch kind {
    case 1: .directory
    case 2: .channel(bytes)
    case 3: bytes.count == 8 ? .device(bytes.reduce(0) { $0 << 8 | UInt64($1) }) : nil
    case 4: .setting(String(decoding: bytes, as: UTF8.self))
    default: nil
    }
  }

  /// Returns the subjects that other nodes must learn of, each once, in the order of the changes.
  static func all(in changes: [ControlChange]) -> [PostgresChange] {
    var known: Set<PostgresChange> = []
    return changes.compactMap(\.clusterSubject).map(PostgresChange.init).filter {
      known.insert($0).inserted
    }
  }

  /// Returns the statement that records the changes, which is the last one of a transaction.
  static func record(_ changes: [PostgresChange]) -> PostgresConnection.Call {
    assert(!changes.isEmpty, "only transactions with changes lock the last number")
    return .init(record, [.integers(changes.map(\.kind)), .datas(changes.map(\.bytes))])
  }

  private static let record = PostgresConnection.Statement(
    name: "record_changes", sql: "SELECT belfry_record_changes($1, $2)")
}
