internal import Storage

/// The conversion of the server's errors to those of the stores.
extension PostgresServer {
  /// SQLSTATE codes, from the appendix "PostgreSQL Error Codes" of the PostgreSQL documentation.
  private static let uniqueViolation = "23505"
  private static let foreignKeyViolation = "23503"
  private static let diskFull = "53100"
  private static let duplicateTable = "42P07"
  private static let noPrivilege = "42501"
  static let deadlock = "40P01"

  /// Returns a message of the server without its context, which can contain whole scripts.
  private static func firstSentence(_ message: String) -> String {
    let text = message.split(separator: "; ", maxSplits: 1).first ?? ""
    let isError = text.utf8.starts(with: "ERROR:".utf8)
    return String(isError ? text.dropFirst(6).drop { $0.isWhitespace } : text)
  }

  /// Returns the devices in a message that lists signed numbers.
  private static func devices(in message: String) -> [UInt64] {
    let numbers = firstSentence(message).utf8.split {
      !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) && $0 != UInt8(ascii: "-")
    }
    let devices = numbers.compactMap { Int64(String($0) ?? "").map(UInt64.init(bitPattern:)) }
    assert(!devices.isEmpty, "the server lists the devices whose claims are lost")
    return devices
  }

  /// Returns the error of the store for an error of the server.
  static func failure(
    _ failure: PostgresFailure, of address: PostgresAddress
  ) -> StorageFailure {
    switch failure {
    case .refused(PostgresSchema.takenOverState, _): .takenOver(server: "\(address)")
    case .refused(PostgresCluster.claimLostState, let message):
      .claimLost(devices: devices(in: message))
    case .refused(PostgresSchema.newerState, let message),
      .refused(PostgresNode.fullState, let message):
      .unsuitable(server: "\(address)", why: firstSentence(message))
    case .refused(duplicateTable, _):
      .unsuitable(
        server: "\(address)",
        why: "it contains tables of another program: specify an empty database")
    case .refused(noPrivilege, let message):
      .unsuitable(
        server: "\(address)",
        why: "\(firstSentence(message)): make the gateway's role the owner of the database")
    case .refused(uniqueViolation, let message): .exists(what: message)
    case .refused(foreignKeyViolation, _): .missing(what: "an object that a record belongs to")
    case .refused(diskFull, _): .diskFull(path: "the database \(address)")
    case .refused(let state, let message):
      .rejected(server: "\(address)", why: "\(firstSentence(message)) (SQLSTATE \(state))")
    case .notConnected, .lost, .uncertain: .unreachable(server: "\(address)", why: "\(failure)")
    }
  }
}
