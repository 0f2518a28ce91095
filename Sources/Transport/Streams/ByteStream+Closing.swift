public import System

extension ByteStream: TimerTarget {
  /// Ends the stream; with `afterFlush` what is queued is sent first, for at most 10 s.
  ///
  /// The handler is called later, never within this call, and gets no more bytes.
  public func close(afterFlush: Bool = true) {
    guard isOpen else { return }
    if afterFlush, state != .connecting { beginClosing(.local) } else { abort(.local) }
  }

  /// Called by the loop.
  public func timerFired(tag: UInt64) {
    timer = nil
    switch StreamClosure.Phase?(timerTag: tag) {
    case .connect?: attemptTimedOut()
    case .handshake?: finish(.timedOut(.handshake))
    case .flush?:
      // The owner's output was not sent, unless the stream had another reason to end.
      let reason = ending?.reason ?? .local
      finish(reason == .local ? .timedOut(.flush) : reason)
    case .answers?: beginClosing(.timedOut(.answers))
    case nil: closeDescriptor()
    }
  }

  /// Sends what is queued, then ends.
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

  /// Ends at the end of the turn, without sending anything more.
  func abort(_ reason: StreamClosure) {
    guard isOpen else { return }
    flags.insert(.aborted)
    ending = Ending(reason)
    plain.clear(shared.pool)
    scheduleTurnEnd()
  }

  /// Sends close_notify after everything else and ends.
  func concludeClosing() {
    let reason = ending?.reason ?? .local
    switch reason {
    case .tlsFailed: finish(reason, lingers: true)
    default:
      if let tls {
        shared.clearOutput()
        tls.end()
        // Without room in the socket the peer misses its close_notify, and nothing else.
        _ = unsafe Socket.write(descriptor, shared.output)
      }
      finish(reason, lingers: reason == .local)
    }
  }

  /// Releases everything and notifies the handler, once.
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
    // Closing with unread input would reset the connection and might destroy the last output.
    Socket.finishWriting(descriptor)
    state = .lingering
    flags.remove(.waitsForWritable)
    updateInterests()
    setTimer(nil, Limits.lingerNanoseconds)
  }

  /// Called by the loop: closes the descriptor, even if the stream is still referenced; its handler hears
  /// nothing of it.
  public func loopEnded() {
    handler = nil
    registration = nil
    timer = nil
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
    acceptedFrom?.place = nil
    state = .closed
  }

  func closeDescriptor() {
    cancelTimer()
    if let registration { loop.deregister(registration) }
    registration = nil
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
    acceptedFrom?.place = nil
    state = .closed
  }
}
