internal import Synchronization
internal import System

/// A thread that processes requests in batches: requests that arrive while one batch is processed form the next batch.
final class BatchThread<Request: Sendable>: BatchInbox {
  private enum Message: Sendable {
    case request(Request)
    /// The previous batch has more work to do.
    case proceed
    case end
  }

  private enum State {
    /// The thread has not created its mailbox yet.
    case opening([Message])
    case open(Mailbox<Message>)
  }

  private final class Inbox: Sendable {
    let state = Mutex<State>(.opening([]))

    func open(_ mailbox: Mailbox<Message>) {
      state.withLock { state in
        guard case .opening(let early) = state else {
          return assertionFailure("a thread received a second mailbox")
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

    /// Asserts the invariants that hold between calls.
    ///
    /// `isClosed` is the thread's state before this call; the thread might have been closed since then.
    func checkInvariants(isClosed: Bool) {
      state.withLock { state in
        guard case .opening(let early) = state else { return }
        let ends = early.count { if case .end = $0 { true } else { false } }
        assert(ends <= 1, "a thread is asked to end only once")
        assert(!isClosed || ends == 1, "a closed thread was asked to end")
        for (index, message) in early.enumerated() {
          switch message {
          case .request: break
          case .proceed: assertionFailure("a thread was asked to proceed before its first batch")
          case .end: assert(index == early.count - 1, "no message follows the request to end")
          }
        }
      }
    }
  }

  private let inbox = Inbox()
  private let isClosed = Mutex(false)
  private let thread: LoopThread

  /// Starts the thread.
  ///
  /// `work` runs on the thread with each batch, in the order in which the requests were posted. If `work` has more to
  /// do, it returns true so that new requests can proceed. It is then called again with the requests that have arrived
  /// since the last call, if any.
  init(name: String, _ work: @escaping @Sendable ([Request]) -> Bool) throws(SystemFailure) {
    let inbox = inbox
    thread = try LoopThread.start(name: name) { loop in
      let mailbox = loop.mailbox(of: Message.self) { messages in
        var requests: [Request] = []
        requests.reserveCapacity(messages.count)
        for case .request(let request) in messages { requests.append(request) }
        assert(
          messages.count - requests.count <= 2,
          "a thread is asked to proceed or end at most once each")
        let isEnding = messages.contains { if case .end = $0 { true } else { false } }
        let isGoingOn = messages.contains { if case .proceed = $0 { true } else { false } }
        var hasMore = isGoingOn || !requests.isEmpty ? work(requests) : false
        while isEnding, hasMore { hasMore = work([]) }
        if isEnding { loop.stop() } else if hasMore { inbox.post(.proceed) }
      }
      inbox.open(mailbox)
    }
  }

  /// Delivers `request` to the thread.
  ///
  /// Returns false after `close()`.
  func post(_ request: Request) -> Bool {
    isClosed.withLock { isClosed in
      if !isClosed { inbox.post(.request(request)) }
      return !isClosed
    }
  }

  /// Waits until the thread has processed all posted requests, then stops the thread.
  ///
  /// Never call this method on the thread itself.
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
