import Foundation

/// The device's location, or the reason that it is unavailable.
public struct CLLocationUpdate: Sendable {
  /// The location; nil if it is unavailable.
  public let location: CLLocation?

  /// A Boolean value that indicates whether the device is stationary; always false on this system.
  public var stationary: Bool { false }

  /// A Boolean value that indicates whether the device is stationary; always false on this system.
  public var isStationary: Bool { false }

  /// A Boolean value that indicates whether the permission to use the location is denied or restricted.
  public let authorizationDenied: Bool

  /// A Boolean value that indicates whether the permission is not determined yet.
  public let authorizationRequestInProgress: Bool

  /// The activity for which the app uses updates; the value has no effect.
  public enum LiveConfiguration: Int, Sendable {
    /// The default configuration, without a particular activity.
    case `default` = 0
    /// Navigation in a car.
    case automotiveNavigation = 1
    /// Navigation by other means on the ground.
    case otherNavigation = 2
    /// Fitness activities such as walking or running.
    case fitness = 3
    /// An activity in the air.
    case airborne = 4
  }

  /// Returns a sequence of location updates.
  ///
  /// The updates stop when the loop over the sequence ends.
  public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
    Updates()
  }

  /// An asynchronous sequence of updates.
  public struct Updates: AsyncSequence, Sendable {
    /// The type of the sequence's elements.
    public typealias Element = CLLocationUpdate

    /// The iterator of the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var updates: AsyncStream<CLLocationUpdate>.Iterator

      /// Returns the next update, waiting for it if necessary; returns nil if the task is cancelled.
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

extension CLLocationUpdate {
  /// Creates an update; returns nil if it would contain neither a location nor a reason that the location is
  /// unavailable.
  init?(_ location: CLLocation?, _ status: CLAuthorizationStatus) {
    self.location = location
    authorizationDenied = status == .denied || status == .restricted
    authorizationRequestInProgress = status == .notDetermined
    guard location != nil || authorizationDenied || authorizationRequestInProgress else {
      return nil
    }
  }
}

/// An object that passes the updates of a location manager to a sequence, on the main thread.
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

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { report(nil) }

  private func report(_ location: CLLocation?) {
    guard let update = CLLocationUpdate(location, manager.authorizationStatus) else { return }
    updates.yield(update)
  }
}
