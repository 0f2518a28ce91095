internal import CPostgreSQL
internal import Glibc
internal import System

/// A connection to a PostgreSQL server in pipeline mode.
///
/// All statements of a call are sent together, so a call takes one round trip. A statement is prepared on the server when
/// it is first used. The type is not `Sendable`: the owner guards access to the connection.
@safe final class PostgresConnection {
  /// A statement, which is prepared once per connection.
  struct Statement: Sendable {
    /// The name under which the server remembers the statement.
    let name: StaticString
    let sql: String
  }

  /// A statement with its parameters.
  struct Call {
    let statement: Statement
    let parameters: [PostgresValue]

    init(_ statement: Statement, _ parameters: [PostgresValue] = []) {
      self.statement = statement
      self.parameters = parameters
    }
  }

  /// The warnings that the server sent during the current call.
  private final class Notices {
    var warning: String?
  }

  private let connection: OpaquePointer
  private let notices = Notices()
  private var prepared: Set<UInt> = []
  private var isLost = false

  /// Connects to the server, or to the first of several servers that accepts writes.
  ///
  /// Passwords and certificates are found in libpq's own ways: `PGPASSFILE`, `PGSSLROOTCERT`, and the parameters of the
  /// address.
  init(_ address: PostgresAddress) throws(PostgresFailure) {
    guard let connection = unsafe address.connect() else {
      throw .notConnected(why: "out of memory")
    }
    unsafe self.connection = connection
    guard unsafe PQstatus(connection) == CONNECTION_OK else {
      throw .notConnected(why: lastError)
    }
    let box = unsafe Unmanaged.passUnretained(notices).toOpaque()
    _ = unsafe PQsetNoticeReceiver(
      connection,
      { box, result in
        guard let box = unsafe box, let result = unsafe result else { return }
        let severity = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "V")))
        guard let severity = unsafe severity, unsafe strcmp(severity, "WARNING") == 0 else {
          return
        }
        let message = unsafe PostgresConnection.message(PQresultErrorMessage(result))
        unsafe Unmanaged<Notices>.fromOpaque(box).takeUnretainedValue().warning = message
      }, box)
    try enterPipeline()
  }

  deinit { unsafe PQfinish(connection) }

  /// The library's description of the most recent error.
  private var lastError: String { unsafe Self.message(PQerrorMessage(connection)) }

  /// True if the connection can be used.
  var isUsable: Bool { unsafe !isLost && PQstatus(connection) == CONNECTION_OK }

  /// Executes the statements in one round trip, and returns their rows.
  ///
  /// The result is final only when the server is ready for the next query (`ReadyForQuery`), and only if it sent no
  /// warning: a server that is being demoted reports a commit as complete, and then drops the connection. If no answer
  /// arrives within `limit` nanoseconds, the connection is closed. A running commit is never cancelled.
  func run(
    _ calls: [Call], within limit: Int64 = Limits.serverAnswerNanoseconds
  ) throws(PostgresFailure) -> [PostgresRows] {
    assert(!calls.isEmpty, "a round trip has a purpose")
    guard isUsable else { throw .lost(why: "the connection is closed") }
    notices.warning = nil
    do throws(PostgresFailure) {
      var isPreparation: [Bool] = []
      for call in calls {
        if prepared.insert(Self.identity(of: call.statement)).inserted {
          try sent(
            unsafe PQsendPrepare(
              connection, Self.text(call.statement.name), call.statement.sql,
              Int32(call.parameters.count), call.parameters.map(\.type)))
          isPreparation.append(true)
        }
        try send(call)
        isPreparation.append(false)
      }
      try sent(unsafe PQpipelineSync(connection))
      let rows = try collect(isPreparation, within: limit)
      if let warning = notices.warning { throw .uncertain(message: warning) }
      return rows
    } catch {
      switch error {
      case .refused:
        // The server did not prepare the statements that followed the rejected one.
        prepared.removeAll()
        try deallocate()
      case .notConnected, .lost, .uncertain: isLost = true
      }
      throw error
    }
  }

  /// Executes a script of several statements outside of the pipeline.
  func execute(script: String) throws(PostgresFailure) {
    guard unsafe PQexitPipelineMode(connection) == 1, unsafe PQsetnonblocking(connection, 0) == 0
    else { throw .lost(why: lastError) }
    let result = unsafe PQexec(connection, script)
    defer { unsafe PQclear(result) }
    if let failure = unsafe Self.failure(of: result) { throw failure }
    try enterPipeline()
  }

  private func enterPipeline() throws(PostgresFailure) {
    guard unsafe PQsetnonblocking(connection, 1) == 0, unsafe PQenterPipelineMode(connection) == 1
    else { throw .lost(why: lastError) }
  }

  // MARK: - Sending and receiving

  private func send(_ call: Call) throws(PostgresFailure) {
    let parameters = call.parameters
    // All values are in one buffer, because the library takes an array of pointers.
    var buffer: [UInt8] = []
    buffer.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
    for parameter in parameters { buffer += parameter.bytes ?? [] }
    buffer.append(0)
    let code = unsafe buffer.withUnsafeBytes { bytes in
      var values: [UnsafePointer<CChar>?] = unsafe []
      var start = 0
      for parameter in parameters {
        guard let count = parameter.bytes?.count else {
          unsafe values.append(nil)
          continue
        }
        unsafe values.append(
          bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self))
        start += count
      }
      return unsafe PQsendQueryPrepared(
        connection, Self.text(call.statement.name), Int32(parameters.count), values,
        parameters.map { Int32($0.bytes?.count ?? 0) }, parameters.map { _ in 1 }, 1)
    }
    try sent(code)
  }

  private func sent(_ code: Int32) throws(PostgresFailure) {
    guard code == 1 else { throw .lost(why: lastError) }
  }

  /// Reads the results until the server is ready for the next query.
  private func collect(
    _ isPreparation: [Bool], within limit: Int64
  ) throws(PostgresFailure) -> [PostgresRows] {
    let deadline = SystemClock.monotonicNanoseconds + limit
    var rows: [PostgresRows] = []
    var first: PostgresFailure?
    for isPreparation in isPreparation {
      while let result = unsafe try next(deadline) {
        let owned = unsafe PostgresRows(result)
        if let failure = unsafe Self.failure(of: result) {
          if first == nil { first = failure }
        } else if !isPreparation {
          rows.append(owned)
        }
      }
    }
    guard let sync = unsafe try next(deadline) else {
      throw .lost(why: "the server did not report that it is ready")
    }
    defer { unsafe PQclear(sync) }
    guard unsafe PQresultStatus(sync) == PGRES_PIPELINE_SYNC else {
      throw .lost(why: lastError)
    }
    if let first { throw first }
    assert(
      rows.count == isPreparation.count { !$0 }, "each statement has one result if none has failed")
    return rows
  }

  /// Returns the next result, or nil at the end of a statement's results.
  private func next(_ deadline: Int64) throws(PostgresFailure) -> OpaquePointer? {
    while true {
      let isFlushed = unsafe PQflush(connection)
      guard isFlushed >= 0 else {
        throw .lost(why: lastError)
      }
      if isFlushed == 0, unsafe PQisBusy(connection) == 0 { break }
      try wait(forWriting: isFlushed == 1, until: deadline)
      guard unsafe PQconsumeInput(connection) == 1 else {
        throw .lost(why: lastError)
      }
    }
    guard let result = unsafe PQgetResult(connection) else { return nil }
    guard unsafe PQstatus(connection) == CONNECTION_OK else {
      defer { unsafe PQclear(result) }
      throw .lost(why: lastError)
    }
    return unsafe result
  }

  private func wait(forWriting: Bool, until deadline: Int64) throws(PostgresFailure) {
    let left = (deadline - SystemClock.monotonicNanoseconds) / 1_000_000
    guard left > 0 else { throw .lost(why: "the server did not answer in time") }
    var descriptor = pollfd(
      fd: unsafe PQsocket(connection), events: Int16(POLLIN | (forWriting ? POLLOUT : 0)),
      revents: 0)
    guard unsafe poll(&descriptor, 1, Int32(clamping: left)) >= 0 || errno == EINTR else {
      throw .lost(why: "the machine cannot wait for the server's answer")
    }
  }

  /// Discards the prepared statements after an error.
  private func deallocate() throws(PostgresFailure) {
    try execute(script: "ROLLBACK; DEALLOCATE ALL")
  }

  private static func failure(of result: OpaquePointer?) -> PostgresFailure? {
    let status = unsafe PQresultStatus(result)
    switch status {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_PIPELINE_SYNC: return nil
    case PGRES_PIPELINE_ABORTED:
      return .refused(state: "25P02", message: "an earlier statement failed")
    default:
      let state = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C")))
      let message = unsafe message(PQresultErrorMessage(result))
      guard let state = unsafe state else { return .lost(why: message) }
      let code = unsafe String(cString: state)
      // Class 57 reports a shutdown or a crash of the server, and class 08 reports the loss of the connection.
      return code.utf8.starts(with: "57P".utf8) || code.utf8.starts(with: "08".utf8)
        ? .lost(why: message) : .refused(state: code, message: message)
    }
  }

  /// Returns a message of the library in one line.
  fileprivate static func message(_ text: UnsafePointer<CChar>?) -> String {
    guard let text = unsafe text else { return "unknown error" }
    return unsafe String(cString: text).split(whereSeparator: \.isNewline)
      .map { line in
        // The library starts continued lines with a tab, and some errors with the name of a function.
        String(line.drop { $0.isWhitespace }).replacing("fe_sendauth: ", with: "")
      }
      .joined(separator: "; ")
  }

  private static func identity(of statement: Statement) -> UInt {
    unsafe UInt(bitPattern: statement.name.utf8Start)
  }

  private static func text(_ text: StaticString) -> UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
