import System

/// The connections of an HTTP/1.1 server, confined to its loop.
final class HTTP1Connections {
  /// An event that other threads send to the connections.
  enum Event: Sendable {
    /// A handler thread has answered a connection's request.
    case responded(connection: UInt64, thread: Int, HTTP1Response)
    /// A response's body has more bytes to send.
    case bodyChanged(connection: UInt64)
    /// Close all connections and stop the loop.
    case stop
    /// Answer the requests that have arrived, then close all connections and stop the loop.
    case finish
  }

  /// The resource limits of the connections.
  struct Bounds: Sendable {
    var bodyBytes: Int
    var connections = Limits.httpConnections
    var idleNanoseconds = Limits.httpIdleNanoseconds
    var requestNanoseconds = Limits.httpRequestNanoseconds
    var pipeliningNanoseconds = Limits.httpPipeliningNanoseconds

    /// The maximum number of connections from one network address, which is also the number of connections reserved for
    /// this machine.
    ///
    /// This number is sufficient for a few browsers and a scraper.
    var connectionsOfAddress: Int { max(1, connections / 4) }
  }

  /// The information that other threads need about the connections.
  struct Opened: Sendable {
    let port: UInt16
    let events: Mailbox<Event>
  }

  let loop: EventLoop
  let bounds: Bounds
  private let handlers: HTTP1HandlerThreads
  private var listener: StreamListener?
  private var events: Mailbox<Event>?
  private var connections: [UInt64: HTTP1Connection] = [:]
  private var lastNumber: UInt64 = 0
  private var requests = HTTP1HandlerQueue(threads: Array(0..<Limits.httpHandlerThreads))
  /// The queue of requests from probes.
  ///
  /// Probes have their own thread, so that a service doesn't appear to be down while other requests are slow.
  private var probes = HTTP1HandlerQueue(threads: [Limits.httpHandlerThreads])
  /// True if connections close after their answer.
  private(set) var isFinishing = false

  private var unanswered: Int { requests.unanswered + probes.unanswered }

  private init(_ loop: EventLoop, bounds: Bounds, handlers: HTTP1HandlerThreads) {
    self.loop = loop
    self.bounds = bounds
    self.handlers = handlers
  }

  /// Listens on `address`; the loop keeps the connections alive.
  static func open(
    on loop: EventLoop, address: SocketAddress, bounds: Bounds, handlers: HTTP1HandlerThreads
  ) throws(SystemFailure) -> Opened {
    let connections = HTTP1Connections(loop, bounds: bounds, handlers: handlers)
    let listener = try StreamListener(loop: loop, address: address, security: .plain) {
      [unowned connections] stream in connections.accept(stream)
    }
    let events = loop.mailbox(of: Event.self) { events in
      for event in events { connections.handle(event) }
    }
    connections.listener = listener
    connections.events = events
    return Opened(port: listener.port, events: events)
  }

  private func accept(_ stream: ByteStream) -> HTTP1Connection? {
    // Also limit the unanswered requests, because a request remains in the queue even if its client disconnects.
    guard unanswered < bounds.connections + bounds.connectionsOfAddress, makeRoom(for: stream)
    else { return nil }
    lastNumber += 1
    let connection = HTTP1Connection(number: lastNumber, stream: stream, owner: self)
    connections[lastNumber] = connection
    return connection
  }

  /// Returns true if one more connection from the stream's address is allowed.
  ///
  /// To make room, the connection that has waited longest for a request is closed. Otherwise, a client that opens idle
  /// connections could lock out probes and administrators.
  ///
  /// Network clients can't use the connections that are reserved for this machine.
  private func makeRoom(for stream: ByteStream) -> Bool {
    let peer = stream.peerAddress
    guard connections.count >= bounds.connectionsOfAddress else { return true }
    if peer?.isLoopback != true {
      let own = connections.values.filter { $0.address == peer?.host ?? "" }
      if own.count >= bounds.connectionsOfAddress { return close(oneOf: own) }
      let distant = connections.values.filter { !$0.isLocal }
      if distant.count >= bounds.connections - bounds.connectionsOfAddress {
        return close(oneOf: distant)
      }
    }
    return connections.count < bounds.connections || close(oneOf: Array(connections.values))
  }

  private func close(oneOf candidates: [HTTP1Connection]) -> Bool {
    func oldest(_ since: (HTTP1Connection) -> Int64?) -> (since: Int64, one: HTTP1Connection)? {
      candidates.compactMap { one in since(one).map { (since: $0, one: one) } }
        .min { $0.since < $1.since }
    }
    if let waiting = oldest(\.waitingSince) {
      waiting.one.abort()
      return true
    }
    // No connection is waiting for a request. Close the connection that has pipelined requests for the longest time, if
    // it has exceeded the time limit.
    let now = loop.nowNanoseconds
    guard let busy = oldest(\.pipeliningSince), now - busy.since >= bounds.pipeliningNanoseconds
    else { return false }
    busy.one.abort()
    return true
  }

  private func handle(_ event: Event) {
    switch event {
    case .responded(let number, let thread, let response):
      if probes.threads.contains(thread) {
        probes.release(thread)
      } else {
        requests.release(thread)
      }
      startHandlers()
      guard let connection = connections[number] else {
        // The client has disconnected.
        if case .stream(let body) = response.body { body.close() }
        return
      }
      connection.respond(response)
    case .bodyChanged(let number): connections[number]?.sendBody()
    case .stop:
      listener?.close()
      for connection in connections.values { connection.abort() }
      loop.stop()
    case .finish:
      listener?.close()
      isFinishing = true
      for connection in connections.values { connection.finish() }
      if connections.isEmpty { loop.stop() }
    }
  }

  // MARK: called by connections

  /// Passes a request to a handler thread, as soon as one is free.
  func dispatch(_ request: HTTP1Request, of connection: UInt64) {
    if request.isProbe {
      probes.append(request, of: connection)
    } else {
      requests.append(request, of: connection)
    }
    startHandlers()
    assert(unanswered <= bounds.connections * 2, "a connection has only one request at a time")
  }

  private func startHandlers() {
    guard let events else {
      assertionFailure("a request arrived before the server opened")
      return
    }
    while let next = probes.next() ?? requests.next() {
      handlers.run(next.request, onThread: next.thread) { response in
        events.post(.responded(connection: next.connection, thread: next.thread, response))
      }
    }
  }

  /// Makes `body` notify the connection whenever there is something to send.
  func follow(_ body: HTTP1BodyStream, for connection: UInt64) {
    guard let events else { return }
    body.onChange { events.post(.bodyChanged(connection: connection)) }
  }

  func remove(_ connection: UInt64) {
    let removed = connections.removeValue(forKey: connection)
    assert(removed != nil, "a connection is removed only once")
    if isFinishing, connections.isEmpty { loop.stop() }
  }
}
