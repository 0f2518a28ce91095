public import BelfryWire

/// A frame of the app link: a JSON object and the opaque bytes that the object refers to.
///
/// On the wire (`docs/app-link.md`), a frame is the length of the rest of the frame (4 bytes, big-endian), the length
/// of the JSON text (4 bytes, big-endian), the JSON text, and the attached bytes.
public struct AppFrame: Sendable, Hashable {
  /// The JSON object of the frame.
  public var object: JSONObject
  /// The bytes that the object refers to with `{"offset":…,"length":…}`.
  public var attached: [UInt8]

  /// Creates a frame from its parts.
  public init(_ object: JSONObject, attached: [UInt8] = []) {
    self.object = object
    self.attached = attached
  }

  /// The encoded bytes of the frame.
  public var encoded: [UInt8] {
    var output = [UInt8](repeating: 0, count: 8)
    object.append(to: &output)
    let jsonLength = output.count - 8
    output.append(contentsOf: attached)
    precondition(output.count - 4 <= Int(UInt32.max), "a frame's length fits in 32 bits")
    let length = UInt32(truncatingIfNeeded: output.count - 4)
    for position in 0..<4 {
      let shift = UInt32(24 - 8 * position)
      output[position] = UInt8(truncatingIfNeeded: length >> shift)
      output[4 + position] = UInt8(truncatingIfNeeded: UInt32(jsonLength) >> shift)
    }
    return output
  }

  /// Parses an encoded frame, such as a persisted frame.
  public init(decoding bytes: [UInt8]) throws(AppFrameFailure) {
    var decoder = AppFrameDecoder(limit: WireLimits.appFrameBytesMaxFromAgent)
    decoder.append(bytes)
    guard let frame = try decoder.next(), decoder.isAtFrameStart else { throw .badLength }
    self = frame
  }
}

/// The error for a byte stream that does not follow the app link's protocol.
///
/// The connection is closed after this error.
public enum AppFrameFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A frame longer than the reader's limit.
  case tooLong(bytes: Int, limit: Int)
  /// A JSON part longer than its frame.
  case badLength
  /// A JSON part that is not valid JSON.
  case badJSON(JSONFailure)
  /// A JSON part that is not an object.
  case notAnObject

  /// A description of the error.
  public var description: String {
    switch self {
    case .tooLong(let bytes, let limit): "frame of \(bytes) bytes: at most \(limit) are allowed"
    case .badLength: "frame whose lengths contradict each other"
    case .badJSON(let failure): "frame whose \(failure)"
    case .notAnObject: "frame whose JSON is not an object"
    }
  }
}

/// An incremental decoder of frames.
public struct AppFrameDecoder: Sendable {
  private let limit: Int
  private var buffer: [UInt8] = []
  private var start = 0
  /// The size of the frame that ``next()`` returned last, in bytes.
  public private(set) var latestFrameBytes = 0

  /// Creates a decoder that refuses frames of more than `limit` bytes.
  public init(limit: Int) {
    precondition(limit >= 4, "the limit has room for the length of the JSON")
    self.limit = limit
  }

  /// Appends received bytes to the buffer.
  public mutating func append(_ bytes: some Sequence<UInt8>) {
    assert(start <= buffer.count, "only received bytes were read")
    if start > 0, start == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.count <= 1 << 16)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// True if the buffer contains no bytes of an incomplete frame.
  public var isAtFrameStart: Bool { start == buffer.count }

  /// The number of buffered bytes.
  ///
  /// This number includes the bytes of frames that ``next()`` has already returned. The buffer discards those bytes
  /// later.
  public var bufferedBytes: Int { buffer.count }

  /// Returns the next complete frame, or nil if more bytes are needed.
  ///
  /// After an error, the rest of the stream cannot be decoded.
  public mutating func next() throws(AppFrameFailure) -> AppFrame? {
    guard let length = number(at: start) else { return nil }
    guard length <= limit else { throw .tooLong(bytes: length, limit: limit) }
    guard length >= 4 else { throw .badLength }
    guard let jsonLength = number(at: start + 4) else { return nil }
    guard jsonLength <= length - 4 else { throw .badLength }
    let jsonStart = start + 8
    let end = start + 4 + length
    guard end <= buffer.count else { return nil }
    assert(jsonStart + jsonLength <= end, "the JSON is within its frame")
    let value: JSONValue
    do {
      value = try JSONValue(parsing: Array(buffer[jsonStart..<jsonStart + jsonLength]))
    } catch {
      throw .badJSON(error)
    }
    guard case .object(let object) = value else { throw .notAnObject }
    let frame = AppFrame(object, attached: Array(buffer[(jsonStart + jsonLength)..<end]))
    latestFrameBytes = end - start
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
