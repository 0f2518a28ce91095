internal import BelfryWire

/// An incremental parser for the legacy interface's stream (apns-protocol 7.1).
///
/// ```
/// 0 | token length 2 | token | payload length 2 | payload
/// 1 | identifier 4 | expiry 4 | token length 2 | token | payload length 2 | payload
/// 2 | frame length 4 | items: number 1, length 2, data
/// ```
public struct BinaryFrameParser: Sendable {
  /// The result of parsing the bytes received so far.
  public enum Outcome: Equatable, Sendable {
    /// More bytes are required.
    case incomplete
    /// A notification whose sizes have not been checked yet.
    case notification(BinaryNotification)
    /// A malformed frame, after which the connection is closed.
    case fault(BinaryStatus, identifier: UInt32)
  }

  private var held: [UInt8] = []
  private var start = 0

  /// Creates a parser at the beginning of a connection.
  public init() {}

  /// Appends received bytes to the buffer.
  public mutating func append(_ bytes: Span<UInt8>) {
    assert(start <= held.count, "only received bytes were read")
    if start > 0 {
      held.removeFirst(start)
      start = 0
    }
    held.append(copying: bytes)
  }

  /// The number of buffered bytes that are not part of a notification yet.
  public var heldBytes: Int { held.count - start }

  /// Returns the next notification.
  ///
  /// Call this method until it returns `.incomplete` or `.fault`.
  public mutating func next() -> Outcome {
    var reader = Reader(bytes: held, at: start)
    guard let command = reader.integer(1) else { return .incomplete }
    let outcome: Outcome
    switch command {
    case 0: outcome = Self.simple(&reader, BinaryNotification())
    case 1: outcome = Self.enhanced(&reader)
    case 2: outcome = Self.framed(&reader)
    default: outcome = .fault(.protocolError, identifier: 0)
    }
    assert(reader.position <= held.count, "the reader stays within the received bytes")
    if case .notification = outcome {
      assert(reader.position > start, "a notification's frame is not empty")
      start = reader.position
    }
    return outcome
  }

  private static func simple(
    _ reader: inout Reader, _ notification: BinaryNotification
  ) -> Outcome {
    var notification = notification
    guard let tokenBytes = reader.integer(2), let token = reader.bytes(tokenBytes),
      let payloadBytes = reader.integer(2), let payload = reader.bytes(payloadBytes)
    else { return .incomplete }
    notification.token = token
    notification.payload = payload
    return .notification(notification)
  }

  private static func enhanced(_ reader: inout Reader) -> Outcome {
    var notification = BinaryNotification()
    guard let identifier = reader.integer(4), let expiration = reader.integer(4) else {
      return .incomplete
    }
    notification.identifier = UInt32(truncatingIfNeeded: identifier)
    notification.expiration = UInt32(truncatingIfNeeded: expiration)
    return simple(&reader, notification)
  }

  /// Parses the entire frame before reporting an error, because the frame's identifier can follow the faulty item.
  private static func framed(_ reader: inout Reader) -> Outcome {
    guard let length = reader.integer(4) else { return .incomplete }
    guard length <= WireLimits.binaryFrameBytesMax else {
      return .fault(.protocolError, identifier: 0)
    }
    guard let data = reader.bytes(length) else { return .incomplete }
    var items = Reader(bytes: data, at: 0)
    var notification = BinaryNotification()
    // A frame can omit the identifier item; in this case, its error packet contains 0.
    notification.identifier = 0
    var seen: Set<Int> = []
    var isBroken = false
    while !items.isAtEnd {
      guard let number = items.integer(1), let size = items.integer(2),
        let value = items.bytes(size)
      else {
        isBroken = true
        break
      }
      if !seen.insert(number).inserted { isBroken = true }
      if !applyItem(number, value, to: &notification) { isBroken = true }
    }
    return isBroken
      ? .fault(.protocolError, identifier: notification.identifier ?? 0)
      : .notification(notification)
  }

  /// Applies an item unless its number is unknown.
  ///
  /// Returns false if the item's value is malformed.
  private static func applyItem(
    _ number: Int, _ value: [UInt8], to notification: inout BinaryNotification
  ) -> Bool {
    switch number {
    case 1: notification.token = value
    case 2: notification.payload = value
    case 3:
      guard value.count == 4 else { return false }
      notification.identifier = integer(value)
    case 4:
      guard value.count == 4 else { return false }
      notification.expiration = integer(value)
    case 5:
      guard value == [10] || value == [5] else { return false }
      notification.priority = value[0]
    default: break
    }
    return true
  }

  private static func integer(_ bytes: [UInt8]) -> UInt32 {
    assert(bytes.count == 4, "the integer has 4 bytes")
    return bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  private struct Reader {
    let bytes: [UInt8]
    var position: Int

    init(bytes: [UInt8], at position: Int) {
      self.bytes = bytes
      self.position = position
    }

    var isAtEnd: Bool { position >= bytes.count }

    /// Reads a big-endian integer of 1 to 4 bytes.
    mutating func integer(_ size: Int) -> Int? {
      assert((1...4).contains(size), "an integer has 1 to 4 bytes")
      guard bytes.count - position >= size else { return nil }
      var value = 0
      for offset in 0..<size { value = value << 8 | Int(bytes[position + offset]) }
      position += size
      return value
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
      guard count >= 0, bytes.count - position >= count else { return nil }
      defer { position += count }
      return Array(bytes[position..<(position + count)])
    }
  }
}
