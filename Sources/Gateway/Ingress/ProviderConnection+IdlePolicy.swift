import BelfryWire
import System
import Transport

/// Slow peers and what they may hold: a request that does not come to its end is answered with
/// `IdleTimeout`, and its connection ends; so does one that does not read, or holds too much.
extension ProviderConnection: TimerTarget {
  func beginPatience() {
    opened = home.loop.nowNanoseconds
    heard = opened
    asked = opened
    lookLater()
  }

  private func lookLater() {
    patienceTimer = home.loop.schedule(
      afterNanoseconds: Limits.patienceLookNanoseconds, self, tag: 0)
  }

  func endPatience() {
    if let patienceTimer { home.loop.cancel(patienceTimer) }
    patienceTimer = nil
    home.heldRequestBytes -= heldBytes
    heldBytes = 0
    noteUnsent(0)
  }

  func timerFired(tag: UInt64) {
    patienceTimer = nil
    guard let session, let stream, !isClosing else { return }
    let now = home.loop.nowNanoseconds
    noteUnsent(stream.pendingOutputBytes)
    accountMemory()
    endOverdueRequests(now)
    let facts = IdlePolicy.Facts(
      opened: opened, heard: heard, asked: asked, hasFrames: session.hasFrames,
      isTrusted: hasAcceptedRequest, openStreams: session.openStreams,
      stalledAnswers: max(0, session.openStreams - streams.count),
      endedStreams: session.endedStreams, unsentBytes: stream.pendingOutputBytes,
      sentBytes: stream.bytesOut)
    switch patience.look(facts, at: now) {
    case .wait: break
    case .idle: leave(.idleTimeout, code: HTTP2ErrorCode.noError)
    case .stalled: leave(.idleTimeout, code: HTTP2ErrorCode.enhanceYourCalm)
    case .unresponsive:
      home.log.info(
        "closing a provider connection that reads nothing", ["peer": stream.peerDescription])
      isClosing = true
      stream.close(afterFlush: false)
    }
    lookLater()
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

  /// Weighs what unfinished requests hold, once enough has come that it may be too much; a field may
  /// come as one byte that the compression knows, so requests count too.
  func weighIfDue() {
    guard unweighedBytes >= Limits.weighAfterBytes || unweighedRequests >= Limits.weighAfterRequests
    else { return }
    accountMemory()
    let most =
      hasAcceptedRequest ? Limits.providerHeldBytesMax : Limits.strangerHeldBytesMax
    let isPart = heldBytes > Limits.loopHeldShareBytes
    guard heldBytes > most || isPart && home.heldRequestBytes > Limits.loopHeldBytesMax else {
      return
    }
    guard !isClosing else { return }
    home.log.info(
      "closing a provider connection whose unfinished requests hold too much",
      ["peer": stream?.peerDescription ?? "", "bytes": "\(heldBytes)"])
    leave(.tooManyRequests, code: HTTP2ErrorCode.enhanceYourCalm)
  }

  private func accountMemory() {
    unweighedBytes = 0
    unweighedRequests = 0
    var bytes = 0
    streams.forEach { if !$0.isJudged { bytes += $0.heldBytes } }
    home.heldRequestBytes += bytes - heldBytes
    heldBytes = bytes
  }

  /// Bytes that may wait for this peer before it is not read from any more.
  var unsentBytesMax: Int {
    home.unsentProviderBytes > Limits.loopOutputBytesMax
      ? Limits.providerOutputShareBytes : Limits.providerOutputBytesMax
  }

  /// Notes what waits for the peer now.
  func noteUnsent(_ bytes: Int) {
    home.unsentProviderBytes += bytes - unsentBytes
    unsentBytes = bytes
  }
}
