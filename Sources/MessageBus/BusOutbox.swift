internal import Synchronization

/// The messages that wait to be sent, with a bound.
///
/// The library's own functions block while a connection is made or a server does not read, so publishing only puts a
/// message here. Messages are accepted only while a server is connected, and are dropped when its connection is lost.
final class BusOutbox: Sendable {
  /// A message to send.
  struct Message: Sendable {
    let subject: String
    let payload: [UInt8]

    var byteCount: Int { subject.utf8.count + payload.count }
  }

  /// The result of adding a message.
  enum Addition {
    /// The message was not accepted: the bus is not connected, the message is too large, or the outbox is full.
    case refused
    /// The outbox was empty, so the bus must be told that there is a message.
    case first
    case further
  }

  private enum Phase {
    case shut
    /// The link `link` sends messages with at most `payloadBytesMax` bytes.
    case open(link: Int, payloadBytesMax: Int)
    case closed
  }

  private struct Waiting {
    var phase = Phase.shut
    var messages: [Message] = []
    var bytes = 0

    func checkInvariants() {
      assert(messages.count <= Limits.outboxMessages, "the outbox has a bound")
      assert(bytes <= Limits.outboxBytes, "the outbox has a bound in bytes")
      assert(messages.isEmpty == (bytes == 0), "every message has a subject")
    }
  }

  private let waiting = Mutex(Waiting())

  /// True while messages are accepted.
  var isOpen: Bool {
    waiting.withLock { if case .open = $0.phase { true } else { false } }
  }

  /// Adds a message to the end of the outbox.
  func add(_ message: Message) -> Addition {
    waiting.withLock { waiting in
      guard case .open(_, let payloadBytesMax) = waiting.phase,
        message.payload.count <= payloadBytesMax,
        waiting.messages.count < Limits.outboxMessages,
        waiting.bytes + message.byteCount <= Limits.outboxBytes
      else { return .refused }
      waiting.messages.append(message)
      waiting.bytes += message.byteCount
      waiting.checkInvariants()
      return waiting.messages.count == 1 ? .first : .further
    }
  }

  /// Takes all messages, in the order in which they were added.
  func take() -> [Message] {
    waiting.withLock { waiting in
      waiting.checkInvariants()
      waiting.bytes = 0
      return exchange(&waiting.messages, with: [])
    }
  }

  /// Accepts messages for a new link; a closed outbox stays closed.
  func open(link: Int, payloadBytesMax: Int) {
    waiting.withLock { waiting in
      switch waiting.phase {
      case .shut:
        assert(waiting.messages.isEmpty, "no message waits while the outbox is shut")
        waiting.phase = .open(link: link, payloadBytesMax: payloadBytesMax)
      case .open: assertionFailure("a link is opened after the previous one was shut")
      case .closed: break
      }
    }
  }

  /// Refuses messages and drops the waiting ones, if `link` is the current link.
  func shut(link: Int) {
    waiting.withLock { waiting in
      guard case .open(link, _) = waiting.phase else { return }
      waiting.phase = .shut
      waiting.messages.removeAll()
      waiting.bytes = 0
    }
  }

  /// Refuses messages forever; the waiting messages can still be taken.
  func close() { waiting.withLock { $0.phase = .closed } }
}
