/// Whether a connection that owes answers still lives: asked by PING once it is silent for long.
struct Liveness {
  /// What to do when the time has come.
  enum Check: Equatable {
    /// Nothing is owed: no further check until a request is sent.
    case rest
    /// Look again at this moment.
    case again(at: Int64)
    /// Send a PING and look again at this moment.
    case ping(thenAt: Int64)
    /// The connection is dead.
    case dead
  }

  private var heardAt: Int64
  private var pingedAt: Int64?

  init(now: Int64) { self.heardAt = now }

  /// Bytes have come from the service.
  mutating func heard(now: Int64) {
    heardAt = now
    pingedAt = nil
  }

  /// When to look first after a request was sent on a connection that owed nothing.
  mutating func requestSent(now: Int64) -> Int64 {
    heardAt = max(heardAt, now)
    return heardAt + Limits.silenceNanoseconds
  }

  /// What to do now.
  mutating func check(now: Int64, owesAnswers: Bool) -> Check {
    guard owesAnswers else { return .rest }
    if let pingedAt {
      let end = pingedAt + Limits.pingNanoseconds
      return now >= end ? .dead : .again(at: end)
    }
    let end = heardAt + Limits.silenceNanoseconds
    guard now >= end else { return .again(at: end) }
    pingedAt = now
    return .ping(thenAt: now + Limits.pingNanoseconds)
  }
}
