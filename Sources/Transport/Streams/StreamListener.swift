public import System

/// A listener that accepts streams on an internet address or a UNIX path.
public final class StreamListener {
  /// The port to which the listener is bound; 0 for a UNIX path.
  public let port: UInt16
  /// The address to which the listener is bound, with the actual port; nil for a UNIX path.
  public let address: SocketAddress?

  private let loop: EventLoop
  private var security: StreamSecurity
  private let unixPath: String?
  private let accept: (ByteStream) -> (any StreamHandler)?
  private var descriptor: Int32
  private var registration: Registration?
  private var admissions: AdmissionRate?
  /// A timer that runs while the listener is paused.
  private var timer: TimerID?

  /// Listens on `address`, or on any free port if the address has port 0.
  ///
  /// The loop keeps the listener alive until `close` is called.
  ///
  /// `accept` is called for each connection, before any handshake. It returns the connection's handler, or nil to close
  /// the connection. Loops whose listeners share a port also share the connections to this port.
  public init(
    loop: EventLoop, address: SocketAddress, security: StreamSecurity,
    sharing: Socket.PortSharing = .none,
    accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) {
    descriptor = try Socket.listen(on: address, sharing: sharing)
    let bound = Socket.localAddress(descriptor) ?? address
    self.address = bound
    port = bound.port
    self.loop = loop
    self.security = security
    unixPath = nil
    self.accept = accept
    try start()
  }

  /// Listens on a UNIX path with mode 0600.
  ///
  /// `close` removes the file.
  public init(
    loop: EventLoop, unixPath: String, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) {
    descriptor = try Socket.listen(unixPath: unixPath)
    address = nil
    port = 0
    self.loop = loop
    security = .plain
    self.unixPath = unixPath
    self.accept = accept
    try start()
  }

  /// Accepts connections on a UNIX socket that is already listening.
  ///
  /// The socket's file belongs to another process, so `close` doesn't remove it.
  public init(
    loop: EventLoop, listening descriptor: Int32,
    accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) {
    try Socket.adoptListener(descriptor)
    self.descriptor = descriptor
    address = nil
    port = 0
    self.loop = loop
    security = .plain
    unixPath = nil
    self.accept = accept
    try start()
  }

  private func start() throws(SystemFailure) {
    do throws(SystemFailure) {
      registration = try loop.register(descriptor, for: .readable, handler: self)
    } catch {
      Socket.close(descriptor)
      descriptor = -1
      throw error
    }
  }

  /// Sets the security of new connections.
  public func use(_ security: StreamSecurity) { self.security = security }

  /// Limits the rate at which connections are admitted; the others wait in the kernel's backlog.
  ///
  /// A burst of `burst` connections is admitted at once.
  public func limitAdmissions(perSecond: Int, burst: Int) {
    admissions = AdmissionRate(perSecond: perSecond, burst: burst)
  }

  /// Stops listening.
  ///
  /// Accepted streams stay open.
  public func close() {
    guard let registration else { return }
    loop.deregister(registration)
    self.registration = nil
    if let timer { loop.cancel(timer) }
    timer = nil
    Socket.close(descriptor)
    descriptor = -1
    if let unixPath { try? FileSystem.remove(unixPath) }
  }

}

extension StreamListener: Listener {}

extension EventLoop {
  /// Limits the number of concurrent TLS handshakes on accepted connections.
  ///
  /// The default is 1,000.
  public func boundHandshakes(to count: Int) {
    StreamLoop.of(self).handshakes.bound = min(count, Limits.handshakesMax)
  }
}

extension StreamListener: EventHandler, TimerTarget {
  /// Accepts connections.
  ///
  /// The loop calls this method.
  public func ready(_ readiness: Readiness) {
    var count = 0
    var peer: SocketAddress?
    do throws(SystemFailure) {
      while count < Limits.acceptedPerTurn, registration != nil, hasRoom(), isInRate(),
        let connection = try Socket.accept(descriptor, peer: &peer)
      {
        ByteStream.adopt(
          connection, from: peer, on: loop, security: security, accept: accept)
        admissions?.take(at: loop.nowNanoseconds)
        count += 1
      }
    } catch {
      // Pause, because the socket stays readable as long as no file descriptor is free for the next connection.
      pause(nanoseconds: Limits.acceptPauseNanoseconds)
    }
  }

  /// Resumes accepting.
  ///
  /// The loop calls this method.
  public func timerFired(tag: UInt64) {
    timer = nil
    resume()
  }

  /// Returns true if the loop is keeping up with its handshakes.
  ///
  /// Otherwise, the listener stops accepting until the loop has caught up.
  private func hasRoom() -> Bool {
    guard case .tls = security else { return true }
    let handshakes = StreamLoop.of(loop).handshakes
    if handshakes.isAccepting { return true }
    handshakes.pause(self)
    pause(nanoseconds: Limits.acceptPauseNanoseconds)
    return false
  }

  /// Returns true if the rate permits another connection; otherwise, the listener pauses until it does.
  private func isInRate() -> Bool {
    guard let wait = admissions?.wait(at: loop.nowNanoseconds), wait > 0 else { return true }
    pause(nanoseconds: wait)
    return false
  }

  /// Leaves new connections in the kernel's backlog for a while.
  private func pause(nanoseconds: Int64) {
    guard let registration, timer == nil else { return }
    loop.update(registration, for: [])
    timer = loop.schedule(afterNanoseconds: nanoseconds, self)
  }

  /// Resumes accepting connections.
  func resume() {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard let registration else { return }
    loop.update(registration, for: .readable)
  }
}

extension ByteStream {
  /// Creates a stream from a connected, non-blocking socket, and takes ownership of the socket.
  ///
  /// `accept` is called before any handshake, and returns the handler, or nil to close the stream.
  public static func adopt(
    _ descriptor: Int32, from peer: SocketAddress? = nil, on loop: EventLoop,
    security: StreamSecurity,
    accept: (ByteStream) -> (any StreamHandler)?
  ) {
    assert(descriptor >= 0, "a stream has a socket")
    let stream = ByteStream(
      StreamLoop.of(loop), descriptor: descriptor, state: .open, handler: nil)
    stream.acceptedFrom = peer.map(ByteStream.AcceptedPeer.init)
    guard let handler = accept(stream) else {
      stream.closeDescriptor()
      return
    }
    stream.handler = handler
    stream.startAccepted(security)
  }

  /// Starts a connection that a listener accepted.
  fileprivate func startAccepted(_ security: StreamSecurity) {
    switch security {
    case .plain:
      register()
      if isOpen { handler?.streamOpened(self) }
    case .identified(let identity):
      tls = CleartextLayer(identity, shared: shared)
      register()
      if isOpen { handler?.streamOpened(self) }
    case .tls(let context):
      state = .handshaking
      if isPaced {
        acceptedFrom?.context = context
      } else if !startTLS(context) {
        return
      }
      setTimer(.handshake, Limits.handshakeNanoseconds)
      register()
    }
  }
}
