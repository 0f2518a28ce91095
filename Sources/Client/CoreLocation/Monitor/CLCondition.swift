public import Foundation

/// A condition that a monitor can evaluate.
public protocol CLCondition: Sendable {}

extension CLMonitor {
  /// A condition that is satisfied while the device is within a circle.
  public struct CircularGeographicCondition: CLCondition, Hashable {
    /// The center of the circle.
    public let center: CLLocationCoordinate2D
    /// The radius of the circle in meters.
    public let radius: CLLocationDistance

    /// Creates a condition from a circle with a radius in meters.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      self.center = center
      self.radius = radius
    }

    /// Returns whether two circles have the same center and radius.
    public static func == (one: Self, other: Self) -> Bool {
      one.center.latitude == other.center.latitude
        && one.center.longitude == other.center.longitude && one.radius == other.radius
    }

    /// Hashes the center and the radius.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(center.latitude)
      hasher.combine(center.longitude)
      hasher.combine(radius)
    }
  }

  /// A condition that is satisfied while Bluetooth beacons with the given identity are near.
  public struct BeaconIdentityCondition: CLCondition, Hashable {
    /// The identity that the beacons share.
    public let uuid: UUID
    /// The major value of the beacons; nil for any.
    public let major: CLBeaconMajorValue?
    /// The minor value of the beacons; nil for any.
    public let minor: CLBeaconMinorValue?

    /// Creates a condition from the identity of beacons.
    public init(
      uuid: UUID, major: CLBeaconMajorValue? = nil, minor: CLBeaconMinorValue? = nil
    ) {
      self.uuid = uuid
      self.major = major
      self.minor = major == nil ? nil : minor
    }
  }

  /// A change in a condition's state.
  public struct Event: Sendable {
    /// The state of a condition.
    public enum State: Int, Sendable {
      /// The state is not known yet.
      case unknown = 0
      /// The condition is satisfied.
      case satisfied = 1
      /// The condition is not satisfied.
      case unsatisfied = 2
      /// The condition cannot be monitored.
      case unmonitored = 3
    }

    /// The identifier of the condition.
    public let identifier: String
    /// A more specific condition that is satisfied; nil on this system.
    public let refinement: (any CLCondition)?
    /// The state of the condition.
    public let state: State
    /// The time at which the state changed.
    public let date: Date
  }

  /// A condition and its last event.
  public struct Record: Sendable {
    /// The condition that is monitored.
    public let condition: any CLCondition
    /// The last event of the condition.
    public internal(set) var lastEvent: Event
  }
}
