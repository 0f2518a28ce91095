import Synchronization

/// A mailbox for sending messages to a loop from any thread.
///
/// Messages are delivered in batches on the loop's thread, in the order in which they were posted. A mailbox lives as
/// long as its loop, so create only a few.
public final class Mailbox<Message: Sendable>: Sendable {
  private struct Waiting {
    var messages: [Message] = []
    var announced = false
    /// True if the loop has stopped.
    var isClosed = false
  }

  private let waiting = Mutex(Waiting())
  private let waker: LoopWaker
  private let number: Int

  init(waker: LoopWaker, number: Int) {
    self.waker = waker
    self.number = number
  }

  /// Posts `message` to the loop.
  ///
  /// If the loop has stopped, the message is dropped.
  public func post(_ message: Message) {
    let announce = waiting.withLock { waiting in
      guard !waiting.isClosed else { return false }
      waiting.messages.append(message)
      return !exchange(&waiting.announced, with: true)
    }
    if announce { waker.announce(number) }
  }

  /// Posts `messages` to the loop in a single batch.
  public func post(contentsOf messages: [Message]) {
    guard !messages.isEmpty else { return }
    let announce = waiting.withLock { waiting in
      guard !waiting.isClosed else { return false }
      waiting.messages.append(contentsOf: messages)
      return !exchange(&waiting.announced, with: true)
    }
    if announce { waker.announce(number) }
  }

  /// Takes the waiting messages; called only by the loop.
  ///
  /// `empty` becomes the storage for further messages.
  func take(into empty: inout [Message]) {
    assert(empty.isEmpty, "all previously taken messages were handled")
    waiting.withLock { waiting in
      assert(waiting.announced || waiting.messages.isEmpty, "waiting messages have been announced")
      waiting.announced = false
      swap(&waiting.messages, &empty)
    }
  }

  /// Drops the waiting messages when the loop stops.
  ///
  /// A message can own a descriptor, or can retain this mailbox and therefore keep itself alive.
  func close() {
    var dropped: [Message] = []
    waiting.withLock { waiting in
      waiting.isClosed = true
      swap(&waiting.messages, &dropped)
    }
    // Release the messages outside the lock, because deallocating a message can post another message.
    dropped.removeAll()
  }
}

/// The receiving end of a mailbox, confined to its loop.
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
    // If the mailbox is read before descriptors, that read might already have taken the announced messages.
    if !taken.isEmpty { body(taken) }
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &batch)
  }

  func close() { mailbox.close() }
}
