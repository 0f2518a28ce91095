import BelfryWire
import System

/// The start of the desktop's notification server by the session bus.
///
/// Some servers, such as MATE's, are not started at login and exit when they show nothing. The bus starts them when a
/// program needs them (linux-parts 1).
final class ServerStarter {
  private static let driver = "org.freedesktop.DBus"

  private let name: String
  private let bus: BusConnection
  private let graceNanoseconds: Int64
  private let log: Log
  private var state: State
  /// True if a service file for the server is installed.
  private(set) var isPossible = false
  /// The reason that the last start failed; nil once a server is running.
  private(set) var problem: String?
  /// Called when a requested start has failed.
  var onFailure: () -> Void = {}

  private enum State {
    /// No start is requested. The next request waits until the monotonic time `notBefore`.
    case idle(notBefore: Int64)
    /// A start is requested, and no server is running yet.
    case requested
    /// A start has failed. Requests are refused until the monotonic time `until`.
    case failed(until: Int64)
    /// A server is running.
    case running
  }

  /// Creates a starter of the service that owns `name`.
  ///
  /// For `graceNanoseconds` after the creation and after the loss of a server, the starter waits for a server that the
  /// desktop itself starts.
  init(
    of name: String, on bus: BusConnection, graceNanoseconds: Int64, log: Log
  ) throws(BusFailure) {
    assert(graceNanoseconds >= 0, "a grace period is not negative")
    self.name = name
    self.bus = bus
    self.graceNanoseconds = graceNanoseconds
    self.log = log
    state = .idle(notBefore: SystemClock.monotonicNanoseconds + graceNanoseconds)
    try bus.match(
      "type='signal',sender='\(Self.driver)',interface='\(Self.driver)',"
        + "member='ActivatableServicesChanged'"
    ) { [weak self] message in
      if message.member == "ActivatableServicesChanged" { self?.findService() }
    }
    findService()
  }

  private func findService() {
    bus.callDriver("ListActivatableNames") { [weak self] result in
      guard let self, case .success(let values) = result else { return }
      self.isPossible =
        values.first?.stringsValue?.contains { $0.hasSameBytes(as: self.name) } == true
    }
  }

  /// Has the bus start a server, after the grace period.
  ///
  /// Returns false if no server can be started, or if a start has just failed.
  func requestStart() -> Bool {
    guard isPossible else { return false }
    let now = SystemClock.monotonicNanoseconds
    switch state {
    case .idle(let notBefore):
      state = .requested
      bus.after(max(0, notBefore - now)) { [weak self] in self?.start() }
      return true
    case .requested: return true
    case .failed(let end) where now < end: return false
    case .failed:
      state = .requested
      start()
      return true
    case .running: return false
    }
  }

  /// Handles a server that has appeared or disappeared.
  func ownerChanged(isThere: Bool) {
    guard isThere else {
      state = .idle(notBefore: SystemClock.monotonicNanoseconds + graceNanoseconds)
      return
    }
    state = .running
    problem = nil
  }

  private func start() {
    // A server might have appeared in the meantime.
    guard case .requested = state else { return }
    bus.startService(name) { [weak self] result in
      guard let self, case .failure(let failure) = result, case .requested = self.state else {
        return
      }
      self.failed("\(failure)")
    }
  }

  private func failed(_ why: String) {
    state = .failed(until: SystemClock.monotonicNanoseconds + Limits.serverRetryNanoseconds)
    if problem == nil {
      log.warning("the session bus could not start the notification server", ["why": why])
    }
    problem = why
    onFailure()
  }
}
