/// The TLS handshakes of one loop that are under way, oldest first.
///
/// Too many at a time are an attack: honest peers are through in milliseconds, so that the oldest is
/// the one to give up.
struct HandshakeQueue {
  private var streams: [ByteStream] = []
  private var head = 0
  /// Those under way, of servers and of clients.
  private(set) var count = 0

  /// A listener's stream began; answers the one that has to make way.
  mutating func entered(_ stream: ByteStream) -> ByteStream? {
    count += 1
    forgetEnded()
    streams.append(stream)
    guard count > Limits.handshakesMax, streams[head].state == .handshaking,
      streams[head] !== stream
    else { return nil }
    head += 1
    return streams[head - 1]
  }

  /// A client's handshake began: this side's own doing.
  mutating func enteredUnbounded() { count += 1 }

  /// A handshake ended, however it did.
  mutating func left() { count -= 1 }

  private mutating func forgetEnded() {
    while head < streams.count, streams[head].state != .handshaking { head += 1 }
    guard head == streams.count || head > 4_096 else { return }
    streams.removeFirst(head)
    head = 0
  }
}
