import Glibc
import System

/// What a short program of the machine prints: started on the loop, told when it has ended.
final class ProgramAnswer: EventHandler {
  private let loop: EventLoop
  private let body: (String?) -> Void
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
  ///   - loop: Whose turn the answer comes in.
  ///   - body: Gets the first line, or nil when the program failed; not called after `close`.
  /// - Throws: When it cannot be started.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], on loop: EventLoop,
    _ body: @escaping (String?) -> Void
  ) throws(SystemFailure) {
    self.loop = loop
    self.body = body
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw .call(name: "pipe", errno: errno, subject: program)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = ends[0]
    defer { Glibc.close(ends[1]) }
    do throws(SystemFailure) {
      child = try ProgramStart.start(
        program, arguments, environment: environment, output: ends[1], isMute: true)
      registration = try loop.register(output, for: .readable, handler: self)
    } catch {
      close()
      throw error
    }
  }

  /// Ends the program; nothing is told any more.
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
    guard count <= 0 else {
      if said.count < Limits.programAnswerBytes { said += bytes[..<count] }
      return
    }
    if count < 0, errno == EINTR { return }
    // It has closed its output: what is left of it does no more.
    close()
    let line = said.prefix { $0 != UInt8(ascii: "\n") }
    body(line.isEmpty ? nil : String(decoding: line, as: UTF8.self))
  }

  deinit { close() }
}
