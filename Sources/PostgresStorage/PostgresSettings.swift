internal import Storage

/// The server's settings on which the promise depends that nothing accepted is lost.
struct PostgresSettings {
  private let version: Int64
  private let encoding: String
  /// The settings that must not have certain values, with their present values.
  private let durability: [(name: String, value: String)]

  /// Creates settings from their values.
  init(version: Int64, encoding: String, durability: [(name: String, value: String)]) {
    self.version = version
    self.encoding = encoding
    self.durability = durability
  }

  /// Reads the settings of a server, as they are for this user and database.
  init(of server: PostgresServer) throws(StorageFailure) {
    guard let rows = try server.read([.init(Self.statement)]).first, rows.count > 0 else {
      throw server.invalidRow("setting")
    }
    version = rows.integer(0, 0)
    encoding = rows.text(0, 1)
    assert(version > 0, "every server has a version")
    durability = Self.names.enumerated().map { ($1, rows.text(0, $0 + 2)) }
  }

  /// The reason that a gateway cannot use the database; nil if it can.
  var obstacle: String? {
    if version < 150_000 {
      return "PostgreSQL \(version / 10_000) is too old: use PostgreSQL 15 or later"
    }
    if encoding != "UTF8" {
      return "its encoding is \(encoding): create the database with ENCODING 'UTF8'"
    }
    return nil
  }

  /// A warning for each setting with which a crash of the server can lose accepted notifications.
  var warnings: [String] { warnings(ofLost: "notifications") }

  /// Returns a warning for each setting with which a crash of the server can lose accepted data of this kind.
  func warnings(ofLost data: String) -> [String] {
    durability.filter { ["off", "local"].contains($0.value) }.map { name, value in
      "the database server has \(name) = \(value), so accepted \(data) can be lost if it crashes: "
        + "set \(name) = on"
    }
  }

  private static let names = ["fsync", "full_page_writes", "synchronous_commit"]
  private static let statement = PostgresConnection.Statement(
    name: "settings",
    sql: """
      SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'),
        current_setting('fsync'), current_setting('full_page_writes'),
        current_setting('synchronous_commit')
      """)
}
