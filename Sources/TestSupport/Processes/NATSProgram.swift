import Foundation
import Glibc
import Synchronization

/// A NATS server on a loopback port of its own, which stays the same when the server is restarted.
///
/// The server is killed and its files are removed when this object is released.
public final class NATSProgram: Sendable {
  /// The port on which the server listens.
  public let port: Int
  private let folder: ScratchFolder
  private let command: [String]
  private let program = Mutex<RunningProgram?>(nil)

  /// The URL of the server without TLS.
  public var url: String { "nats://127.0.0.1:\(port)" }

  /// Creates the configuration file, and starts the server unless `isStarted` is false.
  ///
  /// `settings` are lines of the configuration file, such as `max_payload: 1024`.
  public init(
    host: String = "127.0.0.1", settings: [String] = [], isStarted: Bool = true
  ) async throws {
    folder = try ScratchFolder()
    port = ReservedPorts.next()
    let lines = ["host: \"\(host)\"", "port: \(port)", "logtime: false"] + settings
    let file = folder.file("nats.conf")
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    // The server writes its log to the standard error; the test waits for a line on the standard output.
    command = [
      "/bin/sh", "-c", "exec \"$@\" 2>&1", "nats-server", try TestTool.natsServer.required(),
      "--config", file,
    ]
    if isStarted { try await start() }
  }

  /// Starts the server, and waits until it accepts connections.
  public func start() async throws {
    let started = try RunningProgram(
      command, name: "nats-server", errorsFile: folder.file("nats.errors"))
    program.withLock { program in
      assert(program?.isRunning != true, "only a stopped server is started")
      program = started
    }
    _ = try await started.text("[\(started.pid)] [INF] Server is ready")
  }

  /// Sends a signal to the server, such as `SIGSTOP`.
  public func signal(_ number: Int32) { program.withLock { $0?.signal(number) } }

  /// Kills the server, and waits until it has exited.
  public func kill() async throws {
    guard let running = program.withLock({ $0 }) else { return }
    running.signal(SIGKILL)
    _ = try await running.end()
  }
}
