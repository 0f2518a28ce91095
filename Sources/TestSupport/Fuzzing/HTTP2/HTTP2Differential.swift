import Transport

/// A comparison of Belfry's HTTP/2 codec with nghttp2: both read the same bytes, and must do the same.
///
/// The differences that are allowed are in `docs/http2-codec.md`.
public enum HTTP2Differential {
  /// Runs the script that the bytes determine, and returns a description of the first difference, or nil.
  public static func difference(_ bytes: [UInt8]) -> String? {
    let script = HTTP2Script(bytes)
    let oracle = HTTP2Transcript(.nghttp2, answering: script.answering)
    let tested = HTTP2Transcript(.belfry, answering: script.answering)
    for (index, step) in script.steps.enumerated() {
      oracle.run(step)
      tested.run(step)
      tested.session.checkInvariantsForTests()
      let (expected, found) = (oracle.session.failure, tested.session.failure)
      // nghttp2 reads nothing, not even the rest of a frame, after the last stream has closed after a GOAWAY.
      if expected == nil, oracle.session.isFinished { return nil }
      if expected != found {
        let rest = script.steps[(index + 1)...]
        guard isAllowed(oracle, tested, rest) else {
          return "step \(index): failure \(describe(found, tested)), "
            + "but nghttp2 \(describe(expected, oracle))"
        }
        return nil
      }
      if let difference = compare(oracle, tested) { return "step \(index): \(difference)" }
      guard expected == nil else { return nil }
    }
    return nil
  }

  /// Returns the bytes of a script that a seed determines.
  public static func input(seed: UInt64) -> [UInt8] {
    var state = seed
    func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
      return mixed ^ mixed >> 31
    }
    let count = 50 + Int(next() % 1_500)
    var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 13) }
    // Raw bytes and connections without a preface end soon, so few seeds use them.
    if next() % 16 != 0 { bytes[0] &= 0x7d }
    return bytes
  }

  private static func describe(_ code: UInt32?, _ transcript: HTTP2Transcript) -> String {
    code.map { "\($0) (\(transcript.session.failureReason ?? ""))" } ?? "none"
  }

  private static func isAllowed(
    _ oracle: HTTP2Transcript, _ tested: HTTP2Transcript, _ rest: ArraySlice<HTTP2Script.Step>
  ) -> Bool {
    switch (oracle.session.failure, tested.session.failure) {
    case (9, nil):
      // nghttp2 finds an error in a string before the string is complete.
      return beginsNothing(tested, rest)
    case (1, nil) where oracle.session.failureReason == "HEADERS: invalid padding":
      // nghttp2 checks the pad length before the priority has arrived.
      return beginsNothing(tested, rest)
    case (1, nil):
      // nghttp2 also counts the pieces in which the header of a CONTINUATION arrives.
      return oracle.session.failureReason?.hasPrefix("Too many CONTINUATION") == true
    case (nil, 6), (9, 6):
      // nghttp2 doesn't limit the size of CONTINUATION.
      return tested.session.failureReason == "frame larger than SETTINGS_MAX_FRAME_SIZE"
    case (nil, 1):
      // nghttp2 waits for four bytes of the payload.
      return tested.session.failureReason == "PUSH_PROMISE from a client"
    case (nil, 5), (5, nil):
      // A stream may have been answered by one session only.
      return isAmbiguous(oracle, tested)
    default: return false
    }
  }

  /// Runs the remaining steps, and returns true if no further request begins.
  private static func beginsNothing(
    _ tested: HTTP2Transcript, _ rest: ArraySlice<HTTP2Script.Step>
  ) -> Bool {
    let begun = tested.order.count
    for step in rest { tested.run(step) }
    return tested.order.count == begun
  }

  /// Returns true if a session has used the connection's window up, after which the order of sending determines which
  /// stream continues.
  private static func isAmbiguous(_ oracle: HTTP2Transcript, _ tested: HTTP2Transcript) -> Bool {
    oracle.dataBytes >= 65_535 || tested.dataBytes >= 65_535
  }

  private static func compare(_ oracle: HTTP2Transcript, _ tested: HTTP2Transcript) -> String? {
    let hasFailed = oracle.session.failure != nil
    guard tested.order == oracle.order else {
      return "requests \(tested.order), but nghttp2 \(oracle.order)"
    }
    for id in oracle.order {
      guard var expected = oracle.requests[id], var found = tested.requests[id] else { continue }
      if expected.resetCode != nil || found.resetCode != nil || hasFailed {
        // A piece of DATA beyond the window is delivered by nghttp2 only.
        guard expected.body.starts(with: found.body) else { return "body of \(id)" }
        (expected.body, found.body) = ([], [])
      }
      // If the connection ends, the streams need not be closed one by one.
      if hasFailed { (expected.resetCode, found.resetCode) = (nil, nil) }
      guard expected == found else { return "request \(id): \(found), but nghttp2 \(expected)" }
    }
    let isAmbiguous = isAmbiguous(oracle, tested)
    for id in Set(oracle.responses.keys).union(tested.responses.keys) {
      var expected = oracle.responses[id] ?? HTTP2Transcript.Response()
      var found = tested.responses[id] ?? HTTP2Transcript.Response()
      if hasFailed { (expected.resetCodes, found.resetCodes) = ([], []) }
      if isAmbiguous || hasFailed {
        guard expected.body.starts(with: found.body) || found.body.starts(with: expected.body)
        else { return "response body \(id)" }
        (expected.body, found.body) = ([], [])
        (expected.isEnded, found.isEnded) = (false, false)
      }
      guard expected == found else { return "response \(id): \(found), but nghttp2 \(expected)" }
    }
    guard oracle.goAwayCodes == tested.goAwayCodes else {
      return "GOAWAY \(tested.goAwayCodes), but nghttp2 \(oracle.goAwayCodes)"
    }
    guard !hasFailed, !isAmbiguous else { return nil }
    guard oracle.control == tested.control else {
      return "control frames \(tested.control), but nghttp2 \(oracle.control)"
    }
    for id in Set(oracle.credit.keys).union(tested.credit.keys)
    where oracle.requests[id]?.resetCode == nil {
      guard oracle.credit[id] == tested.credit[id] else {
        return "credit \(id): \(tested.credit[id] ?? 0), but nghttp2 \(oracle.credit[id] ?? 0)"
      }
    }
    let (expected, found) = (oracle.session, tested.session)
    guard expected.openStreams == found.openStreams, expected.endedStreams == found.endedStreams,
      expected.isFinished == found.isFinished, expected.hasFrames == found.hasFrames
    else {
      return
        "open \(found.openStreams), ended \(found.endedStreams), finished \(found.isFinished), "
        + "but nghttp2 \(expected.openStreams), \(expected.endedStreams), \(expected.isFinished)"
    }
    return nil
  }
}

extension HTTP2ServerSession {
  /// Checks the invariants of Belfry's codec.
  func checkInvariantsForTests() { (self as? BelfryServerSession)?.checkInvariants() }
}
