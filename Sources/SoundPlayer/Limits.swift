/// The limits of this program, each with its unit and its reason.
enum Limits {
  /// The duration, in seconds, at which a sound is too long for an alert (S0-6).
  static let seconds = 30.0
  /// The duration of a truncated sound, in seconds, which is safely below the limit.
  static let cutSeconds = 29.5
  /// The maximum number of frames to convert, whatever length the header states: 30 s at the highest rate.
  static let framesMax = 30 * rates.upperBound
  /// The maximum size, in bytes, of a sound file.
  ///
  /// A file is read as a whole. This size is enough for 30 s with eight channels at 96 kHz.
  static let fileBytes = 64 << 20
  /// The maximum number of channels; sound servers accept no more.
  static let channels = 8
  /// The rates that sound servers accept, in samples per second.
  static let rates = 1_000...384_000
  /// The number of frames per read or write: about a tenth of a second at common rates.
  static let framesAtATime = 4_096
  /// The maximum size, in bytes, of the header that the child sends before its samples: a path and a reason.
  static let headerBytes = 8_192
  /// The time, in seconds, after which the kernel terminates a player that waits for a sound server.
  static let wallSeconds: UInt32 = 60
  /// The maximum processor time, in seconds, per file: far more than decoding 30 s of sound needs.
  static let processorSeconds: UInt = 40
  /// The maximum size, in bytes, of the address space: enough for the libraries and the largest file.
  static let memoryBytes: UInt = 2 << 30
}
