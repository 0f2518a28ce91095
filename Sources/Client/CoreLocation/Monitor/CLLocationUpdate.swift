import Foundation

/// Where the device is, or why that is not known.
public struct CLLocationUpdate: Sendable {
  /// Where it is; nil when that is not known.
  public let location: CLLocation?

  /// Whether it stands still: never said on this system.
  public var stationary: Bool { false }

  /// Whether it stands still: never said on this system.
  public var isStationary: Bool { false }

  /// Whether the user has forbidden it.
  public let authorizationDenied: Bool

  /// Whether the user is being asked.
  public let authorizationRequestInProgress: Bool

  /// What the positions are for; without effect.
  public enum LiveConfiguration: Int, Sendable {
    /// Nothing in particular.
    case `default` = 0
    /// Driving.
    case automotiveNavigation = 1
    /// Another way of travelling on the ground.
    case otherNavigation = 2
    /// Sport.
    case fitness = 3
    /// Flying.
    case airborne = 4
  }

  /// Positions from now on, until the loop ends.
  public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
    Updates()
  }

  /// Positions as they come.
  public struct Updates: AsyncSequence, Sendable {
    /// What a loop gets.
    public typealias Element = CLLocationUpdate

    /// Gives the positions.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var updates: AsyncStream<CLLocationUpdate>.Iterator

      /// Waits for the next position; nil when the task was cancelled.
      public mutating func next() async throws -> CLLocationUpdate? { await updates.next() }
    }

    /// Begins to report positions.
    public func makeAsyncIterator() -> AsyncIterator {
      let (stream, continuation) = AsyncStream.makeStream(of: CLLocationUpdate.self)
      let reporter = Task { @MainActor in LiveReporter(continuation) }
      continuation.onTermination = { _ in
        Task { @MainActor in await reporter.value.stop() }
      }
      return AsyncIterator(updates: stream.makeAsyncIterator())
    }
  }
}

/// A location manager that reports to a sequence, on the main thread.
@MainActor
private final class LiveReporter: NSObject, @MainActor CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private let updates: AsyncStream<CLLocationUpdate>.Continuation

  init(_ updates: AsyncStream<CLLocationUpdate>.Continuation) {
    self.updates = updates
    super.init()
    manager.delegate = self
    manager.startUpdatingLocation()
  }

  func stop() {
    manager.stopUpdatingLocation()
    manager.delegate = nil
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for location in locations { report(location) }
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    if manager.authorizationStatus == .denied { report(nil) }
  }

  private func report(_ location: CLLocation?) {
    let status = manager.authorizationStatus
    updates.yield(
      CLLocationUpdate(
        location: location, authorizationDenied: status == .denied || status == .restricted,
        authorizationRequestInProgress: status == .notDetermined))
  }
}
