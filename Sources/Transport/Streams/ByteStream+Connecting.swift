public import System

/// The state of a stream that isn't connected yet.
final class ConnectAttempt {
  let endpoint: Endpoint
  let tls: TLSClientContext?
  let credential: TLSClientCredential?
  let serverName: String
  let timeoutNanoseconds: Int64
  /// True if the stream must not connect to an address that is not public.
  let isPublicOnly: Bool
  var addresses: [SocketAddress] = []
  var problem = "no address"

  init(
    _ endpoint: Endpoint, tls: TLSClientContext?, credential: TLSClientCredential?,
    serverName: String?, isPublicOnly: Bool, timeoutNanoseconds: Int64
  ) {
    self.isPublicOnly = isPublicOnly
    self.endpoint = endpoint
    self.tls = tls
    self.credential = credential
    self.timeoutNanoseconds = timeoutNanoseconds
    switch endpoint {
    case .tcp(let host, _): self.serverName = serverName ?? host
    case .unix: self.serverName = serverName ?? "localhost"
    }
  }
}

extension ByteStream {
  /// Begins a connection.
  ///
  /// The handler is notified of success or failure, but never within this call. The server's certificate must be valid
  /// for `serverName`, which is sent as SNI. If `serverName` is nil, the endpoint's host is used instead. `credential`
  /// replaces the context's certificate. If `isPublicOnly` is true, the stream connects only to public addresses,
  /// whatever a name resolves to. The time limit applies separately to resolving, connecting, and the TLS handshake.
  public static func connect(
    on loop: EventLoop, to endpoint: Endpoint, tls: TLSClientContext?,
    credential: TLSClientCredential? = nil, serverName: String? = nil, isPublicOnly: Bool = false,
    timeoutNanoseconds: Int64, handler: any StreamHandler
  ) -> ByteStream {
    let stream = ByteStream(
      StreamLoop.of(loop), descriptor: -1, state: .connecting, handler: handler)
    stream.attempt = ConnectAttempt(
      endpoint, tls: tls, credential: credential, serverName: serverName,
      isPublicOnly: isPublicOnly, timeoutNanoseconds: timeoutNanoseconds)
    stream.setTimer(.connect, timeoutNanoseconds)
    switch endpoint {
    case .unix(let path):
      stream.attempt { () throws(SystemFailure) in
        try Socket.connect(unixPath: path)
      }
    case .tcp(let host, let port):
      HostResolver.shared(on: loop).resolve(host: host, port: port) { answer in
        stream.resolved(answer, host: host)
      }
    }
    return stream
  }

  private func resolved(_ answer: HostResolver.Answer, host: String) {
    guard state == .connecting, !flags.contains(.aborted) else { return }
    switch answer {
    case .failed(let problem): abort(.connectFailed("\(host): \(problem)"))
    case .addresses(let addresses):
      let isPublicOnly = attempt?.isPublicOnly ?? false
      let allowed = isPublicOnly ? addresses.filter(\.isPublic) : addresses
      guard !allowed.isEmpty else {
        let refused = addresses.map(\.host).joined(separator: ", ")
        return abort(.connectFailed("\(host): no public address (\(refused))"))
      }
      attempt?.addresses = allowed
      tryNextAddress()
    }
  }

  private func tryNextAddress() {
    guard let attempt else { return }
    while !attempt.addresses.isEmpty {
      let address = attempt.addresses.removeFirst()
      if self.attempt({ () throws(SystemFailure) in try Socket.connect(to: address) }) { return }
    }
    abort(.connectFailed(attempt.problem))
  }

  /// Starts an attempt on the descriptor that `open` returns.
  ///
  /// Returns false if the attempt failed immediately and another address might succeed.
  @discardableResult
  private func attempt(_ open: () throws(SystemFailure) -> Int32) -> Bool {
    do throws(SystemFailure) {
      descriptor = try open()
      registration = try loop.register(descriptor, for: .writable, handler: self)
      if let attempt { setTimer(.connect, attempt.timeoutNanoseconds) }
      return true
    } catch {
      attempt?.problem = error.description
      if case .unix? = attempt?.endpoint { abort(.connectFailed(error.description)) }
      return false
    }
  }

  /// Handles the end of a connection attempt.
  func attemptEnded() {
    guard let attempt, !flags.contains(.aborted) else { return }
    let code = Socket.pendingError(descriptor)
    guard code == 0 else {
      attempt.problem =
        SystemFailure.call(name: "connect", errno: code, subject: attempt.endpoint.description)
        .description
      dropDescriptor()
      tryNextAddress()
      return
    }
    cancelTimer()
    self.attempt = nil
    guard let context = attempt.tls else {
      state = .open
      updateInterests()
      scheduleTurnEnd()
      handler?.streamOpened(self)
      return
    }
    guard
      let session = unsafe TLSSession(
        client: context, credential: attempt.credential, serverName: attempt.serverName,
        exchange: shared.exchange)
    else {
      abort(.tlsFailed("out of memory, or invalid server name: '\(attempt.serverName)'"))
      return
    }
    tls = session
    state = .handshaking
    updateInterests()
    setTimer(.handshake, attempt.timeoutNanoseconds)
    unsafe shared.offer(UnsafeRawBufferPointer(start: nil, count: 0))
    _ = continueHandshake()
  }

  func attemptTimedOut() {
    guard let attempt else { return }
    dropDescriptor()
    if attempt.addresses.isEmpty { finish(.timedOut(.connect)) } else { tryNextAddress() }
  }

  private func dropDescriptor() {
    if let registration { loop.deregister(registration) }
    registration = nil
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
  }
}
