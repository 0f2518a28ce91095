import BelfryWire
import PushWire
import WebPush

/// A request on a provider connection, from its first bytes until its answer has been sent.
///
/// Streams are pooled: a stream's buffers are reused for the next request, so that a typical push allocates nothing
/// before it is accepted.
final class ProviderStream {
  var streamID: Int32 = 0
  var request = PushRequest()
  /// The body, up to the maximum size.
  var body: [UInt8] = []
  /// The number of bytes of the body, counted even if the body is too long to be retained.
  var bodyBytes = 0
  /// The generated `apns-id` of the answer, for a request without an ID that can be echoed; nil until one is generated.
  var generatedID: NotificationID?
  /// The answer's `apns-unique-id`.
  var uniqueID = NotificationID(high: 0, low: 0)
  /// True if the request was complete and has been evaluated.
  var isDecided = false
  /// The delay, in milliseconds, that a script specifies for the answer.
  var delayMilliseconds: UInt32 = 0
  /// The arrival time of the request's first bytes, in monotonic nanoseconds.
  var began: Int64 = 0
  /// The fields of a Web Push message, or of a request about one; nil for other requests.
  var webPush: WebPushRequest?
  /// The answer to a Web Push request that the device's home accepts.
  enum WebPushAnswer {
    /// The message was accepted: the answer contains its address and the time for which it is stored.
    case message(TokenContents, keyHash: [UInt8], ttlSeconds: Int64)
    /// The message is withdrawn.
    case withdrawal
  }
  /// The answer to a Web Push request that waits for its device's home; nil for other requests.
  var webPushAnswer: WebPushAnswer?
  /// The number of bytes of memory that the stream holds.
  var heldBytes: Int {
    body.count + request.authorization.count + request.topic.count + request.channelID.count
  }

  func begin(_ streamID: Int32, at now: Int64) {
    self.streamID = streamID
    began = now
    request.reset()
    body.removeAll(keepingCapacity: true)
    bodyBytes = 0
    isDecided = false
    generatedID = nil
    delayMilliseconds = 0
    webPush = nil
    webPushAnswer = nil
  }

  /// Handles one header field or pseudo-header field.
  func handleField(name: Span<UInt8>, value: Span<UInt8>) {
    request.handleField(name: name, value: value)
    // A client sends the path before all other fields.
    guard request.path == .webPush || request.path == .webPushMessage else { return }
    if webPush == nil { webPush = WebPushRequest() }
    webPush?.field(name: name, value: value)
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    bodyBytes += bytes.count
    let bytesMax =
      switch request.path {
      case .matrixNotify: WebPushLimits.matrixRequestBytesMax
      case .webPush: WebPushLimits.legacyBodyBytesMax
      default: WireLimits.largePayloadBytesMax
      }
    guard bodyBytes <= bytesMax else { return }
    // Bind the memory to `UInt8`, because an array copies typed bytes as a block but raw bytes one by one.
    unsafe body.append(contentsOf: bytes.assumingMemoryBound(to: UInt8.self))
  }

  /// Frees the buffer of a body that was longer than a push allows, so that the pool does not retain it.
  func shrink() {
    guard body.capacity > 4 * WireLimits.largePayloadBytesMax else { return }
    body = []
  }

  /// Moves the body out, which leaves the pooled stream with an empty buffer.
  func takeBody() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &body)
    return taken
  }
}

/// A connection's open streams, found by number without hashing.
struct ProviderStreamTable {
  private var slots: [ProviderStream?] = Array(repeating: nil, count: 8)
  private(set) var count = 0

  /// The number of slots in the largest table; a stream that would need a larger table is refused.
  private static let slotsMax = 4_096

  private func index(_ streamID: Int32) -> Int { Int(streamID >> 1) & (slots.count - 1) }

  subscript(streamID: Int32) -> ProviderStream? {
    guard let stream = slots[index(streamID)], stream.streamID == streamID else { return nil }
    return stream
  }

  /// Inserts a stream; returns true if there was room for it.
  mutating func insert(_ stream: ProviderStream) -> Bool {
    while slots[index(stream.streamID)] != nil {
      guard slots.count < Self.slotsMax else { return false }
      grow()
    }
    slots[index(stream.streamID)] = stream
    count += 1
    return true
  }

  mutating func remove(_ streamID: Int32) -> ProviderStream? {
    let index = index(streamID)
    guard let stream = slots[index], stream.streamID == streamID else { return nil }
    slots[index] = nil
    count -= 1
    return stream
  }

  /// Removes and returns the streams whose requests are incomplete.
  mutating func removeUnjudged() -> [ProviderStream] {
    let removed = slots.compactMap { $0 }.filter { !$0.isDecided }
    for stream in removed { _ = remove(stream.streamID) }
    return removed
  }

  /// Removes and returns every stream.
  mutating func removeAll() -> [ProviderStream] {
    let streams = slots.compactMap { $0 }
    slots = Array(repeating: nil, count: 8)
    count = 0
    return streams
  }

  /// Calls `body` with every stream.
  func forEach(_ body: (ProviderStream) -> Void) {
    for case let stream? in slots { body(stream) }
  }

  /// Doubles the table.
  ///
  /// Streams keep distinct slots, because a longer index can't make two of them collide.
  private mutating func grow() {
    let old = slots
    assert(old.count < Self.slotsMax, "a table of \(old.count) slots may still grow")
    slots = Array(repeating: nil, count: old.count * 2)
    for case let stream? in old {
      assert(slots[index(stream.streamID)] == nil, "every stream has its own slot")
      slots[index(stream.streamID)] = stream
    }
  }
}
