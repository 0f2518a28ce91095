import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server with a new, empty cluster, which listens only on a socket in its own folder.
///
/// Call ``stop()`` at the end of a test. The files are removed when this object is released.
public final class PostgresProgram: Sendable {
  /// The user that runs the server if the tests run as root, because PostgreSQL refuses to run as root.
  private static let user: UInt32 = 65_534

  private let folder: ScratchFolder
  private let command: [String]
  private let program: Mutex<RunningProgram?>

  /// The folder that contains the server's socket.
  public var socketFolder: String { folder.path }

  /// The URL of the database `postgres`.
  public var url: String { url(ofDatabase: "postgres") }

  /// Creates the cluster, and starts the server without syncing, because no test cuts its power.
  ///
  /// `settings` are options such as `log_statement=all`.
  public init(settings: [String] = []) async throws {
    folder = try ScratchFolder()
    let data = folder.file("data")
    let initdb = try TestTool.initdb.required()
    let postgres = URL(fileURLWithPath: initdb).deletingLastPathComponent().path + "/postgres"
    var prefix: [String] = []
    if geteuid() == 0 {
      prefix = [
        try TestTool.setpriv.required(), "--reuid=\(Self.user)", "--regid=\(Self.user)",
        "--clear-groups", "--",
      ]
      guard chown(folder.path, Self.user, Self.user) == 0 else {
        throw ProgramFailure.notStarted(program: "chown", errno: errno)
      }
    }
    let creation = try RunningProgram(
      prefix + [
        initdb, "--pgdata", data, "--username", "belfry", "--auth", "trust", "--no-sync",
        "--wal-segsize", "1",
        "--encoding", "UTF8", "--locale", "C",
      ], name: "initdb", errorsFile: folder.file("initdb.errors"))
    guard try await creation.end() == 0 else {
      throw ProgramFailure.unreadable(
        (try? String(contentsOfFile: folder.file("initdb.errors"), encoding: .utf8)) ?? "initdb")
    }
    let options = ["listen_addresses=", "unix_socket_directories=\(folder.path)", "fsync=off"]
    // The server writes its log to the standard error; the test waits for a line on the standard output.
    command =
      ["/bin/sh", "-c", "exec \"$@\" 2>&1", "postgres"] + prefix + [postgres, "-D", data]
      + (options + settings).flatMap { ["-c", $0] } + ["-c", "log_line_prefix="]
    program = Mutex(nil)
    try await start()
  }

  /// Starts the server again after ``stop()``, and waits until it accepts connections.
  public func start() async throws {
    let started = try RunningProgram(
      command, name: "postgres", errorsFile: folder.file("postgres.errors"))
    program.withLock { program in
      assert(program?.isRunning != true, "only a stopped server is started")
      program = started
    }
    _ = try await started.text("LOG:  database system is ready to accept connections")
  }

  /// Stops the server and its processes, which would outlive a killed server.
  public func stop() async throws {
    guard let running = program.withLock({ $0 }) else { return }
    running.signal(SIGQUIT)
    _ = try await running.end()
  }

  /// Executes a statement with `psql`, and returns its output.
  @discardableResult
  public func execute(_ sql: String, in database: String = "postgres") async throws -> String {
    let psql = try RunningProgram(
      [
        URL(fileURLWithPath: try TestTool.initdb.required()).deletingLastPathComponent().path
          + "/psql", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--dbname", url(ofDatabase: database),
        "--command", sql,
      ], name: "psql", errorsFile: folder.file("psql.errors"))
    guard try await psql.end() == 0 else { throw ProgramFailure.unreadable(psql.errors) }
    return psql.lines.joined(separator: "\n") + psql.errors
  }

  /// Returns the URL of a database of the server.
  public func url(ofDatabase name: String) -> String {
    assert(!name.isEmpty, "a database has a name")
    let host = folder.path.split(separator: "/").joined(separator: "%2F")
    return "postgres://belfry@%2F\(host)/\(name)"
  }
}

extension Scenario {
  /// Runs `body` with a new scenario and a new database server, which is stopped afterward.
  public static func runWithDatabase(
    _ body: @escaping (Scenario, PostgresProgram) async throws -> Void
  ) async throws {
    try await run { scenario in
      let server = try await PostgresProgram()
      do {
        try await body(scenario, server)
      } catch {
        try? await server.stop()
        throw error
      }
      try await server.stop()
    }
  }
}
