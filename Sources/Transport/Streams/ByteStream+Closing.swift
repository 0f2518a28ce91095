public import System

extension ByteStream: TimerTarget {
  /// Closes the stream.
  ///
  /// With `afterFlush`, queued bytes are sent first, which can take up to 10 s.
  ///
  /// The handler is called later, never within this call. The handler receives no more bytes.
  public func close(afterFlush: Bool = true) {
    guard isOpen else { return }
    if afterFlush, state != .connecting { beginClosing(.local) } else { abort(.local) }
  }

  /// Handles an expired timer.
  ///
  /// The loop calls this method.
  public func timerFired(tag: UInt64) {
    timer = nil
    switch StreamClosure.Phase?(timerTag: tag) {
    case .connect?: attemptTimedOut()
    case .handshake?: finish(.timedOut(.handshake))
    case .flush?:
      // If the stream has no other reason to close, report that the owner's output couldn't be sent in time.
      let reason = ending?.reason ?? .local
      finish(reason == .local ? .timedOut(.flush) : reason)
    case .answers?: beginClosing(.timedOut(.answers))
    case nil: closeDescriptor()
    }
  }

  /// Sends the queued bytes, and then closes the stream.
  func beginClosing(_ reason: StreamClosure) {
    guard state == .open || state == .handshaking else { return }
    if state == .handshaking { plain.clear(shared.pool) }
    state = .closing
    ending = Ending(reason)
    pendingInput = nil
    updateInterests()
    setTimer(.flush, Limits.flushNanoseconds)
    scheduleTurnEnd()
  }

  /// Closes the stream at the end of the turn, without sending more data.
  func abort(_ reason: StreamClosure) {
    guard isOpen else { return }
    flags.insert(.aborted)
    ending = Ending(reason)
    plain.clear(shared.pool)
    scheduleTurnEnd()
  }

  /// Sends close_notify after all queued data, and then closes the stream.
  func concludeClosing() {
    let reason = ending?.reason ?? .local
    switch reason {
    case .tlsFailed: finish(reason, lingers: true)
    default:
      if let tls {
        shared.clearOutput()
        tls.end()
        // If the socket's buffer is full, the peer misses only the close_notify.
        _ = unsafe Socket.write(descriptor, shared.output)
      }
      finish(reason, lingers: reason == .local)
    }
  }

  /// Releases the stream's resources and notifies the handler.
  ///
  /// Only the first call has an effect.
  func finish(_ reason: StreamClosure, lingers: Bool = false) {
    switch state {
    case .closed, .lingering, .detached: return
    case .connecting, .handshaking, .open, .closing: break
    }
    cancelTimer()
    state = .closed
    plain.clear(shared.pool)
    tls?.unsent.clear(shared.pool)
    pendingInput = nil
    ending = nil
    attempt = nil
    let lastHandler = handler
    handler = nil
    lastHandler?.stream(self, closed: reason)
    tls = nil
    guard lingers, registration != nil else {
      closeDescriptor()
      return
    }
    // Closing a socket with unread input would reset the connection and could destroy the last output.
    Socket.finishWriting(descriptor)
    state = .lingering
    flags.remove(.waitsForWritable)
    updateInterests()
    setTimer(nil, Limits.lingerNanoseconds)
  }

  /// Closes the descriptor without notifying the handler, even if the stream is still referenced.
  ///
  /// The loop calls this method when it stops.
  public func loopEnded() {
    handler = nil
    registration = nil
    timer = nil
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
    acceptedFrom?.slot = nil
    state = .closed
  }

  func closeDescriptor() {
    cancelTimer()
    if let registration { loop.deregister(registration) }
    registration = nil
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
    acceptedFrom?.slot = nil
    state = .closed
  }
}
