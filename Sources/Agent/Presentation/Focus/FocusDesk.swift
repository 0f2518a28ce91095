import BelfryWire
import Foundation
import Glibc
import System

/// Hears from `belfry-focus` which window is in front on an X server.
final class FocusDesk: EventHandler {
  private let loop: EventLoop
  private let log: Log
  private let environment = ProcessInfo.processInfo.environment
  private let told: (FocusedWindow?) -> Void
  /// `belfry-focus`, absolute; nil where it is not installed.
  let program: String?
  private var child: pid_t?
  private var ended: Set<pid_t> = []
  private var output: Int32 = -1
  private var registration: Registration?
  private var said: [UInt8] = []

  /// Looks for `belfry-focus` beside this program and on `PATH`; `told` hears of each change.
  init(on loop: EventLoop, log: Log, told: @escaping (FocusedWindow?) -> Void) {
    self.loop = loop
    self.log = log
    self.told = told
    program = HelperProgram.find("belfry-focus", environment)
  }

  /// Whether this session has an X server.
  var hasDisplay: Bool { environment["DISPLAY"].map { !$0.isEmpty } ?? false }

  /// Whether windows are watched.
  var isWatching: Bool { child != nil }

  /// Watches, where there is an X server and nothing watches yet.
  func start() {
    reap()
    guard hasDisplay, child == nil, let program else { return }
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = ends[0]
    defer { Glibc.close(ends[1]) }
    do {
      child = try ProgramStart.start(
        program, [], environment: environment, output: ends[1], isMute: true)
      registration = try loop.register(output, for: .readable, handler: self)
    } catch {
      log.warning("the window in front is not known", ["why": "\(error)"])
      close()
    }
  }

  /// Stops watching.
  func close() {
    if let child { kill(child, SIGTERM) }
    forget()
    reap()
  }

  /// The program said something, or has ended: with its X server, or for want of one.
  func ready(_ readiness: Readiness) {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(output, $0.baseAddress, $0.count)
    }
    if count < 0, errno == EINTR { return }
    guard count > 0 else {
      log.info("the window in front is not known any more: the X server ended or has none to tell")
      forget()
      told(nil)
      return reap()
    }
    said += bytes[..<count]
    while let end = said.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(said[..<end])
      said.removeFirst(end + 1)
      if let change = Self.window(in: line) { told(change) }
    }
    // No line of a window is that long.
    if said.count > Limits.focusLineBytes {
      close()
      told(nil)
    }
  }

  /// What a line tells: a window or, inside, none; nil when it is no such line.
  static func window(in line: [UInt8]) -> FocusedWindow?? {
    guard let object = (try? JSONValue(parsing: line))?.objectValue, let value = object["window"]
    else { return nil }
    guard let window = value.objectValue else { return .some(nil) }
    return FocusedWindow(
      process: window["process"]?.integerValue.flatMap(Int32.init(exactly:)),
      names: (window["names"]?.arrayValue ?? []).compactMap(\.stringValue))
  }

  private func forget() {
    if let registration { loop.deregister(registration) }
    registration = nil
    if output >= 0 { Glibc.close(output) }
    output = -1
    said = []
    if let child { ended.insert(child) }
    child = nil
  }

  private func reap() {
    for child in ended where waitpid(child, nil, WNOHANG) != 0 { ended.remove(child) }
  }
}
