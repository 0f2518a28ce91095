import BelfryWire
import Foundation
import Glibc
import System

/// Plays notifications' sounds, one at a time, by `belfry-sound`: sound files are untrusted bytes.
final class SoundDesk: EventHandler {
  private let loop: EventLoop
  private let log: Log
  private let environment = ProcessInfo.processInfo.environment
  /// `belfry-sound`, absolute; nil where it is not installed.
  let program: String?
  private var child: pid_t?
  private var ended: Set<pid_t> = []
  /// What the program says; ends when it does.
  private var output: Int32 = -1
  private var registration: Registration?
  private var said: [UInt8] = []
  /// What was last told of why nothing is heard.
  private var problem: String?

  /// Looks for `belfry-sound` beside this program and on `PATH`.
  init(on loop: EventLoop, log: Log) {
    self.loop = loop
    self.log = log
    program = HelperProgram.find("belfry-sound", environment)
  }

  /// Whether sounds can be played at all.
  var isAvailable: Bool { program != nil }

  /// Plays a sound of an app; the system's where it names none, or none that may be played (S0-6).
  ///
  /// While one sounds another is left out, unless it is critical.
  func play(_ sound: NotificationSound, of app: AppRecord) {
    reap()
    guard let program else { return }
    if let child {
      guard sound.isCritical else { return }
      kill(child, SIGTERM)
      forget()
    }
    var arguments = ["play"]
    if sound.isCritical, let volume = sound.volume {
      arguments += ["--volume", String(min(max(volume, 0), 1))]
    }
    if let file = SoundSearch.systemFile(environment: environment) {
      arguments += ["--system", file]
    }
    if let name = sound.name {
      if let file = SoundSearch.file(name, of: app, environment: environment) {
        arguments.append(file)
      } else {
        log.info("an app's sound was not found", ["app": app.id.text, "sound": name])
      }
    }
    start(program, arguments)
  }

  func close() {
    if let child { kill(child, SIGTERM) }
    forget()
    reap()
  }

  private func start(_ program: String, _ arguments: [String]) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = ends[0]
    defer { Glibc.close(ends[1]) }
    do {
      child = try ProgramStart.start(
        program, arguments, environment: environment, output: ends[1], isMute: true)
      registration = try loop.register(output, for: .readable, handler: self)
    } catch {
      log.warning("a sound could not be played", ["why": "\(error)"])
      forget()
    }
  }

  /// The program said something, or has ended.
  func ready(_ readiness: Readiness) {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(output, $0.baseAddress, $0.count)
    }
    guard count <= 0 else {
      if said.count < 4_096 { said += bytes[..<count] }
      return
    }
    if count < 0, errno == EINTR { return }
    note(said)
    forget()
    reap()
  }

  /// Tells once when nothing can be heard, and why an app's own sound was not.
  private func note(_ said: [UInt8]) {
    let line = said.prefix { $0 != UInt8(ascii: "\n") }
    guard let object = (try? JSONValue(parsing: Array(line)))?.objectValue else { return }
    let reason = object["reason"]?.stringValue
    guard let by = object["by"]?.stringValue else {
      if problem != reason, let reason { log.warning("\(reason)") }
      problem = reason
      return
    }
    problem = nil
    if let reason { log.info("an app's sound was not played", ["why": reason]) }
    log.debug("a sound was played", ["what": object["played"]?.stringValue ?? "", "by": by])
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
