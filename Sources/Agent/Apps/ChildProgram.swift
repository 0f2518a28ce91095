import Glibc
import System

/// A helper program that the agent runs.
///
/// The agent can send input to the program. The program's output lines and its exit are reported as events.
final class ChildProgram: EventHandler {
  /// An event of the program.
  enum Event {
    /// A line of output, without the newline.
    case line([UInt8])
    /// The program has exited or closed its output.
    ///
    /// No event follows.
    case ended
  }

  private let loop: EventLoop
  private let report: (Event) -> Void
  private var registration: Registration?
  private var output: Int32 = -1
  private var input: ChildInput?
  private var child: pid_t?
  private var said: [UInt8] = []

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - program: The program's path.
  ///   - arguments: The arguments after the program's name.
  ///   - environment: The environment variables.
  ///   - takesInput: True if `send` writes to the standard input, which is empty otherwise.
  ///   - loop: The loop on which events are reported.
  ///   - report: Receives the events; not called after `close`.
  /// - Throws: A failure if the program cannot be started.
  init(
    _ program: String, _ arguments: [String], environment: [String: String],
    takesInput: Bool = false, on loop: EventLoop, _ report: @escaping (Event) -> Void
  ) throws(SystemFailure) {
    self.loop = loop
    self.report = report
    let ends = try PipeEnds.make()
    output = ends.read
    defer { Glibc.close(ends.write) }
    do throws(SystemFailure) {
      let inputEnd = takesInput ? try makeInput() : nil
      defer { if let inputEnd { Glibc.close(inputEnd) } }
      child = try ProgramStart.start(
        program, arguments, environment: environment, input: inputEnd, output: ends.write,
        isMute: true)
      registration = try loop.register(output, for: .readable, handler: self)
    } catch {
      close()
      throw error
    }
  }

  private func makeInput() throws(SystemFailure) -> Int32 {
    let ends = try PipeEnds.make()
    input = ChildInput(ends.write, on: loop)
    return ends.read
  }

  /// Queues bytes for the program's standard input.
  func send(_ bytes: [UInt8]) {
    assert(input != nil, "bytes are sent only to a program with an input pipe")
    input?.send(bytes)
  }

  /// Terminates the program; no event is reported afterwards.
  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    input?.close()
    if output >= 0 { Glibc.close(output) }
    output = -1
    guard let child else { return }
    kill(child, SIGKILL)
    waitpid(child, nil, 0)
    self.child = nil
  }

  /// Handles the program's output or exit.
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
    // A program that has closed its output, or prints no valid lines, is no longer useful.
    close()
    report(.ended)
  }

  deinit { close() }
}

/// The input of a program, which buffers bytes that the program has not read yet.
private final class ChildInput: EventHandler {
  private let loop: EventLoop
  private var descriptor: Int32
  private var registration: Registration?
  private var waiting: [UInt8] = []

  /// Creates the input and takes ownership of the write end of a pipe.
  init(_ descriptor: Int32, on loop: EventLoop) {
    self.descriptor = descriptor
    self.loop = loop
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Writes bytes now, or once the program reads its input.
  func send(_ bytes: [UInt8]) {
    assert(bytes.last == UInt8(ascii: "\n"), "only whole lines are sent to a program")
    guard descriptor >= 0 else { return }
    waiting += bytes
    // A program that has stopped reading its input no longer shows anything.
    guard waiting.count <= Limits.childInputBytes else { return close() }
    write()
  }

  func ready(_ readiness: Readiness) {
    if readiness.contains(.hangup) { return close() }
    write()
  }

  private func write() {
    while descriptor >= 0, !waiting.isEmpty {
      let count = unsafe waiting.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        waiting.removeFirst(count)
      } else if count < 0, errno == EINTR {
        continue
      } else if count < 0, errno == EAGAIN {
        return watch()
      } else {
        // The program has exited. Its output is closed too, which is reported separately.
        return close()
      }
    }
    unwatch()
  }

  private func watch() {
    guard registration == nil else { return }
    registration = try? loop.register(descriptor, for: .writable, handler: self)
    // Nothing more can be sent if the descriptor cannot be watched.
    if registration == nil { close() }
  }

  private func unwatch() {
    if let registration { loop.deregister(registration) }
    registration = nil
  }

  func close() {
    unwatch()
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    waiting = []
  }
}
