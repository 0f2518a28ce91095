internal import BelfryWire
internal import Dispatch
internal import Foundation
internal import Synchronization
internal import System
internal import Transport

/// The progress reports that the watchers of a campaign receive, twice per second until the campaign is finished.
///
/// One thread checks every watched campaign, and exits when the last watcher leaves.
final class CampaignProgress: Sendable {
  /// A function that returns a campaign's status, and throws if the campaign does not exist.
  typealias Status = @Sendable (_ id: String) throws -> JSONObject

  private struct Watched {
    var rate = ProgressRate()
    var last: JSONObject?
    var streams: [HTTP1BodyStream] = []
  }

  private struct State {
    var campaigns: [String: Watched] = [:]
    var isRunning = false
    /// The number of rounds since the last heartbeat, which is written to every stream.
    var quietRounds = 0
  }

  private let status: Status
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Creates a progress reporter that obtains each campaign's status from `status`.
  ///
  /// `now` is a monotonic clock in nanoseconds.
  init(
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds },
    status: @escaping Status
  ) {
    self.now = now
    self.status = status
  }

  /// Returns the status of a campaign as a stream of events.
  ///
  /// The first event is sent immediately.
  func follow(_ id: String) throws -> HTTP1BodyStream {
    let first = try status(id)
    let stream = HTTP1BodyStream()
    let isFirst = state.withLock { state in
      var watched = state.campaigns[id] ?? Watched()
      let object = watched.rate.add(first, at: now())
      stream.write(Self.event(object))
      watched.streams.append(stream)
      state.campaigns[id] = watched
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isFirst { start() }
    return stream
  }

  private func start() {
    Thread.detachNewThread { [self] in
      let never = DispatchSemaphore(value: 0)
      repeat {
        _ = never.wait(timeout: .now() + .nanoseconds(Int(Limits.progressNanoseconds)))
      } while turn()
    }
  }

  /// Sends all changes to the watchers; returns false if no watcher is left.
  func turn() -> Bool {
    let ids = state.withLock { Array($0.campaigns.keys) }
    // Query the status outside the lock, because the store can be slow.
    let found = ids.map { id in (id, try? status(id)) }
    let now = now()
    return state.withLock { state in
      state.quietRounds += 1
      let isHeartbeat = state.quietRounds >= Limits.progressHeartbeatRounds
      if isHeartbeat { state.quietRounds = 0 }
      for (id, status) in found {
        guard var watched = state.campaigns[id] else { continue }
        let object = status.map { watched.rate.add($0, at: now) }
        var bytes: [UInt8] = isHeartbeat ? EventStream.heartbeat : []
        if let object, object != watched.last {
          bytes = Self.event(object)
          watched.last = object
        }
        if !bytes.isEmpty { watched.streams.removeAll { !$0.write(bytes) } }
        if object == nil || object?["state"] == "completed" || object?["state"] == "cancelled" {
          for stream in watched.streams { stream.finish() }
          watched.streams = []
        }
        state.campaigns[id] = watched.streams.isEmpty ? nil : watched
      }
      assert(
        state.campaigns.values.allSatisfy { !$0.streams.isEmpty },
        "every listed campaign is watched")
      state.isRunning = !state.campaigns.isEmpty
      return state.isRunning
    }
  }

  private static func event(_ object: JSONObject) -> [UInt8] {
    var bytes: [UInt8] = []
    EventStream.append(object.bytes, to: &bytes)
    return bytes
  }
}

/// The speed of a campaign over the last few seconds, and the time until it is finished.
struct ProgressRate {
  private var samples: [(nanoseconds: Int64, done: Int64)] = []
  /// True if the campaign had a problem at the last sample.
  private var hadProblem = false

  /// Returns a status with `done`, `perSecond`, and `secondsLeft` added; null if a value is unknown.
  mutating func add(_ status: JSONObject, at now: Int64) -> JSONObject {
    func number(_ key: String) -> Int64 { status[key]?.integerValue ?? 0 }
    let done = number("sent") + number("unknown")
    assert(samples.allSatisfy { $0.nanoseconds <= now }, "the clock does not go backward")
    let isRunning = status["state"] == "running"
    // The rate before a problem says nothing about the rate during the problem, and the reverse.
    let hasProblem = status["problem"]?.stringValue != nil
    if !isRunning || hasProblem != hadProblem { samples = [] }
    hadProblem = hasProblem
    samples.append((now, done))
    samples.removeAll { now - $0.nanoseconds > Limits.progressWindowNanoseconds }
    var status = status
    status["done"] = .integer(done)
    status["perSecond"] = .null
    status["secondsLeft"] = .null
    guard isRunning, let first = samples.first, now > first.nanoseconds else { return status }
    var rate = Double(done - first.done) * 1e9 / Double(now - first.nanoseconds)
    // Outcomes are stored in batches, so a short window can contain more outcomes than the rate limit allows.
    if let limit = status["rate"]?.integerValue { rate = min(rate, Double(limit)) }
    status["perSecond"] = .double((rate * 10).rounded() / 10)
    let left = max(0, number("devices") - done)
    if rate > 0 { status["secondsLeft"] = .integer(Int64((Double(left) / rate).rounded(.up))) }
    return status
  }
}
