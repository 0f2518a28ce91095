import Synchronization

/// A way into a loop for any thread: messages are handed over in batches, in order of posting, on
/// the loop's thread.
///
/// A mailbox lives as long as its loop: make few of them.
public final class Mailbox<Message: Sendable>: Sendable {
  private struct Waiting {
    var messages: [Message] = []
    var announced = false
    /// The loop has ended.
    var isClosed = false
  }

  private let waiting = Mutex(Waiting())
  private let waker: LoopWaker
  private let number: Int

  init(waker: LoopWaker, number: Int) {
    self.waker = waker
    self.number = number
  }

  /// Hands `message` to the loop.
  ///
  /// After the loop has ended it is dropped.
  public func post(_ message: Message) {
    let announce = waiting.withLock { waiting in
      guard !waiting.isClosed else { return false }
      waiting.messages.append(message)
      return !exchange(&waiting.announced, with: true)
    }
    if announce { waker.announce(number) }
  }

  /// Hands all of `messages` to the loop in one batch.
  public func post(contentsOf messages: [Message]) {
    guard !messages.isEmpty else { return }
    let announce = waiting.withLock { waiting in
      guard !waiting.isClosed else { return false }
      waiting.messages.append(contentsOf: messages)
      return !exchange(&waiting.announced, with: true)
    }
    if announce { waker.announce(number) }
  }

  /// The loop: takes what waits; `empty` becomes the storage for what comes next.
  func take(into empty: inout [Message]) {
    assert(empty.isEmpty, "what was taken before is handled")
    waiting.withLock { waiting in
      assert(waiting.announced || waiting.messages.isEmpty, "what waits is announced")
      waiting.announced = false
      swap(&waiting.messages, &empty)
    }
  }

  /// The loop ends: drops what waits, for a message may own a descriptor, or hold this mailbox and so keep
  /// itself alive.
  func close() {
    var dropped: [Message] = []
    waiting.withLock { waiting in
      waiting.isClosed = true
      swap(&waiting.messages, &dropped)
    }
    // Outside the lock: the end of a message may post another one.
    dropped.removeAll()
  }
}

/// The receiving end, confined to the loop.
protocol MailboxReceiver: AnyObject {
  func receive()
  func close()
}

final class MailboxSlot<Message: Sendable>: MailboxReceiver {
  private let mailbox: Mailbox<Message>
  private let body: ([Message]) -> Void
  private var batch: [Message] = []

  init(_ mailbox: Mailbox<Message>, _ body: @escaping ([Message]) -> Void) {
    self.mailbox = mailbox
    self.body = body
  }

  func receive() {
    var taken: [Message] = []
    swap(&taken, &batch)
    mailbox.take(into: &taken)
    // One that comes before descriptors may have been read since it was announced.
    if !taken.isEmpty { body(taken) }
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &batch)
  }

  func close() { mailbox.close() }
}
