public import Foundation

/// A condition that a monitor can evaluate.
public protocol CLCondition: Sendable {}

extension CLMonitor {
  /// The condition that the device is within a circle.
  public struct CircularGeographicCondition: CLCondition, Hashable {
    /// The centre.
    public let center: CLLocationCoordinate2D
    /// The radius in metres.
    public let radius: CLLocationDistance

    /// Creates a condition from a circle.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      self.center = center
      self.radius = radius
    }

    /// Whether two circles are the same.
    public static func == (one: Self, other: Self) -> Bool {
      one.center.latitude == other.center.latitude
        && one.center.longitude == other.center.longitude && one.radius == other.radius
    }

    /// Hashes the circle.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(center.latitude)
      hasher.combine(center.longitude)
      hasher.combine(radius)
    }
  }

  /// The condition that Bluetooth beacons of an identity are near.
  public struct BeaconIdentityCondition: CLCondition, Hashable {
    /// The identity.
    public let uuid: UUID
    /// The major value; nil for any.
    public let major: CLBeaconMajorValue?
    /// The minor value; nil for any.
    public let minor: CLBeaconMinorValue?

    /// Creates a condition from an identity.
    public init(
      uuid: UUID, major: CLBeaconMajorValue? = nil, minor: CLBeaconMinorValue? = nil
    ) {
      self.uuid = uuid
      self.major = major
      self.minor = major == nil ? nil : minor
    }
  }

  /// A change of a condition's state.
  public struct Event: Sendable {
    /// Whether the condition holds.
    public enum State: Int, Sendable {
      /// The state is not known yet.
      case unknown = 0
      /// The condition holds.
      case satisfied = 1
      /// The condition does not hold.
      case unsatisfied = 2
      /// The condition cannot be monitored.
      case unmonitored = 3
    }

    /// The condition's identifier.
    public let identifier: String
    /// A more specific condition that holds; nil on this system.
    public let refinement: (any CLCondition)?
    /// Whether the condition holds.
    public let state: State
    /// The time of the change.
    public let date: Date
  }

  /// A condition and its last event.
  public struct Record: Sendable {
    /// The monitored condition.
    public let condition: any CLCondition
    /// The last event.
    public internal(set) var lastEvent: Event
  }
}
