/// The requests that wait for one of several handler threads, in order of arrival.
///
/// A request is not assigned to a busy thread, because the request would then wait for that thread even if another
/// thread became free.
struct HTTP1HandlerQueue {
  /// The indexes of all threads.
  let threads: [Int]
  private var free: [Int]
  private var waiting: [(request: HTTP1Request, connection: UInt64)] = []

  init(threads: [Int]) {
    self.threads = threads
    free = threads
  }

  /// The number of requests that are waiting or being handled.
  var unanswered: Int { threads.count - free.count + waiting.count }

  mutating func append(_ request: HTTP1Request, of connection: UInt64) {
    waiting.append((request, connection))
  }

  /// Removes and returns the next request with a thread to handle it.
  ///
  /// Returns nil if no request waits or no thread is free.
  mutating func next() -> (request: HTTP1Request, connection: UInt64, thread: Int)? {
    guard !waiting.isEmpty, let thread = free.popLast() else { return nil }
    let (request, connection) = waiting.removeFirst()
    return (request, connection, thread)
  }

  /// Makes a thread available again after the thread has handled its request.
  mutating func release(_ thread: Int) {
    assert(
      threads.contains(thread) && !free.contains(thread), "a handler answers each request only once"
    )
    free.append(thread)
  }
}

extension HTTP1Request {
  /// True for requests from monitoring tools, which must be answered even while other requests are slow.
  var isProbe: Bool {
    ["/healthz", "/readyz", "/metrics"].contains { path.utf8.elementsEqual($0.utf8) }
  }
}
