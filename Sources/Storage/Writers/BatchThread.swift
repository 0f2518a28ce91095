internal import Synchronization
internal import System

/// A thread that takes requests in batches: what arrives while one batch is worked on is the next.
final class BatchThread<Request: Sendable>: Sendable {
  private enum Letter: Sendable {
    case request(Request)
    case end
  }

  private enum Entrance {
    /// The thread has not made its mailbox yet.
    case opening([Letter])
    case open(Mailbox<Letter>)
  }

  private final class Door: Sendable {
    let entrance = Mutex<Entrance>(.opening([]))

    func open(_ mailbox: Mailbox<Letter>) {
      entrance.withLock { entrance in
        if case .opening(let early) = entrance { mailbox.post(contentsOf: early) }
        entrance = .open(mailbox)
      }
    }

    func post(_ letter: Letter) {
      entrance.withLock { entrance in
        switch entrance {
        case .opening(let early): entrance = .opening(early + [letter])
        case .open(let mailbox): mailbox.post(letter)
        }
      }
    }
  }

  private let door = Door()
  private let isClosed = Mutex(false)
  private let thread: LoopThread

  /// Starts the thread; `work` runs on it with each batch, in order of posting.
  init(name: String, _ work: @escaping @Sendable ([Request]) -> Void) throws(SystemFailure) {
    let door = door
    thread = try LoopThread.start(name: name) { loop in
      let mailbox = loop.mailbox(of: Letter.self) { letters in
        var requests: [Request] = []
        requests.reserveCapacity(letters.count)
        for case .request(let request) in letters { requests.append(request) }
        if !requests.isEmpty { work(requests) }
        // `.end` is posted last, so that nothing can stand behind it.
        if case .end = letters.last { loop.stop() }
      }
      door.open(mailbox)
    }
  }

  /// Hands `request` to the thread; false after `close()`.
  func post(_ request: Request) -> Bool {
    isClosed.withLock { isClosed in
      if !isClosed { door.post(.request(request)) }
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
      if isFirst { door.post(.end) }
      return isFirst
    }
    if isFirst { thread.join() }
  }

  deinit { close() }
}
