/// One frame of the app link: a JSON object and the opaque bytes that it refers to.
///
/// On the wire (`docs/app-link.md`): the length of what follows (4 bytes, big-endian), the length
/// of the JSON text (4 bytes, big-endian), the JSON text, the attached bytes.
public struct AppFrame: Sendable, Hashable {
  /// The JSON object.
  public var object: JSONObject
  /// The bytes that it refers to by `{"offset":…,"length":…}`.
  public var attached: [UInt8]

  /// A frame from its parts.
  public init(_ object: JSONObject, attached: [UInt8] = []) {
    self.object = object
    self.attached = attached
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    var output = [UInt8](repeating: 0, count: 8)
    object.append(to: &output)
    let jsonLength = output.count - 8
    output.append(contentsOf: attached)
    precondition(output.count - 4 <= Int(UInt32.max), "lengths have 32 bits")
    let length = UInt32(truncatingIfNeeded: output.count - 4)
    for position in 0..<4 {
      let shift = UInt32(24 - 8 * position)
      output[position] = UInt8(truncatingIfNeeded: length >> shift)
      output[4 + position] = UInt8(truncatingIfNeeded: UInt32(jsonLength) >> shift)
    }
    return output
  }

  /// Parses one encoded frame, as it is persisted.
  public init(decoding bytes: [UInt8]) throws(AppFrameFailure) {
    var decoder = AppFrameDecoder(limit: WireLimits.appFrameBytesMaxFromAgent)
    decoder.append(bytes)
    guard let frame = try decoder.next(), decoder.isAtFrameStart else { throw .badLength }
    self = frame
  }
}

/// The fault of a byte stream that is no app link; the connection ends with it.
public enum AppFrameFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A frame longer than its reader accepts.
  case tooLong(bytes: Int, limit: Int)
  /// A JSON part longer than its frame.
  case badLength
  /// A JSON part that is no JSON.
  case badJSON(JSONFailure)
  /// A JSON part that is no object.
  case notAnObject

  /// What is wrong.
  public var description: String {
    switch self {
    case .tooLong(let bytes, let limit): "frame of \(bytes) bytes: at most \(limit) are allowed"
    case .badLength: "frame whose lengths contradict each other"
    case .badJSON(let failure): "frame whose \(failure)"
    case .notAnObject: "frame whose JSON is no object"
    }
  }
}

/// An incremental decoder of frames.
public struct AppFrameDecoder: Sendable {
  private let limit: Int
  private var buffer: [UInt8] = []
  private var start = 0

  /// A decoder that refuses frames of more than `limit` bytes.
  public init(limit: Int) {
    precondition(limit >= 4, "a frame has a length of its JSON at least")
    self.limit = limit
  }

  /// Adds received bytes.
  public mutating func append(_ bytes: some Sequence<UInt8>) {
    assert(start <= buffer.count, "only what arrived was read")
    if start > 0, start == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.count <= 1 << 16)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Whether no part of a further frame is buffered.
  public var isAtFrameStart: Bool { start == buffer.count }

  /// Bytes in memory: those of frames to come, and of frames that were returned and make room with the next ones.
  public var bufferedBytes: Int { buffer.count }

  /// Returns the next complete frame; nil until more bytes arrive.
  ///
  /// The stream cannot be decoded any further after an error.
  public mutating func next() throws(AppFrameFailure) -> AppFrame? {
    guard let length = number(at: start) else { return nil }
    guard length <= limit else { throw .tooLong(bytes: length, limit: limit) }
    guard length >= 4 else { throw .badLength }
    guard let jsonLength = number(at: start + 4) else { return nil }
    guard jsonLength <= length - 4 else { throw .badLength }
    let jsonStart = start + 8
    let end = start + 4 + length
    guard end <= buffer.count else { return nil }
    assert(jsonStart + jsonLength <= end, "the JSON is a part of its frame")
    let value: JSONValue
    do {
      value = try JSONValue(parsing: Array(buffer[jsonStart..<jsonStart + jsonLength]))
    } catch {
      throw .badJSON(error)
    }
    guard case .object(let object) = value else { throw .notAnObject }
    let frame = AppFrame(object, attached: Array(buffer[(jsonStart + jsonLength)..<end]))
    start = end
    if start > 1 << 16 {
      buffer.removeFirst(start)
      start = 0
    }
    return frame
  }

  private func number(at offset: Int) -> Int? {
    guard offset + 4 <= buffer.count else { return nil }
    return buffer[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}
