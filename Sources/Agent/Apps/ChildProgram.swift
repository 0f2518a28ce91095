import Glibc
import System

/// A program of the machine that the agent runs beside itself: takes lines, tells its lines and its end.
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
  private var input: ChildInput?
  private var child: pid_t?
  private var said: [UInt8] = []

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - program: Its path.
  ///   - arguments: What follows its name.
  ///   - environment: Its variables.
  ///   - takesInput: Whether `send` reaches its standard input, which is empty otherwise.
  ///   - loop: In whose turns it is reported.
  ///   - report: What is called; not after `close`.
  /// - Throws: When it cannot be started.
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

  /// Writes to its standard input, in the program's own time.
  func send(_ bytes: [UInt8]) {
    assert(input != nil, "a program without input is sent nothing")
    input?.send(bytes)
  }

  /// Ends the program; nothing is reported any more.
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

/// What a program is sent: bytes that it has not taken wait here.
private final class ChildInput: EventHandler {
  private let loop: EventLoop
  private var descriptor: Int32
  private var registration: Registration?
  private var waiting: [UInt8] = []

  /// Takes over the writing end of a pipe.
  init(_ descriptor: Int32, on loop: EventLoop) {
    self.descriptor = descriptor
    self.loop = loop
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Writes bytes, now or once they are taken.
  func send(_ bytes: [UInt8]) {
    assert(bytes.last == UInt8(ascii: "\n"), "a program is sent whole lines")
    guard descriptor >= 0 else { return }
    waiting += bytes
    // A program that takes nothing any more shows nothing any more either.
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
        // Its reader is gone: its output ends as well, and that is reported.
        return close()
      }
    }
    unwatch()
  }

  private func watch() {
    guard registration == nil else { return }
    registration = try? loop.register(descriptor, for: .writable, handler: self)
    // Without a descriptor left to watch with nothing more can be sent.
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
