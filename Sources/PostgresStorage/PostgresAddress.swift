internal import CPostgreSQL

/// The address of a PostgreSQL database, as a `postgres://` URL that libpq understands.
public struct PostgresAddress: Sendable, Equatable, CustomStringConvertible {
  /// The reason that a URL cannot be used.
  public enum Failure: Error, CustomStringConvertible {
    /// The URL does not begin with `postgres://` or `postgresql://`.
    case notPostgres
    /// The URL contains a password, which every user of the machine could read in the process list.
    case hasPassword
    /// libpq rejects the URL for the reason `why`.
    case invalid(why: String)

    /// A description of a valid URL, as it follows the word "expected".
    public var description: String {
      switch self {
      case .notPostgres: "postgres://USER@HOST/DATABASE"
      case .hasPassword:
        "a URL without a password; put the password in the file that PGPASSFILE names"
      case .invalid(let why): "a URL that PostgreSQL accepts (\(why))"
      }
    }
  }

  /// The URL, which does not contain a password.
  public let url: String

  /// The URL, for messages.
  public var description: String { url }

  /// Checks a URL without connecting to the database.
  public init(_ url: String) throws(Failure) {
    guard
      url.utf8.starts(with: "postgres://".utf8) || url.utf8.starts(with: "postgresql://".utf8)
    else { throw .notPostgres }
    // An empty URL would connect to whatever database the environment specifies.
    guard !url.utf8.elementsEqual("postgres://".utf8),
      !url.utf8.elementsEqual("postgresql://".utf8)
    else { throw .notPostgres }
    var why: UnsafeMutablePointer<CChar>?
    let options = unsafe PQconninfoParse(url, &why)
    guard let options = unsafe options else {
      defer { unsafe PQfreemem(why) }
      let text = unsafe why.map { unsafe String(cString: $0) } ?? "out of memory"
      throw .invalid(why: text.split(whereSeparator: \.isNewline).joined(separator: "; "))
    }
    defer { unsafe PQconninfoFree(options) }
    var option = unsafe options
    while unsafe option.pointee.keyword != nil {
      // The library marks the parameters that are secret, such as `password` and `sslpassword`.
      let isSecret =
        unsafe option.pointee.dispchar.map { unsafe $0.pointee == CChar(UInt8(ascii: "*")) }
        ?? false
      if isSecret, unsafe option.pointee.val != nil { throw .hasPassword }
      unsafe option += 1
    }
    self.url = url
  }

  /// Connects to the database, and returns the connection, which might have failed; nil if memory is exhausted.
  ///
  /// Parameters in the URL take precedence over the defaults.
  func connect() -> OpaquePointer? {
    let defaults = [
      ("application_name", "belfry"), ("client_encoding", "UTF8"), ("connect_timeout", "5"),
      ("target_session_attrs", "read-write"), ("tcp_user_timeout", "10000"),
      ("keepalives_idle", "10"),
      // A frozen process must not hold locks that other nodes wait for.
      (
        "options",
        "-c idle_in_transaction_session_timeout=10000 -c tcp_keepalives_idle=10"
          + " -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
      ),
      ("dbname", url),
    ]
    return unsafe Self.withStrings(defaults.map(\.0)) { keywords in
      unsafe Self.withStrings(defaults.map(\.1)) { values in
        unsafe PQconnectdbParams(keywords, values, 1)
      }
    }
  }

  /// Calls `body` with an array of C strings that ends with a null pointer.
  private static func withStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> OpaquePointer?
  ) -> OpaquePointer? {
    let bytes = strings.map { Array($0.utf8CString) }
    let all = bytes.flatMap { $0 }
    return unsafe all.withUnsafeBufferPointer { buffer in
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      var start = 0
      for string in bytes {
        unsafe pointers.append(buffer.baseAddress?.advanced(by: start))
        start += string.count
      }
      unsafe pointers.append(nil)
      return unsafe pointers.withUnsafeBufferPointer { unsafe $0.baseAddress.flatMap(body) }
    }
  }
}
