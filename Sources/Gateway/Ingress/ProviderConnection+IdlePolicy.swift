import PushWire
import System
import Transport

/// The limits on slow providers.
///
/// The gateway answers a request that doesn't complete in time with `IdleTimeout`, and then closes its connection. It
/// also closes a connection whose client doesn't read, or whose requests hold too much memory.
extension ProviderConnection: TimerTarget {
  func startIdleTimer() {
    opened = front.loop.nowNanoseconds
    lastReceived = opened
    lastRequest = opened
    scheduleIdleCheck()
  }

  private func scheduleIdleCheck() {
    idleTimer = front.loop.schedule(
      afterNanoseconds: Limits.idleCheckNanoseconds, self, tag: 0)
  }

  func stopIdleTimer() {
    if let idleTimer { front.loop.cancel(idleTimer) }
    idleTimer = nil
    front.providerMemory.changeHeld(from: heldBytes, to: 0)
    heldBytes = 0
    setUnsentBytes(0)
  }

  func timerFired(tag: UInt64) {
    idleTimer = nil
    guard let session, let stream, lifecycle.readsInput else { return }
    let now = front.loop.nowNanoseconds
    setUnsentBytes(stream.pendingOutputBytes)
    accountMemory()
    endOverdueRequests(now)
    forgiveErrors()
    let facts = IdlePolicy.Facts(
      opened: opened, lastReceived: lastReceived, lastRequest: lastRequest,
      hasFrames: session.hasFrames,
      hasAcceptedRequest: hasAcceptedRequest, openStreams: session.openStreams,
      stalledAnswers: max(0, session.openStreams - streams.count),
      endedStreams: session.endedStreams, unsentBytes: stream.pendingOutputBytes,
      sentBytes: stream.bytesOut)
    switch idlePolicy.evaluate(facts, at: now) {
    case .wait: break
    case .idle: expel(.idleTimeout, code: HTTP2ErrorCode.noError)
    case .stalled: expel(.idleTimeout, code: HTTP2ErrorCode.enhanceYourCalm)
    case .unresponsive:
      front.log.info(
        "closing a provider connection that does not read its responses",
        ["peer": stream.peerDescription])
      abandon()
    }
    scheduleIdleCheck()
  }

  /// Refuses requests that take too long; the connection's other requests are still answered.
  private func endOverdueRequests(_ now: Int64) {
    var overdue: [Int32] = []
    streams.forEach { open in
      if !open.isDecided, now - open.began >= Limits.providerRequestNanoseconds {
        overdue.append(open.streamID)
      }
    }
    guard !overdue.isEmpty else { return }
    front.log.info(
      "a provider's requests were not completed in time",
      ["peer": stream?.peerDescription ?? "", "requests": "\(overdue.count)"])
    for streamID in overdue {
      if let open = streams[streamID], isAboutWebPush(open) {
        refuseIncomplete(open)
      } else {
        refuse(streamID, .idleTimeout)
      }
    }
    leave(.idleTimeout)
  }

  // MARK: Memory of unfinished requests

  /// Recounts the memory of unfinished requests after a certain number of bytes or requests, and closes the connection
  /// if they hold too much.
  ///
  /// The number of requests matters too, because header compression can shrink a long field to one byte.
  func checkMemoryIfDue() {
    guard
      unaccountedBytes >= Limits.memoryCheckBytes
        || unaccountedRequests >= Limits.memoryCheckRequests
    else { return }
    accountMemory()
    let most =
      hasAcceptedRequest ? Limits.providerHeldBytesMax : Limits.newConnectionHeldBytesMax
    let isShare = heldBytes > Limits.providerHeldShareBytes
    guard heldBytes > most || isShare && front.providerMemory.isHeldTooMuch else {
      return
    }
    guard lifecycle.readsInput else { return }
    front.log.info(
      "closing a provider connection whose incomplete requests use too much memory",
      ["peer": stream?.peerDescription ?? "", "bytes": "\(heldBytes)"])
    expel(.tooManyRequests, code: HTTP2ErrorCode.enhanceYourCalm)
  }

  private func accountMemory() {
    unaccountedBytes = 0
    unaccountedRequests = 0
    var bytes = 0
    streams.forEach { if !$0.isDecided { bytes += $0.heldBytes } }
    front.providerMemory.changeHeld(from: heldBytes, to: bytes)
    heldBytes = bytes
  }

  /// Updates the number of bytes that wait for the peer to read them.
  func setUnsentBytes(_ bytes: Int) {
    front.providerMemory.changeUnsent(from: unsentBytes, to: bytes)
    unsentBytes = bytes
  }
}
