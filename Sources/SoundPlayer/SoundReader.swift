import CConfinement
import Glibc

/// A sound that a child of this process opens and decodes, confined; this process gets samples alone.
///
/// What plays them needs sockets, threads and devices, and so cannot be confined as much.
struct SoundReader {
  /// What the child says before the samples.
  struct Header: Hashable {
    var channels: Int
    var rate: Int
    /// What is played.
    var name: String
    /// Why the app's own sound is not.
    var reason: String?
    /// What the kernel lacks to confine the child, by name.
    var lacking: [String]

    /// Numbers and texts, each ended by a zero byte.
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

    /// nil for what no child of ours says: it may be somebody else's by now.
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

  /// Starts the child; nil where it cannot be started or says nothing of use.
  init?(_ command: PlayCommand) {
    var ends: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
    let child = belfry_fork()
    guard child != 0 else {
      Glibc.close(ends[0])
      Self.decode(command, into: ends[1])
      // Nothing of the parent's is to be flushed or ended here.
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

  /// The next samples; empty at the end.
  func next() -> [Int16] {
    let wanted = Limits.framesAtATime * header.channels
    var samples = [Int16](repeating: 0, count: wanted)
    let count = unsafe samples.withUnsafeMutableBytes { buffer in
      unsafe Self.read(pipe, into: buffer)
    }
    // A frame that is cut short, because the child ended, is none.
    samples.removeLast(
      wanted - count / MemoryLayout<Int16>.size / header.channels * header.channels)
    return samples
  }

  func close() { Glibc.close(pipe) }

  // MARK: The child

  private static func decode(_ command: PlayCommand, into pipe: Int32) {
    // A parent's alarm is not a child's.
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

  /// Bytes up to the fifth zero, one after the other: what follows them are samples.
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

  /// Fills the buffer, or as much of it as comes.
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
