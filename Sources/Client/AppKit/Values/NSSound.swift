public import Foundation

/// A sound file, played by the desktop's own player where there is one.
open class NSSound: NSObject, @unchecked Sendable {
  // Sendable: like Apple's class, for one owner at a time.

  /// The name of a sound.
  public typealias Name = String

  private let path: String
  private let soundName: Name?
  private var player: Process?

  /// From 0 to 1; stored, the player decides.
  open var volume: Float = 1

  /// Whether it is played again and again; stored, without effect.
  open var loops = false

  /// A sound file of the app's bundle or of the system's sounds; nil when there is none.
  public convenience init?(named name: NSSound.Name) {
    let parts = name as NSString
    let types =
      parts.pathExtension.isEmpty ? ["aiff", "wav", "caf", "oga"] : [parts.pathExtension]
    let base = parts.deletingPathExtension
    for type in types {
      let candidates = [
        Bundle.main.path(forResource: base, ofType: type),
        "/usr/share/sounds/freedesktop/stereo/\(base).\(type)",
      ]
      for case let path? in candidates where FileManager.default.fileExists(atPath: path) {
        self.init(path: path, name: name)
        return
      }
    }
    return nil
  }

  /// A sound file; nil when it cannot be read.
  public convenience init?(contentsOfFile path: String, byReference byRef: Bool) {
    guard FileManager.default.isReadableFile(atPath: path) else { return nil }
    self.init(path: path, name: nil)
  }

  /// A sound file; nil when it cannot be read.
  public convenience init?(contentsOf url: URL, byReference byRef: Bool) {
    self.init(contentsOfFile: url.path, byReference: byRef)
  }

  init(path: String, name: Name?) {
    self.path = path
    soundName = name
    super.init()
  }

  /// The name by which it was found.
  open var name: NSSound.Name? { soundName }

  /// Whether it is being played.
  open var isPlaying: Bool { player?.isRunning ?? false }

  /// Plays it; returns whether a player could be started.
  @discardableResult
  open func play() -> Bool {
    guard !isPlaying, let player = Self.player() else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: player)
    process.arguments = [path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    self.player = process
    return true
  }

  /// Stops it; returns whether it was being played.
  @discardableResult
  open func stop() -> Bool {
    guard let player, player.isRunning else { return false }
    player.terminate()
    return true
  }

  /// The desktop's sound for an alert, where it has one.
  open class func beep() { NSSound(named: "bell")?.play() }

  private static func player() -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for name in ["pw-play", "paplay", "aplay"] {
      for folder in folders where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)")
      {
        return "\(folder)/\(name)"
      }
    }
    return nil
  }
}
