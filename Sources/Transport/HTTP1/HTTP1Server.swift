import Synchronization
public import System

/// An HTTP/1.1 server for users and tools, which serves the console, the admin API, and the metrics.
///
/// The server runs on its own threads, separate from the gateway's loops. One thread owns the connections. A few other
/// threads run the handler, which can block.
public final class HTTP1Server: Sendable {
  /// A function that answers a request, on a handler thread.
  public typealias Handler = @Sendable (HTTP1Request) -> HTTP1Response

  /// The port on which the server listens.
  public let port: UInt16
  private let commands: Mailbox<HTTP1Connections.Event>
  private let running: Mutex<Threads?>

  private struct Threads: Sendable {
    let connections: LoopThread
    let handlers: HTTP1HandlerThreads
  }

  /// Listens on `address`, or on any free port if the address has port 0.
  ///
  /// A request whose body has more than `maximumBodyBytes` receives a 413 response. At most `connections` connections
  /// (128 by default) are open at the same time. The number of unanswered requests can exceed `connections` by up to a
  /// quarter. With the default limits, request bodies therefore use up to 160 MB.
  public convenience init(
    address: SocketAddress = .loopback(port: 0), maximumBodyBytes: Int = 1_048_576,
    connections: Int? = nil, handler: @escaping Handler
  ) throws(SystemFailure) {
    var bounds = HTTP1Connections.Bounds(bodyBytes: maximumBodyBytes)
    if let connections { bounds.connections = max(1, connections) }
    try self.init(address: address, bounds: bounds, handler: handler)
  }

  init(
    address: SocketAddress, bounds: HTTP1Connections.Bounds, handler: @escaping Handler
  ) throws(SystemFailure) {
    let handlers = try HTTP1HandlerThreads(handler)
    let (thread, opened) = try LoopThread.launch(name: "http") {
      loop throws(SystemFailure) -> HTTP1Connections.Opened in
      try HTTP1Connections.open(on: loop, address: address, bounds: bounds, handlers: handlers)
    }
    port = opened.port
    commands = opened.events
    running = Mutex(Threads(connections: thread, handlers: handlers))
  }

  deinit { stop() }

  /// Closes the listener and all connections, and returns when the last handler has returned.
  ///
  /// Don't call this method on a handler thread.
  public func stop() { end(with: .stop) }

  /// Closes the listener, answers the requests that have arrived, and closes all connections; returns when the last
  /// handler has returned.
  ///
  /// Don't call this method on a handler thread. Endless responses are truncated.
  public func finish() { end(with: .finish) }

  private func end(with event: HTTP1Connections.Event) {
    let threads = running.withLock { running in
      let threads = running
      running = nil
      return threads
    }
    guard let threads else { return }
    commands.post(event)
    threads.connections.join()
    threads.handlers.stop()
  }
}

/// The threads that run a server's handler, including one thread for probes.
final class HTTP1HandlerThreads: Sendable {
  private typealias Work = @Sendable () -> Void

  private let handler: HTTP1Server.Handler
  private let threads: [(thread: LoopThread, work: Mailbox<Work>)]

  init(_ handler: @escaping HTTP1Server.Handler) throws(SystemFailure) {
    self.handler = handler
    var threads: [(thread: LoopThread, work: Mailbox<Work>)] = []
    do throws(SystemFailure) {
      for index in 0...Limits.httpHandlerThreads {
        let started = try LoopThread.launch(name: "http-handler-\(index)") {
          loop throws(SystemFailure) -> Mailbox<Work> in
          loop.mailbox(of: Work.self) { batch in for work in batch { work() } }
        }
        threads.append((started.thread, started.value))
      }
    } catch {
      Self.stop(threads)
      throw error
    }
    self.threads = threads
  }

  deinit { stop() }

  /// Runs the handler, and then `completion`, on the thread with this index.
  func run(
    _ request: HTTP1Request, onThread index: Int,
    completion: @escaping @Sendable (HTTP1Response) -> Void
  ) {
    precondition(threads.indices.contains(index), "the handler thread exists")
    threads[index].work.post { [handler] in completion(handler(request)) }
  }

  /// Waits for running handlers to return, and drops requests that no thread has begun to handle.
  func stop() { Self.stop(threads) }

  private static func stop(_ threads: [(thread: LoopThread, work: Mailbox<Work>)]) {
    for thread in threads { thread.thread.stop() }
    for thread in threads { thread.thread.join() }
  }
}
