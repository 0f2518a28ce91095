import Foundation

/// The device's location, or the reason why it is unavailable.
public struct CLLocationUpdate: Sendable {
  /// The location; nil when it is unavailable.
  public let location: CLLocation?

  /// Whether the device is stationary: false on this system.
  public var stationary: Bool { false }

  /// Whether the device is stationary: false on this system.
  public var isStationary: Bool { false }

  /// Whether the user has denied the location to the app.
  public let authorizationDenied: Bool

  /// Whether the user is being asked for permission.
  public let authorizationRequestInProgress: Bool

  /// The activity that the updates are for; without effect.
  public enum LiveConfiguration: Int, Sendable {
    /// No particular activity.
    case `default` = 0
    /// Driving.
    case automotiveNavigation = 1
    /// Another way of travelling on the ground.
    case otherNavigation = 2
    /// Fitness.
    case fitness = 3
    /// Flying.
    case airborne = 4
  }

  /// Updates from now on, until the loop ends.
  public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
    Updates()
  }

  /// A sequence of updates.
  public struct Updates: AsyncSequence, Sendable {
    /// The type of an element.
    public typealias Element = CLLocationUpdate

    /// The sequence's iterator.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var updates: AsyncStream<CLLocationUpdate>.Iterator

      /// Waits for the next update; nil when the task is cancelled.
      public mutating func next() async throws -> CLLocationUpdate? { await updates.next() }
    }

    /// Starts location updates and creates an iterator over them.
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
