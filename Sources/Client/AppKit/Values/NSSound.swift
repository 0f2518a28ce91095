public import Foundation

/// A sound file, played by the desktop's audio player if one is installed.
open class NSSound: NSObject, @unchecked Sendable {
  // Sendable: as with Apple's class, each object is used by only one owner at a time.

  /// The name of a sound.
  public typealias Name = String

  private let path: String
  private let soundName: Name?
  private var player: Process?

  /// The volume, from 0 to 1; stored, but has no effect.
  ///
  /// The player determines the actual volume.
  open var volume: Float = 1

  /// A Boolean value that indicates whether the sound repeats; stored, but has no effect.
  open var loops = false

  /// Creates a sound from a file in the app's bundle or from one of the system's sounds; nil if neither exists.
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

  /// Creates a sound from a file; nil if the file cannot be read.
  public convenience init?(contentsOfFile path: String, byReference byRef: Bool) {
    guard FileManager.default.isReadableFile(atPath: path) else { return nil }
    self.init(path: path, name: nil)
  }

  /// Creates a sound from the file at a URL; nil if the file cannot be read.
  public convenience init?(contentsOf url: URL, byReference byRef: Bool) {
    self.init(contentsOfFile: url.path, byReference: byRef)
  }

  init(path: String, name: Name?) {
    self.path = path
    soundName = name
    super.init()
  }

  /// The name that was used to find the sound; nil if the sound was created from a path or URL.
  open var name: NSSound.Name? { soundName }

  /// A Boolean value that indicates whether the sound is playing.
  open var isPlaying: Bool { player?.isRunning ?? false }

  /// Plays the sound.
  ///
  /// Returns whether a player was started.
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

  /// Stops the sound.
  ///
  /// Returns whether it was playing.
  @discardableResult
  open func stop() -> Bool {
    guard let player, player.isRunning else { return false }
    player.terminate()
    return true
  }

  /// Plays the desktop's alert sound, if the desktop has one.
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
