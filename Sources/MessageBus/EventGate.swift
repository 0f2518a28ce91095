internal import Dispatch
internal import Glibc
internal import Synchronization

/// The way of all events to the handler, which ends when the bus is closed.
final class EventGate: Sendable {
  private struct Passage {
    var isClosed = false
    /// The threads on which the handler is running.
    var threads: [pthread_t] = []
    /// The calls of `close` that wait for the running handlers.
    var waiters: [DispatchSemaphore] = []
    /// The number of threads in `threads` that are waiting in `close`.
    var closingHandlers = 0

    /// True if the only running handlers are waiting in `close` themselves.
    var isQuiet: Bool { threads.count <= closingHandlers }

    /// Wakes the waiting calls of `close` if no other handler is running.
    mutating func wake() {
      assert(closingHandlers <= threads.count, "a handler that closes the gate is running")
      assert(waiters.isEmpty || isClosed, "only a closed gate has waiters")
      guard isQuiet else { return }
      for waiter in waiters { waiter.signal() }
      waiters.removeAll()
    }
  }

  private let passage = Mutex(Passage())
  private let handler: @Sendable (BusClient.Event) -> Void

  init(_ handler: @escaping @Sendable (BusClient.Event) -> Void) { self.handler = handler }

  /// Calls the handler, unless the gate is closed.
  func deliver(_ event: BusClient.Event) {
    let thread = pthread_self()
    let isOpen = passage.withLock { passage in
      guard !passage.isClosed else { return false }
      assert(!passage.threads.contains(thread), "a handler does not cause events on its own thread")
      passage.threads.append(thread)
      return true
    }
    guard isOpen else { return }
    handler(event)
    passage.withLock { passage in
      guard let index = passage.threads.firstIndex(of: thread) else {
        return assertionFailure("a running handler is registered")
      }
      passage.threads.remove(at: index)
      passage.wake()
    }
  }

  /// Stops further events, and waits until no handler is running, except on the calling thread.
  ///
  /// Returns whether the call was made by a handler.
  func close() -> Bool {
    let quiet = DispatchSemaphore(value: 0)
    let thread = pthread_self()
    let isHandler = passage.withLock { passage in
      passage.isClosed = true
      let isHandler = passage.threads.contains(thread)
      if isHandler { passage.closingHandlers += 1 }
      passage.waiters.append(quiet)
      passage.wake()
      return isHandler
    }
    quiet.wait()
    if isHandler { passage.withLock { $0.closingHandlers -= 1 } }
    return isHandler
  }
}
