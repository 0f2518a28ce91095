import BelfryWire
import System
import Transport

/// Slow peers and what they may hold: a request that does not come to its end is answered with
/// `IdleTimeout`, and its connection ends; so does one that does not read, or holds too much.
extension ProviderConnection: TimerTarget {
  func startIdleTimer() {
    opened = home.loop.nowNanoseconds
    heard = opened
    asked = opened
    scheduleLook()
  }

  private func scheduleLook() {
    idleTimer = home.loop.schedule(
      afterNanoseconds: Limits.idleLookNanoseconds, self, tag: 0)
  }

  func stopIdleTimer() {
    if let idleTimer { home.loop.cancel(idleTimer) }
    idleTimer = nil
    home.providerMemory.changeHeld(from: heldBytes, to: 0)
    heldBytes = 0
    setUnsentBytes(0)
  }

  func timerFired(tag: UInt64) {
    idleTimer = nil
    guard let session, let stream, !isClosing else { return }
    let now = home.loop.nowNanoseconds
    setUnsentBytes(stream.pendingOutputBytes)
    accountMemory()
    endOverdueRequests(now)
    let facts = IdlePolicy.Facts(
      opened: opened, heard: heard, asked: asked, hasFrames: session.hasFrames,
      isTrusted: hasAcceptedRequest, openStreams: session.openStreams,
      stalledAnswers: max(0, session.openStreams - streams.count),
      endedStreams: session.endedStreams, unsentBytes: stream.pendingOutputBytes,
      sentBytes: stream.bytesOut)
    switch idlePolicy.look(facts, at: now) {
    case .wait: break
    case .idle: leave(.idleTimeout, code: HTTP2ErrorCode.noError)
    case .stalled: leave(.idleTimeout, code: HTTP2ErrorCode.enhanceYourCalm)
    case .unresponsive:
      home.log.info(
        "closing a provider connection that reads nothing", ["peer": stream.peerDescription])
      isClosing = true
      stream.close(afterFlush: false)
    }
    scheduleLook()
  }

  /// The rest of the connection's requests is still answered.
  private func endOverdueRequests(_ now: Int64) {
    var overdue: [Int32] = []
    streams.forEach { open in
      if !open.isJudged, now - open.began >= Limits.providerRequestNanoseconds {
        overdue.append(open.streamID)
      }
    }
    guard !overdue.isEmpty else { return }
    home.log.info(
      "a provider's requests did not come to their end in time",
      ["peer": stream?.peerDescription ?? "", "requests": "\(overdue.count)"])
    for streamID in overdue { refuse(streamID, .idleTimeout) }
    isDraining = true
    sendGoAway(.idleTimeout)
  }

  /// Ends the connection with a word; what was accepted is already safe.
  private func leave(_ rejection: Rejection, code: UInt32) {
    sendGoAway(rejection, code: code)
    isClosing = true
  }

  // MARK: What unfinished requests hold

  /// Accounts for what unfinished requests hold, once enough has come that it may be too much; a field may
  /// come as one byte that the compression knows, so requests count too.
  func checkMemoryIfDue() {
    guard
      unaccountedBytes >= Limits.accountAfterBytes
        || unaccountedRequests >= Limits.accountAfterRequests
    else { return }
    accountMemory()
    let most =
      hasAcceptedRequest ? Limits.providerHeldBytesMax : Limits.strangerHeldBytesMax
    let isShare = heldBytes > Limits.loopHeldShareBytes
    guard heldBytes > most || isShare && home.providerMemory.isHeldTooMuch else {
      return
    }
    guard !isClosing else { return }
    home.log.info(
      "closing a provider connection whose unfinished requests hold too much",
      ["peer": stream?.peerDescription ?? "", "bytes": "\(heldBytes)"])
    leave(.tooManyRequests, code: HTTP2ErrorCode.enhanceYourCalm)
  }

  private func accountMemory() {
    unaccountedBytes = 0
    unaccountedRequests = 0
    var bytes = 0
    streams.forEach { if !$0.isJudged { bytes += $0.heldBytes } }
    home.providerMemory.changeHeld(from: heldBytes, to: bytes)
    heldBytes = bytes
  }

  /// Accounts for what waits for the peer now.
  func setUnsentBytes(_ bytes: Int) {
    home.providerMemory.changeUnsent(from: unsentBytes, to: bytes)
    unsentBytes = bytes
  }
}
