import COpenSSL
public import System

extension ByteStream: EventHandler {
  /// Handles events on the descriptor.
  ///
  /// The loop calls this method.
  public func ready(_ readiness: Readiness) {
    switch state {
    case .connecting: attemptEnded()
    case .lingering: discardInput()
    case .handshaking where isPaced:
      if readiness.contains(.writable) { scheduleTurnEnd() }
      if readiness.contains(.readable) || readiness.contains(.hangup) { awaitHandshakeStep() }
    case .open where flags.contains(.inputEnded):
      if readiness.contains(.writable) { scheduleTurnEnd() }
      // A hangup means that the peer has also stopped reading.
      if readiness.contains(.hangup) {
        let code = Socket.pendingError(descriptor)
        finish(code == 0 ? .peer : .broken(errno: code))
      }
    case .handshaking, .open:
      if readiness.contains(.writable) { scheduleTurnEnd() }
      if readiness.contains(.readable) || readiness.contains(.hangup) { receive(readiness) }
    case .closing:
      if readiness.contains(.writable) { scheduleTurnEnd() }
      // The peer has disconnected, so no output can be sent.
      if readiness.contains(.hangup) { finish(ending?.reason ?? .local) }
    case .detached, .closed: break
    }
  }

  /// Stops reading from the socket, so that TCP flow control makes the peer wait.
  public func pauseReading() {
    guard !flags.contains(.paused) else { return }
    flags.insert(.paused)
    updateInterests()
  }

  /// Resumes reading.
  ///
  /// Input that has already arrived is delivered at the end of the turn.
  public func resumeReading() {
    guard flags.contains(.paused) else { return }
    flags.remove(.paused)
    if pendingInput != nil { scheduleTurnEnd() }
    if registration == nil, state == .open { register() } else { updateInterests() }
  }

  private func receive(_ readiness: Readiness) {
    if flags.contains(.paused), state == .open {
      // The kernel always reports a hangup, so stop watching the descriptor until reading resumes.
      if readiness.contains(.hangup), let registration {
        loop.deregister(registration)
        self.registration = nil
      }
      return
    }
    // Deliver earlier input first. The socket stays readable, so its input is read later.
    guard pendingInput == nil else {
      scheduleTurnEnd()
      return
    }
    switch unsafe Socket.read(descriptor, into: shared.input) {
    case .bytes(0): handleEndOfInput(isClean: false)
    case .bytes(let count):
      bytesIn &+= UInt64(count)
      unsafe consume(UnsafeRawBufferPointer(rebasing: shared.input[0..<count]))
    case .wouldBlock:
      if !readiness.contains(.readable) {
        finish(broken(Socket.pendingError(descriptor)))
      }
    case .failed(let number): finish(broken(number))
    }
  }

  /// Delivers or decrypts bytes from the socket.
  func consume(_ bytes: UnsafeRawBufferPointer) {
    guard tls != nil else {
      assert(state != .handshaking, "no plaintext is received during a handshake")
      if state == .open { unsafe handler?.stream(self, received: bytes) }
      return
    }
    unsafe shared.offer(bytes)
    flags.insert(.decrypting)
    if state != .handshaking || continueHandshake() { decrypt() }
    flags.remove(.decrypting)
  }

  /// Delivers the input that arrived while reading was paused.
  func deliverPendingInput() {
    guard let pending = pendingInput, state == .open, !flags.contains(.paused) else { return }
    pendingInput = nil
    if !pending.plaintext.isEmpty {
      let bytes = pending.plaintext
      unsafe bytes.withUnsafeBytes { unsafe handler?.stream(self, received: $0) }
    }
    guard !pending.ciphertext.isEmpty else { return }
    guard state == .open, !flags.contains(.paused) else {
      if state == .open { retain(ciphertext: pending.ciphertext) }
      return
    }
    unsafe pending.ciphertext.withUnsafeBytes { unsafe consume($0) }
  }

  func retain(ciphertext: [UInt8]) {
    guard !ciphertext.isEmpty else { return }
    let pending = pendingInput ?? PendingInput()
    pending.ciphertext += ciphertext
    pendingInput = pending
  }

  // MARK: TLS

  /// True if the loop's queue limits the pace of the handshake, which applies to accepted connections.
  var isPaced: Bool { acceptedFrom != nil }

  /// True if a step of this stream is waiting in the loop's queue.
  var awaitsHandshakeStep: Bool { flags.contains(.awaitsHandshakeStep) }

  /// The time at which the handshake of an accepted connection began or last made progress, in nanoseconds on the loop
  /// clock.
  var handshakeProgress: Int64 {
    get { acceptedFrom?.handshakeProgress ?? 0 }
    set { acceptedFrom?.handshakeProgress = newValue }
  }

  private func awaitHandshakeStep() {
    guard !flags.contains(.awaitsHandshakeStep) else { return }
    flags.insert(.awaitsHandshakeStep)
    // The peer's first bytes have arrived, so any further delay is on this side.
    if tls == nil { cancelTimer() }
    // A step might wait for several turns. Don't watch the socket in the meantime, because it would be reported in each
    // turn.
    if shared.handshakes.waitingCount >= Limits.handshakeStepsPerTurn { updateInterests() }
    shared.handshakes.await(self, isFirst: tls == nil)
  }

  /// Reads the peer's bytes and continues the handshake.
  ///
  /// The loop's queue calls this method.
  func makeHandshakeStep() {
    assert(state == .handshaking, "handshake steps are made only during a handshake")
    flags.remove(.awaitsHandshakeStep)
    if tls == nil {
      guard let context = acceptedFrom?.context, startTLS(context) else { return }
      acceptedFrom?.context = nil
      shared.handshakes.begin(self)
      setTimer(.handshake, Limits.handshakeNanoseconds)
    }
    receive(.readable)
    // The descriptor might not have been watched while the step was waiting.
    if isOpen { updateInterests() }
  }

  /// Creates the OpenSSL session for a handshake.
  ///
  /// If memory can't be allocated, closes the stream and returns false.
  func startTLS(_ context: TLSServerContext) -> Bool {
    guard let session = unsafe TLSSession(server: context, exchange: shared.exchange) else {
      abort(.tlsFailed("out of memory"))
      return false
    }
    tls = session
    return true
  }

  /// Aborts a handshake that has made no progress for a long time.
  func abandonHandshake() { finish(.timedOut(.handshake)) }

  /// Returns the reason to report for a broken connection.
  ///
  /// A reset during the handshake counts as an aborted handshake.
  private func broken(_ number: Int32) -> StreamClosure {
    state == .handshaking ? .tlsFailed(Self.handshakeBrokenOff) : .broken(errno: number)
  }

  private static let handshakeBrokenOff = "the peer aborted the handshake"

  /// Continues the handshake, and returns true if the stream is now open and there might be more bytes to decrypt.
  func continueHandshake() -> Bool {
    guard let session = tls as? TLSSession else { return false }
    shared.clearOutput()
    let step = session.handshake()
    // Count the server's post-handshake messages, which OpenSSL has already encrypted with the new keys.
    let recordsSent = unsafe TLSRecord.count(in: shared.output)
    queueOutput()
    switch step {
    case .needsInput: return false
    case .failed(let reason):
      endHandshake(.tlsFailed(reason))
      return false
    case .finished:
      cancelTimer()
      state = .open
      let records = takeOverRecords(of: session, recordsSent: recordsSent)
      handler?.streamOpened(self)
      // If the handler detached the stream, the stream now belongs to another thread.
      guard state == .open else { return false }
      records?.releasePeer()
      return true
    }
  }

  private func endHandshake(_ reason: StreamClosure) {
    plain.clear(shared.pool)
    beginClosing(reason)
  }

  /// Queues the bytes that OpenSSL wrote on its own: handshake messages, alerts, and key updates.
  private func queueOutput() {
    guard let tls, unsafe shared.output.count > 0 else { return }
    unsafe tls.unsent.append(shared.output, pool: shared.pool)
    shared.clearOutput()
    scheduleTurnEnd()
  }

  private func decrypt() {
    // Clear old errors on this thread, because OpenSSL would attribute them to this call.
    ERR_clear_error()
    while state == .open, let tls {
      guard !flags.contains(.paused) else {
        retain(ciphertext: unsafe Array(shared.unreadInput))
        return
      }
      shared.clearOutput()
      let (count, outcome) = unsafe fill(shared.plaintext, from: tls)
      queueOutput()
      if count > 0 {
        unsafe handler?.stream(
          self, received: UnsafeRawBufferPointer(rebasing: shared.plaintext[0..<count]))
      }
      switch outcome {
      case .bytes: continue
      case .needsInput: return
      case .ended: handleEndOfInput(isClean: true)
      case .failed(let reason): if state == .open { beginClosing(.tlsFailed(reason)) }
      }
      return
    }
  }

  /// Decrypts several records into one delivery, so that the handler parses and responds only once.
  private func fill(
    _ target: UnsafeMutableRawBufferPointer, from tls: TLSLayer
  ) -> (count: Int, outcome: TLSLayer.Reading) {
    var count = 0
    while true {
      let outcome = unsafe tls.read(into: UnsafeMutableRawBufferPointer(rebasing: target[count...]))
      guard case .bytes(let more) = outcome else { return (count, outcome) }
      count += more
      if target.count - count < TLSRecord.ciphertextBytes { return (count, outcome) }
    }
  }

  /// Handles the end of the peer's input, which is clean if a close_notify preceded it.
  ///
  /// The stream closes as soon as the handler has answered earlier input.
  ///
  /// TLS 1.2 is handled in the same way, although close_notify used to end both of its directions (RFC 5246 section
  /// 7.2.1). Sending an answer does no harm if the client has disconnected. A client that is still waiting would retry
  /// its requests if it received no answer.
  private func handleEndOfInput(isClean: Bool) {
    switch state {
    case .handshaking: endHandshake(.tlsFailed(Self.handshakeBrokenOff))
    case .open:
      guard !flags.contains(.inputEnded) else { return }
      flags.insert(.inputEnded)
      let awaitsAnswers = handler?.streamAwaitsAnswers(self) ?? false
      guard state == .open, !flags.contains(.aborted) else { return }
      guard awaitsAnswers else { return beginClosing(tls == nil || isClean ? .peer : .truncated) }
      updateInterests()
      setTimer(.answers, Limits.answersNanoseconds)
    default: break
    }
  }

  private func discardInput() {
    var dropped = 0
    while dropped < Limits.lingerBytes {
      switch unsafe Socket.read(descriptor, into: shared.input) {
      case .bytes(let count) where count > 0: dropped += count
      case .wouldBlock: return
      default:
        closeDescriptor()
        return
      }
    }
    closeDescriptor()
  }
}
