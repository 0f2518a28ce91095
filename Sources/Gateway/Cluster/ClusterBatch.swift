import Storage

/// Several messages from one node to another, as one message of the bus.
///
/// The encoding is the version, the sender's number, and the messages, each after its length. Integers are big-endian.
struct ClusterBatch {
  /// The version of the encoding; a node ignores batches with another version, because the store delivers instead.
  static let version: UInt8 = 2
  private static let headerBytes = 3
  private static let lengthBytes = 4

  private(set) var bytes: [UInt8]

  /// Creates an empty batch.
  init(from sender: NodeNumber) {
    assert(sender != 0, "node numbers start at 1")
    bytes = [Self.version]
    bytes.append(field: sender)
    assert(bytes.count == Self.headerBytes, "the header has a fixed length")
  }

  /// Creates a batch with one message.
  init(_ message: ClusterMessage, from sender: NodeNumber) {
    self.init(from: sender)
    append(message)
  }

  /// True if the batch contains a message.
  var hasMessages: Bool { bytes.count > Self.headerBytes }

  /// Adds a message at the end.
  mutating func append(_ message: ClusterMessage) {
    let start = bytes.count
    bytes += [0, 0, 0, 0]
    message.encode(into: &bytes)
    assert(bytes.count > start + Self.lengthBytes, "every message has a kind")
    let length = UInt32(bytes.count - start - Self.lengthBytes)
    for index in 0..<Self.lengthBytes {
      bytes[start + index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index))
    }
  }

  /// Decodes the messages of a batch; nil if it has another version, or no valid sender.
  ///
  /// `malformed` is the number of messages that cannot be decoded; the other messages are still valid.
  static func decode(
    _ bytes: [UInt8]
  ) -> (messages: [ClusterMessage], malformed: Int, sender: NodeNumber)? {
    var reader = ClusterReader(bytes[...])
    guard reader.take(UInt8.self) == version, let sender = reader.takeNode() else { return nil }
    var messages: [ClusterMessage] = []
    var malformed = 0
    while !reader.rest.isEmpty {
      guard let length = reader.take(UInt32.self), let part = reader.take(bytes: Int(length)) else {
        return (messages, malformed + 1, sender)
      }
      if let message = ClusterMessage.decode(part, from: sender) {
        messages.append(message)
      } else {
        malformed += 1
      }
    }
    return (messages, malformed, sender)
  }
}
