/// The TLS handshakes of one loop that are in progress, oldest first.
///
/// Too many at a time are an attack: honest peers finish in milliseconds, so the oldest is the one to
/// abandon.
struct HandshakeQueue {
  private var streams: [ByteStream] = []
  private var head = 0
  /// Handshakes in progress, of accepted and of outbound connections.
  private(set) var count = 0

  /// Counts an accepted stream's handshake; returns the stream that has to be abandoned for it.
  mutating func begin(_ stream: ByteStream) -> ByteStream? {
    assert(stream.state == .handshaking, "the stream has begun its handshake")
    count += 1
    removeEnded()
    streams.append(stream)
    guard count > Limits.handshakesMax, streams[head].state == .handshaking,
      streams[head] !== stream
    else { return nil }
    head += 1
    checkInvariants()
    return streams[head - 1]
  }

  /// Counts an outbound connection's handshake, which is never abandoned: this side began it.
  mutating func beginOutbound() { count += 1 }

  /// Notes that a handshake has succeeded or failed.
  mutating func end() {
    count -= 1
    assert(count >= 0, "a handshake ends once")
  }

  /// Traps in debug builds when the fields contradict each other.
  func checkInvariants() {
    assert((0...streams.count).contains(head), "the head is in the list or behind it")
    let handshaking = streams[head...].count { $0.state == .handshaking }
    assert(handshaking <= count, "each stream of the list is counted until its handshake ends")
  }

  private mutating func removeEnded() {
    while head < streams.count, streams[head].state != .handshaking { head += 1 }
    guard head == streams.count || head > 4_096 else { return }
    streams.removeFirst(head)
    head = 0
  }
}
