/// Every bound of this program, with its unit and its reason.
enum Limits {
  /// Seconds that a sound must stay under (S0-6).
  static let seconds = 30.0
  /// Bytes of a file that is read whole: 30 s of eight channels at 96 kHz with room to spare.
  static let fileBytes = 64 << 20
  /// Channels that sound servers take.
  static let channels = 8
  /// Samples a second that sound servers take.
  static let rates = 1_000...384_000
  /// Frames that are read and written at a time.
  static let framesAtATime = 4_096
  /// Seconds after which a player that a sound server does not serve is ended by the kernel.
  static let wallSeconds: UInt32 = 60
  /// Seconds of processor time that a file may cost.
  static let processorSeconds: UInt = 40
  /// Bytes of address space that a file may cost.
  static let memoryBytes: UInt = 2 << 30
}
