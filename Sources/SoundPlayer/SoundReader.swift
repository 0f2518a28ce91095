import CConfinement
import Glibc

/// A sound that a confined child process opens and decodes; this process receives only samples.
///
/// The player itself cannot be confined as strictly, because playback requires sockets, threads, and devices.
struct SoundReader {
  /// The message that the child sends before the samples.
  struct Header: Hashable {
    var channels: Int
    var rate: Int
    /// The name of the sound that is played.
    var name: String
    /// The reason that the app's own sound is not played.
    var reason: String?
    /// The names of the kernel features that the child's confinement requires but that are missing.
    var lacking: [String]

    /// The fields as strings, each terminated by a zero byte.
    var bytes: [UInt8] {
      [String(channels), String(rate), name, reason ?? "", lacking.joined(separator: " ")]
        .flatMap { Array($0.utf8.filter { $0 != 0 }) + [0] }
    }

    init(channels: Int, rate: Int, name: String, reason: String?, lacking: [String]) {
      self.channels = channels
      self.rate = rate
      self.name = name
      self.reason = reason
      self.lacking = lacking
    }

    /// Parses a header, or returns nil if it is malformed.
    ///
    /// A compromised child can send anything.
    init?(_ bytes: [UInt8]) {
      let texts = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        .map { String(decoding: $0, as: UTF8.self) }
      guard texts.count == 5, let channels = Int(texts[0]), let rate = Int(texts[1]),
        (1...Limits.channels).contains(channels), Limits.rates.contains(rate)
      else { return nil }
      self.init(
        channels: channels, rate: rate, name: texts[2], reason: texts[3].isEmpty ? nil : texts[3],
        lacking: texts[4].split(separator: " ").map(String.init))
    }
  }

  let header: Header
  private let pipe: Int32

  /// Starts the child, or returns nil if it cannot be started or does not send a valid header.
  init?(_ command: PlayCommand) {
    var ends: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
    let child = belfry_fork()
    guard child != 0 else {
      Glibc.close(ends[0])
      Self.decode(command, into: ends[1])
      // Exit without flushing or cleaning up the parent's resources.
      _exit(0)
    }
    Glibc.close(ends[1])
    guard child > 0, let header = Self.readHeader(ends[0]) else {
      Glibc.close(ends[0])
      return nil
    }
    self.header = header
    pipe = ends[0]
  }

  /// Returns the next samples, or an empty array at the end of the sound.
  func next() -> [Int16] {
    let wanted = Limits.framesAtATime * header.channels
    var samples = [Int16](repeating: 0, count: wanted)
    let count = unsafe samples.withUnsafeMutableBytes { buffer in
      unsafe Self.read(pipe, into: buffer)
    }
    // Drop a frame that is incomplete because the child has exited.
    samples.removeLast(
      wanted - count / MemoryLayout<Int16>.size / header.channels * header.channels)
    return samples
  }

  func close() { Glibc.close(pipe) }

  // MARK: The child

  private static func decode(_ command: PlayCommand, into pipe: Int32) {
    // A child does not inherit its parent's alarm.
    alarm(Limits.wallSeconds)
    let lacking = Confinement.enter(reading: [command.path, command.systemPath].compactMap(\.self))
    let (source, name, reason) = Program.choose(command)
    let header = Header(
      channels: source.format.channels, rate: source.format.rate, name: name, reason: reason,
      lacking: lacking)
    guard unsafe header.bytes.withUnsafeBytes({ unsafe Program.writeAll($0, on: pipe) }) else {
      return
    }
    while case let samples = source.next(), !samples.isEmpty {
      guard unsafe samples.withUnsafeBytes({ unsafe Program.writeAll($0, on: pipe) }) else {
        return
      }
    }
  }

  // MARK: Reading

  /// Reads one byte at a time up to the fifth zero byte, because the samples begin immediately after it.
  private static func readHeader(_ pipe: Int32) -> Header? {
    var bytes: [UInt8] = []
    var zeros = 0
    while zeros < 5, bytes.count < Limits.headerBytes {
      var byte: UInt8 = 0
      guard unsafe withUnsafeMutableBytes(of: &byte, { unsafe read(pipe, into: $0) }) == 1 else {
        return nil
      }
      bytes.append(byte)
      if byte == 0 { zeros += 1 }
    }
    return Header(bytes)
  }

  /// Fills the buffer, or reads as many bytes as arrive before the end of the stream.
  private static func read(_ pipe: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = unsafe Glibc.read(pipe, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      filled += count
    }
    return filled
  }
}
