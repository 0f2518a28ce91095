import BelfryWire

/// The number of a client's connection, in the order of opening.
struct ConnectionNumber: Hashable, Comparable {
  let value: UInt64

  static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}

/// The lifecycle of the one connection that a client sends on: opened when a request waits, kept for
/// hours, drained after GOAWAY, reopened with exponential back-off.
///
/// A draining connection is no longer part of this; its owner keeps it for the answers still to come.
struct ConnectionLifecycle: ~Copyable {
  /// An open connection.
  private struct Open {
    let number: ConnectionNumber
    /// Concurrent requests that the service's SETTINGS allow.
    var limit: Int
    var unanswered = 0
    /// Whether it has accepted or answered a request: one that never has counts as failed.
    var hasServed = false
    /// Whether it was opened before a request waited, and has had none: a service may end it, and that predicts nothing.
    var isEarly: Bool
    let failuresBefore: Int
  }

  /// The back-off before the next connection.
  private struct Pause {
    let until: Int64
    let failures: Int

    init(failures: Int, now: Int64, jitter: UInt64) {
      assert(failures > 0, "only a failure makes the next connection wait")
      let backoff = Backoff(
        firstNanoseconds: Limits.reconnectPauseNanoseconds,
        longestNanoseconds: Limits.reconnectPauseNanosecondsMax)
      let pause = backoff.nanoseconds(afterFailures: failures, random: jitter)
      let (until, overflow) = now.addingReportingOverflow(pause)
      self.until = overflow ? .max : until
      self.failures = failures
    }

    /// The back-off after `open`; none where it has served, since its end predicts nothing.
    init?(after open: Open, now: Int64, jitter: UInt64) {
      guard !open.hasServed, !open.isEarly else { return nil }
      self.init(failures: open.failuresBefore + 1, now: now, jitter: jitter)
    }

    var endAction: EndAction { failures >= Limits.connectFailuresMax ? .failWaiting : .reconnect }
  }

  private enum State: ~Copyable {
    case absent
    case connecting(ConnectionNumber, failures: Int, isEarly: Bool)
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

  /// What to do for a waiting request.
  enum WaitingAction: Equatable {
    /// Open this connection.
    case connect(ConnectionNumber)
    /// Send the request on this connection, where it now counts as unanswered.
    case send(ConnectionNumber)
    /// Nothing until an event.
    case wait
    /// Nothing until this moment, in monotonic nanoseconds.
    case waitUntil(Int64)
  }

  /// Decides what to do for a waiting request.
  mutating func requestWaits(now: Int64) -> WaitingAction { advance(now: now, isEarly: false) }

  private mutating func advance(now: Int64, isEarly: Bool) -> WaitingAction {
    let number = nextNumber
    switch consume state {
    case .absent:
      self = .init(
        .connecting(ConnectionNumber(value: number), failures: 0, isEarly: isEarly),
        nextNumber: number + 1)
      return .connect(ConnectionNumber(value: number))
    case .connecting(let connection, let failures, let wasEarly):
      self = .init(
        .connecting(connection, failures: failures, isEarly: wasEarly && isEarly),
        nextNumber: number)
      return .wait
    case .open(var open):
      let hasRoom = open.unanswered < open.limit
      if hasRoom { open.unanswered += 1 }
      open.isEarly = false
      let connection = open.number
      self = .init(.open(open), nextNumber: number)
      return hasRoom ? .send(connection) : .wait
    case .pausing(let pause):
      guard now >= pause.until else {
        self = .init(.pausing(pause), nextNumber: number)
        return .waitUntil(pause.until)
      }
      self = .init(
        .connecting(
          ConnectionNumber(value: number), failures: pause.failures, isEarly: isEarly),
        nextNumber: number + 1)
      return .connect(ConnectionNumber(value: number))
    case .closed:
      self = .init(.closed, nextNumber: number)
      return .wait
    }
  }

  /// Begins a connection before a request waits; nil where there is one, or a pause is not over.
  mutating func connect(now: Int64) -> ConnectionNumber? {
    switch state {
    case .absent: break
    case .pausing(let pause): guard now >= pause.until else { return nil }
    case .connecting: return nil
    case .open: return nil
    case .closed: return nil
    }
    guard case .connect(let number) = advance(now: now, isEarly: true) else {
      preconditionFailure("without a connection a request begins one")
    }
    return number
  }

  /// Handles the service's first SETTINGS, which allow `limit` concurrent requests.
  ///
  /// Returns false where the connection is no longer needed and should be closed.
  mutating func opened(_ number: ConnectionNumber, limit: Int) -> Bool {
    let next = nextNumber
    switch consume state {
    case .connecting(number, let failures, let isEarly):
      self = .init(
        .open(
          Open(
            number: number, limit: Self.bounded(limit), isEarly: isEarly, failuresBefore: failures)),
        nextNumber: next)
      return true
    case let other:
      self = .init(other, nextNumber: next)
      return false
    }
  }

  /// Handles a new limit of concurrent requests.
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

  /// Handles the end of a request on this connection, with or without an answer.
  mutating func finished(on number: ConnectionNumber, answered: Bool) {
    let next = nextNumber
    switch consume state {
    case .open(var open) where open.number == number:
      assert(open.unanswered > 0, "only a request that was sent can end")
      open.unanswered -= 1
      open.hasServed = open.hasServed || answered
      self = .init(.open(open), nextNumber: next)
    case let other:
      self = .init(other, nextNumber: next)
    }
  }

  /// Records that the service has accepted requests on a connection, before it answers them.
  mutating func served(on number: ConnectionNumber) {
    let next = nextNumber
    switch consume state {
    case .open(var open) where open.number == number:
      assert(open.unanswered > 0, "an accepted request is still unanswered")
      open.hasServed = true
      self = .init(.open(open), nextNumber: next)
    case let other:
      self = .init(other, nextNumber: next)
    }
  }

  /// What to do after the end of a connection.
  enum EndAction: Equatable {
    /// Open another when a request waits.
    case reconnect
    /// Fail the waiting requests: too many connections in a row have failed.
    case failWaiting
  }

  /// Handles a connection that accepts no further request, after GOAWAY or by the client's choice.
  mutating func left(_ number: ConnectionNumber, now: Int64, jitter: UInt64) -> EndAction {
    let next = nextNumber
    switch consume state {
    case .open(let open) where open.number == number:
      guard let pause = Pause(after: open, now: now, jitter: jitter) else {
        self = .init(.absent, nextNumber: next)
        return .reconnect
      }
      self = .init(.pausing(pause), nextNumber: next)
      return pause.endAction
    case let other:
      self = .init(other, nextNumber: next)
      return .reconnect
    }
  }

  /// Handles the end of a connection, also of one that was never established.
  mutating func ended(_ number: ConnectionNumber, now: Int64, jitter: UInt64) -> EndAction {
    let next = nextNumber
    switch consume state {
    case .connecting(number, let failures, _):
      let pause = Pause(failures: failures + 1, now: now, jitter: jitter)
      self = .init(.pausing(pause), nextNumber: next)
      return pause.endAction
    case .open(let open) where open.number == number:
      guard let pause = Pause(after: open, now: now, jitter: jitter) else {
        self = .init(.absent, nextNumber: next)
        return .reconnect
      }
      self = .init(.pausing(pause), nextNumber: next)
      return pause.endAction
    case let other:
      self = .init(other, nextNumber: next)
      return .reconnect
    }
  }

  /// The open connection and its number of unanswered requests, for checks.
  var openConnection: (number: ConnectionNumber, unanswered: Int)? {
    switch state {
    case .open(let open): (open.number, open.unanswered)
    case .absent: nil
    case .connecting: nil
    case .pausing: nil
    case .closed: nil
    }
  }

  private static func bounded(_ limit: Int) -> Int {
    min(max(limit, 0), Limits.concurrentRequestsMax)
  }

  /// Ends the lifecycle for good.
  mutating func close() { self = .init(.closed, nextNumber: nextNumber) }
}
