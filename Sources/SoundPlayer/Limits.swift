/// Every bound of this program, with its unit and its reason.
enum Limits {
  /// Seconds that an alert sound must be shorter than (S0-6).
  static let seconds = 30.0
  /// Seconds that are left of a sound that is cut: safely less than it may last.
  static let cutSeconds = 29.5
  /// Frames that are converted, whatever a header says: 30 s at the highest rate.
  static let framesMax = 30 * rates.upperBound
  /// Bytes of a sound file, which is read as a whole: 30 s of eight channels at 96 kHz with room to spare.
  static let fileBytes = 64 << 20
  /// Channels that sound servers accept.
  static let channels = 8
  /// Samples a second that sound servers accept.
  static let rates = 1_000...384_000
  /// Frames per read and write: some milliseconds of sound.
  static let framesAtATime = 4_096
  /// Bytes that the child says before its samples: a path, and a reason.
  static let headerBytes = 8_192
  /// Seconds after which the kernel ends a player, for a sound server that does not answer.
  static let wallSeconds: UInt32 = 60
  /// Seconds of processor time for a file: far more than decoding 30 s needs.
  static let processorSeconds: UInt = 40
  /// Bytes of address space: the libraries and the largest file.
  static let memoryBytes: UInt = 2 << 30
}
