internal import Synchronization
internal import System

/// A thread that takes requests in batches: what arrives while one batch is worked on is the next.
final class BatchThread<Request: Sendable>: BatchInbox {
  private enum Message: Sendable {
    case request(Request)
    case end
  }

  private enum State {
    /// The thread has not made its mailbox yet.
    case opening([Message])
    case open(Mailbox<Message>)
  }

  private final class Inbox: Sendable {
    let state = Mutex<State>(.opening([]))

    func open(_ mailbox: Mailbox<Message>) {
      state.withLock { state in
        if case .opening(let early) = state { mailbox.post(contentsOf: early) }
        state = .open(mailbox)
      }
    }

    func post(_ message: Message) {
      state.withLock { state in
        switch state {
        case .opening(let early): state = .opening(early + [message])
        case .open(let mailbox): mailbox.post(message)
        }
      }
    }
  }

  private let inbox = Inbox()
  private let isClosed = Mutex(false)
  private let thread: LoopThread

  /// Starts the thread; `work` runs on it with each batch, in order of posting.
  init(name: String, _ work: @escaping @Sendable ([Request]) -> Void) throws(SystemFailure) {
    let inbox = inbox
    thread = try LoopThread.start(name: name) { loop in
      let mailbox = loop.mailbox(of: Message.self) { messages in
        var requests: [Request] = []
        requests.reserveCapacity(messages.count)
        for case .request(let request) in messages { requests.append(request) }
        if !requests.isEmpty { work(requests) }
        // `.end` is posted last, so that nothing can stand behind it.
        if case .end = messages.last { loop.stop() }
      }
      inbox.open(mailbox)
    }
  }

  /// Hands `request` to the thread; false after `close()`.
  func post(_ request: Request) -> Bool {
    isClosed.withLock { isClosed in
      if !isClosed { inbox.post(.request(request)) }
      return !isClosed
    }
  }

  /// Lets the thread finish what was posted, then ends it.
  ///
  /// Never on the thread itself.
  func close() {
    let isFirst = isClosed.withLock { isClosed in
      let isFirst = !isClosed
      isClosed = true
      if isFirst { inbox.post(.end) }
      return isFirst
    }
    if isFirst { thread.join() }
  }

  deinit { close() }
}
