internal import CNATS
internal import Synchronization
internal import System

/// The receiver of the library's callbacks for one connection; they run on the library's threads.
final class LinkReceiver: Sendable {
  /// The receivers of all connections in this process.
  static let all = CallbackRegistry<LinkReceiver>()
  /// The number of a receiver that does not exist, for options that are only checked.
  static let none: UInt = .max

  private struct Notes {
    /// The reason for messages that were dropped and not yet reported.
    var loss: String?
    /// The server's last error message, which explains the end of the connection.
    var error: String?
    var isEnded = false
  }

  let link: Int
  private let outbox: BusOutbox
  private let gate: EventGate
  private let mailbox: Mailbox<BusWorker.Message>
  private let notes = Mutex(Notes())

  init(link: Int, outbox: BusOutbox, gate: EventGate, mailbox: Mailbox<BusWorker.Message>) {
    self.link = link
    self.outbox = outbox
    self.gate = gate
    self.mailbox = mailbox
  }

  /// Handles the end of the connection, which is final: the library does not reconnect.
  func onEnd(_ why: String) {
    outbox.shut(link: link)
    let reason = notes.withLock { notes in
      assert(!notes.isEnded, "a connection ends once")
      notes.isEnded = true
      return notes.error ?? why
    }
    mailbox.post(.ended(link: link, why: reason))
  }

  /// Handles an error that does not end the connection.
  func onError(_ status: natsStatus, _ text: String) {
    switch status {
    case NATS_SLOW_CONSUMER: onLoss("the handler is too slow: messages were dropped")
    case NATS_NOT_PERMITTED: onLoss(text)
    default: notes.withLock { $0.error = text }
    }
  }

  /// Handles messages that were dropped.
  func onLoss(_ why: String) {
    let isFirst = notes.withLock { notes in
      let isFirst = notes.loss == nil
      notes.loss = why
      return isFirst
    }
    if isFirst { mailbox.post(.lost(link: link)) }
  }

  /// Handles a message for one of the subscriptions.
  func onMessage(subject: String, payload: [UInt8]) {
    gate.deliver(.message(subject: subject, payload: payload))
  }

  /// Returns the reason for the losses since the last call; nil if there were none.
  func takeLoss() -> String? {
    notes.withLock { notes in exchange(&notes.loss, with: nil) }
  }
}

/// The receiver of the messages of one subscription.
final class SubscriptionReceiver: Sendable {
  /// The receivers of all subscriptions in this process.
  static let all = CallbackRegistry<SubscriptionReceiver>()

  private let receiver: LinkReceiver
  /// The number of messages that the library has dropped so far.
  private let dropped = Atomic<Int64>(0)

  init(_ receiver: LinkReceiver) { self.receiver = receiver }

  /// Handles a message that the library delivers.
  ///
  /// The library reports only the first of several consecutive losses. A message is dropped only while others wait, so
  /// the count that is read with the next message includes every loss.
  func onMessage(subject: String, payload: [UInt8], dropped count: Int64) {
    let previous = dropped.exchange(count, ordering: .relaxed)
    assert(previous <= count, "the number of dropped messages never decreases")
    if previous < count {
      receiver.onLoss("the handler is too slow: \(count - previous) messages were dropped")
    }
    receiver.onMessage(subject: subject, payload: payload)
  }
}
