/// A Core Audio Format file that contains IMA4, which libsndfile does not read (S0-5; Core Audio Format Specification
/// 1.0).
final class CoreAudioFile: SoundSource {
  let format: SoundFormat
  private let bytes: [UInt8]
  private let data: Range<Int>
  private var packet = 0
  private var framesLeft: Int64

  /// Reads the header, or returns nil if the file does not have this format.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard reader.text(4) == "caff", reader.integer(2) == 1, reader.integer(2) != nil else {
      return nil
    }
    var description: (rate: Double, channels: Int)?
    var data: Range<Int>?
    var validFrames: Int64?
    while data == nil || validFrames == nil, let kind = reader.text(4),
      let length = reader.integer(8)
    {
      let start = reader.position
      let isOpenEnded = kind == "data" && length == UInt64.max
      guard let size = isOpenEnded ? bytes.count - start : Int(exactly: length),
        size <= bytes.count - start || kind == "data"
      else { return nil }
      // A truncated file contains fewer packets than its header states.
      let end = start + min(size, bytes.count - start)
      switch kind {
      case "desc": description = Self.description(&reader)
      case "pakt":
        _ = reader.integer(8)
        validFrames = reader.integer(8).flatMap(Int64.init(exactly:))
      case "data": data = min(start + 4, end)..<end
      default: break
      }
      reader.position = end
    }
    guard let description, let data, description.channels > 0,
      description.channels <= Limits.channels,
      let rate = Int(exactly: description.rate.rounded())
    else { return nil }
    let packets = data.count / (IMA4.packetBytes * description.channels)
    let held = Int64(packets) * Int64(IMA4.packetFrames)
    framesLeft = min(validFrames ?? held, held)
    self.bytes = bytes
    self.data = data
    format = SoundFormat(
      container: .caf, encoding: .ima4, channels: description.channels, rate: rate,
      frames: framesLeft)
  }

  /// Returns the rate and the number of channels if the data is in IMA4; otherwise, returns nil.
  private static func description(_ reader: inout Reader) -> (rate: Double, channels: Int)? {
    guard let rate = reader.integer(8), reader.text(4) == "ima4", reader.integer(4) != nil,
      reader.integer(4) != nil, reader.integer(4) != nil, let channels = reader.integer(4)
    else { return nil }
    let value = Double(bitPattern: rate)
    guard value.isFinite, value > 0, value < 1e9 else { return nil }
    return (value, Int(channels))
  }

  func next() -> [Int16] {
    guard framesLeft > 0 else { return [] }
    var channels: [[Int16]] = []
    for channel in 0..<format.channels {
      let start = data.lowerBound + (packet * format.channels + channel) * IMA4.packetBytes
      guard start + IMA4.packetBytes <= data.upperBound,
        let samples = IMA4.decode(bytes[start..<start + IMA4.packetBytes])
      else { return [] }
      channels.append(samples)
    }
    packet += 1
    let frames = Int(min(framesLeft, Int64(IMA4.packetFrames)))
    framesLeft -= Int64(frames)
    return (0..<frames).flatMap { frame in channels.map { $0[frame] } }
  }

  /// A reader of consecutive big-endian numbers and four-letter codes.
  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
      guard position <= bytes.count, count <= bytes.count - position else { return nil }
      defer { position += count }
      return bytes[position..<position + count]
    }

    mutating func integer(_ count: Int) -> UInt64? {
      read(count)?.reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func text(_ count: Int) -> String? {
      read(count).map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
