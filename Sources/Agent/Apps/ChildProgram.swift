import Glibc
import System

/// A program of the machine that the agent runs beside itself: tells its lines, and its end.
final class ChildProgram: EventHandler {
  /// What is reported of it.
  enum Event {
    /// A line that it printed, without the newline.
    case line([UInt8])
    /// It has ended, or closed its output; nothing comes after this.
    case ended
  }

  private let loop: EventLoop
  private let report: (Event) -> Void
  private var registration: Registration?
  private var output: Int32 = -1
  private var child: pid_t?
  private var said: [UInt8] = []

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - program: Its path.
  ///   - arguments: What follows its name.
  ///   - environment: Its variables.
  ///   - loop: In whose turns it is reported.
  ///   - report: What is called; not after `close`.
  /// - Throws: When it cannot be started.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], on loop: EventLoop,
    _ report: @escaping (Event) -> Void
  ) throws(SystemFailure) {
    self.loop = loop
    self.report = report
    let ends = try PipeEnds.make()
    output = ends.read
    defer { Glibc.close(ends.write) }
    do throws(SystemFailure) {
      child = try ProgramStart.start(
        program, arguments, environment: environment, output: ends.write, isMute: true)
      registration = try loop.register(output, for: .readable, handler: self)
    } catch {
      close()
      throw error
    }
  }

  /// Ends the program; nothing is reported any more.
  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    if output >= 0 { Glibc.close(output) }
    output = -1
    guard let child else { return }
    kill(child, SIGKILL)
    waitpid(child, nil, 0)
    self.child = nil
  }

  /// The program said something, or has ended.
  func ready(_ readiness: Readiness) {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(output, $0.baseAddress, $0.count)
    }
    if count < 0, errno == EINTR { return }
    if count > 0 { said += bytes[..<count] }
    while child != nil, let end = said.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(said[..<end])
      said.removeFirst(end + 1)
      report(.line(line))
    }
    guard child != nil, count <= 0 || said.count > Limits.childLineBytes else { return }
    // One that has closed its output, or says no lines, does no more.
    close()
    report(.ended)
  }

  deinit { close() }
}
