/// Names one connection of a client, in the order they were opened.
struct ConnectionNumber: Hashable, Comparable {
  let value: UInt64

  static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}

/// The one connection that a client sends on: made when something waits, kept for hours, left when it
/// is told to go away, made again with pauses that double.
///
/// A connection that was left still answers what it has; whoever carries this out keeps it for that.
struct ConnectionLifecycle: ~Copyable {
  /// What a connection that takes requests knows of itself.
  private struct Open {
    let number: ConnectionNumber
    /// Requests at a time: the service's SETTINGS.
    var limit: Int
    var unanswered = 0
    /// Whether it has taken or answered anything: one that never did counts as failed.
    var hasServed = false
    let failuresBefore: Int
  }

  /// A wait before the next connection.
  private struct Pause {
    let until: Int64
    let failures: Int

    init(failures: Int, now: Int64, jitter: UInt64) {
      let pause = Backoff.nanoseconds(
        failures: failures, first: Limits.reconnectPauseNanoseconds,
        longest: Limits.reconnectPauseNanosecondsMax, jitter: jitter)
      let (until, overflow) = now.addingReportingOverflow(pause)
      self.until = overflow ? .max : until
      self.failures = failures
    }

    /// The wait after `open`: none where it served, for its end tells nothing about the next.
    init?(after open: Open, now: Int64, jitter: UInt64) {
      guard !open.hasServed else { return nil }
      self.init(failures: open.failuresBefore + 1, now: now, jitter: jitter)
    }

    var onEnd: OnEnd { failures >= Limits.connectFailuresMax ? .giveUp : .carryOn }
  }

  private enum State: ~Copyable {
    case absent
    case connecting(ConnectionNumber, failures: Int)
    case open(Open)
    case pausing(Pause)
    case closed
  }

  private var state: State
  private var nextNumber: UInt64

  init() { self.init(.absent, nextNumber: 1) }

  private init(_ state: consuming State, nextNumber: UInt64) {
    self.state = state
    self.nextNumber = nextNumber
  }

  /// What a waiting request brings about.
  enum OnWaiting: Equatable {
    /// Open this connection.
    case connect(ConnectionNumber)
    /// Send the request on this one; a place on it is taken.
    case send(ConnectionNumber)
    /// Nothing until an event.
    case rest
    /// Nothing until this moment, in monotonic nanoseconds.
    case restUntil(Int64)
  }

  /// A request waits.
  mutating func requestWaits(now: Int64) -> OnWaiting {
    let number = nextNumber
    switch consume state {
    case .absent:
      self = .init(
        .connecting(ConnectionNumber(value: number), failures: 0), nextNumber: number + 1)
      return .connect(ConnectionNumber(value: number))
    case .connecting(let connection, let failures):
      self = .init(.connecting(connection, failures: failures), nextNumber: number)
      return .rest
    case .open(var open):
      let hasRoom = open.unanswered < open.limit
      if hasRoom { open.unanswered += 1 }
      let connection = open.number
      self = .init(.open(open), nextNumber: number)
      return hasRoom ? .send(connection) : .rest
    case .pausing(let pause):
      guard now >= pause.until else {
        self = .init(.pausing(pause), nextNumber: number)
        return .restUntil(pause.until)
      }
      self = .init(
        .connecting(ConnectionNumber(value: number), failures: pause.failures),
        nextNumber: number + 1)
      return .connect(ConnectionNumber(value: number))
    case .closed:
      self = .init(.closed, nextNumber: number)
      return .rest
    }
  }

  /// The service has greeted with its SETTINGS, which take `limit` requests at a time.
  ///
  /// `false`: the connection is wanted no more and is to be closed.
  mutating func opened(_ number: ConnectionNumber, limit: Int) -> Bool {
    let next = nextNumber
    switch consume state {
    case .connecting(number, let failures):
      self = .init(
        .open(Open(number: number, limit: Self.bounded(limit), failuresBefore: failures)),
        nextNumber: next)
      return true
    case let other:
      self = .init(other, nextNumber: next)
      return false
    }
  }

  /// The service announced how many requests it takes at a time.
  mutating func limited(_ number: ConnectionNumber, to limit: Int) {
    let next = nextNumber
    switch consume state {
    case .open(var open) where open.number == number:
      open.limit = Self.bounded(limit)
      self = .init(.open(open), nextNumber: next)
    case let other:
      self = .init(other, nextNumber: next)
    }
  }

  /// A request on this connection has its answer, or will have none: its place is free.
  mutating func finished(on number: ConnectionNumber, answered: Bool) {
    let next = nextNumber
    switch consume state {
    case .open(var open) where open.number == number:
      open.unanswered = max(0, open.unanswered - 1)
      open.hasServed = open.hasServed || answered
      self = .init(.open(open), nextNumber: next)
    case let other:
      self = .init(other, nextNumber: next)
    }
  }

  /// The service has taken requests on this connection, whose answers are to come.
  mutating func served(on number: ConnectionNumber) {
    let next = nextNumber
    switch consume state {
    case .open(var open) where open.number == number:
      open.hasServed = true
      self = .init(.open(open), nextNumber: next)
    case let other:
      self = .init(other, nextNumber: next)
    }
  }

  /// What the end of a connection brings about.
  enum OnEnd: Equatable {
    /// Another is made when something waits.
    case carryOn
    /// So many failed in a row that what waits should be told.
    case giveUp
  }

  /// The connection takes no further request: it said so (GOAWAY), or the client prefers another.
  mutating func left(_ number: ConnectionNumber, now: Int64, jitter: UInt64) -> OnEnd {
    let next = nextNumber
    switch consume state {
    case .open(let open) where open.number == number:
      guard let pause = Pause(after: open, now: now, jitter: jitter) else {
        self = .init(.absent, nextNumber: next)
        return .carryOn
      }
      self = .init(.pausing(pause), nextNumber: next)
      return pause.onEnd
    case let other:
      self = .init(other, nextNumber: next)
      return .carryOn
    }
  }

  /// The connection ended, or never came about.
  mutating func ended(_ number: ConnectionNumber, now: Int64, jitter: UInt64) -> OnEnd {
    let next = nextNumber
    switch consume state {
    case .connecting(number, let failures):
      let pause = Pause(failures: failures + 1, now: now, jitter: jitter)
      self = .init(.pausing(pause), nextNumber: next)
      return pause.onEnd
    case .open(let open) where open.number == number:
      guard let pause = Pause(after: open, now: now, jitter: jitter) else {
        self = .init(.absent, nextNumber: next)
        return .carryOn
      }
      self = .init(.pausing(pause), nextNumber: next)
      return pause.onEnd
    case let other:
      self = .init(other, nextNumber: next)
      return .carryOn
    }
  }

  private static func bounded(_ limit: Int) -> Int {
    min(max(limit, 0), Limits.concurrentRequestsMax)
  }

  /// The client is closed for good.
  mutating func close() { self = .init(.closed, nextNumber: nextNumber) }
}
