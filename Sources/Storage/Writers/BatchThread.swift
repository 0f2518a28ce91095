internal import Synchronization
internal import System

/// A thread that takes requests in batches: what arrives while one batch is worked on is the next.
final class BatchThread<Request: Sendable>: BatchInbox {
  private enum Message: Sendable {
    case request(Request)
    /// There is work left of the batch before.
    case proceed
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
        guard case .opening(let early) = state else {
          return assertionFailure("a thread has a second mailbox")
        }
        mailbox.post(contentsOf: early)
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

    /// `isClosed` was true before this is called, or may have become it since.
    func checkInvariants(isClosed: Bool) {
      state.withLock { state in
        guard case .opening(let early) = state else { return }
        let ends = early.count { if case .end = $0 { true } else { false } }
        assert(ends <= 1, "a thread is told to end twice")
        assert(!isClosed || ends == 1, "a thread that is closed is not told to end")
        for (index, message) in early.enumerated() {
          switch message {
          case .request: break
          case .proceed: assertionFailure("work is left of a batch before the first one")
          case .end: assert(index == early.count - 1, "something came after the end")
          }
        }
      }
    }
  }

  private let inbox = Inbox()
  private let isClosed = Mutex(false)
  private let thread: LoopThread

  /// Starts the thread; `work` runs on it with each batch, in order of posting.
  ///
  /// Where it has more to do than one batch should wait for it returns true: it is called again, with
  /// what has arrived meanwhile or nothing.
  init(name: String, _ work: @escaping @Sendable ([Request]) -> Bool) throws(SystemFailure) {
    let inbox = inbox
    thread = try LoopThread.start(name: name) { loop in
      let mailbox = loop.mailbox(of: Message.self) { messages in
        var requests: [Request] = []
        requests.reserveCapacity(messages.count)
        for case .request(let request) in messages { requests.append(request) }
        assert(messages.count - requests.count <= 2, "a thread is told to proceed or to end twice")
        let isEnding = messages.contains { if case .end = $0 { true } else { false } }
        let isGoingOn = messages.contains { if case .proceed = $0 { true } else { false } }
        var hasMore = isGoingOn || !requests.isEmpty ? work(requests) : false
        while isEnding, hasMore { hasMore = work([]) }
        if isEnding { loop.stop() } else if hasMore { inbox.post(.proceed) }
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

  func checkInvariants() { inbox.checkInvariants(isClosed: isClosed.withLock { $0 }) }
}
