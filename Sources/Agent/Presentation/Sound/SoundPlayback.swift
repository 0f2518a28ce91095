import BelfryWire
import AppWire
import Foundation
import System

/// A player of notification sounds, which plays one sound at a time.
///
/// The player uses the separate program `belfry-sound` because sound files are untrusted bytes.
final class SoundPlayback {
  private let loop: EventLoop
  private let log: Log
  private let environment = ProcessInfo.processInfo.environment
  /// The absolute path of `belfry-sound`; nil if it is not installed.
  let program: String?
  private var child: ChildProgram?
  /// The app whose sound is playing, and the sound's file; the file is nil for the system sound.
  private var playing: (app: AppID, file: String?)?
  /// The reason that the latest sound could not be played, in the form "problem: advice"; nil if it was played.
  private(set) var problem: String?
  /// True if the player has played a sound since the agent started.
  private(set) var hasPlayed = false
  /// True if a log line has reported that the kernel cannot confine the player.
  private var hasToldLack = false

  /// Creates a player with the `belfry-sound` next to this program or on `PATH`.
  init(on loop: EventLoop, log: Log) {
    self.loop = loop
    self.log = log
    program = HelperProgram.find("belfry-sound", environment)
  }

  /// True if sounds can be played at all.
  var isAvailable: Bool { program != nil }

  /// Plays an app's sound, or the system sound if the app specifies no sound or its sound cannot be played (S0-6).
  ///
  /// While a sound is playing, other sounds are skipped unless they are critical.
  func play(_ sound: NotificationSound, of app: LocalApp) {
    guard let program else { return }
    if child != nil {
      guard sound.isCritical else { return }
      close()
    }
    var arguments = ["play"]
    if sound.isCritical, let volume = sound.volume {
      arguments += ["--volume", String(min(max(volume, 0), 1))]
    }
    if let systemFile = SoundSearch.systemFile(environment: environment) {
      arguments += ["--system", systemFile]
    }
    var file: String?
    if let name = sound.name {
      file = SoundSearch.file(name, of: app, environment: environment)
      if let file {
        arguments.append(file)
      } else {
        log.info("an app's sound was not found", ["app": app.id.text, "sound": name])
      }
    }
    playing = (app.id, file)
    start(program, arguments)
  }

  func close() {
    child?.close()
    child = nil
  }

  private func start(_ program: String, _ arguments: [String]) {
    do {
      child = try ChildProgram(program, arguments, environment: environment, on: loop) {
        [weak self] in self?.onEvent($0)
      }
    } catch {
      log.warning("cannot play a sound", ["why": "\(error)"])
    }
  }

  private func onEvent(_ event: ChildProgram.Event) {
    switch event {
    case .line(let line): note(line)
    case .ended: child = nil
    }
  }

  /// Logs each reason that an app's own sound was not played, and logs once if no sound can be played at all.
  private func note(_ line: [UInt8]) {
    guard let object = (try? JSONValue(parsing: line))?.objectValue else { return }
    if let lacking = object["lacking"]?.stringValue, !hasToldLack {
      hasToldLack = true
      log.warning("reading sound files with an incomplete sandbox", ["lacking": lacking])
    }
    let reason = object["reason"]?.stringValue
    guard let by = object["by"]?.stringValue else {
      if problem != reason, let reason { log.warning("\(reason)") }
      problem = reason
      return
    }
    problem = nil
    hasPlayed = true
    if let reason {
      log.info(
        "an app's sound was not played",
        ["app": playing?.app.text ?? "", "file": playing?.file ?? "", "why": reason])
    }
    log.debug("a sound was played", ["what": object["played"]?.stringValue ?? "", "by": by])
  }
}
