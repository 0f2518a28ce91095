public import Foundation

/// Something that a monitor watches.
public protocol CLCondition: Sendable {}

extension CLMonitor {
  /// A circle on the Earth's surface.
  public struct CircularGeographicCondition: CLCondition, Hashable {
    /// The centre.
    public let center: CLLocationCoordinate2D
    /// Metres.
    public let radius: CLLocationDistance

    /// A circle.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      self.center = center
      self.radius = radius
    }

    /// Whether two circles are the same.
    public static func == (one: Self, other: Self) -> Bool {
      one.center.latitude == other.center.latitude
        && one.center.longitude == other.center.longitude && one.radius == other.radius
    }

    /// Takes the circle into a hash.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(center.latitude)
      hasher.combine(center.longitude)
      hasher.combine(radius)
    }
  }

  /// The surroundings of Bluetooth beacons.
  public struct BeaconIdentityCondition: CLCondition, Hashable {
    /// The identity.
    public let uuid: UUID
    /// The first number; nil for any.
    public let major: CLBeaconMajorValue?
    /// The second number; nil for any.
    public let minor: CLBeaconMinorValue?

    /// Beacons of an identity.
    public init(
      uuid: UUID, major: CLBeaconMajorValue? = nil, minor: CLBeaconMinorValue? = nil
    ) {
      self.uuid = uuid
      self.major = major
      self.minor = major == nil ? nil : minor
    }
  }

  /// What is known of a condition at a moment.
  public struct Event: Sendable {
    /// Whether the condition holds.
    public enum State: Int, Sendable {
      /// Not known yet.
      case unknown = 0
      /// It holds.
      case satisfied = 1
      /// It does not.
      case unsatisfied = 2
      /// It cannot be watched.
      case unmonitored = 3
    }

    /// Which condition.
    public let identifier: String
    /// Which of several that the condition names; nil on this system.
    public let refinement: (any CLCondition)?
    /// Whether the condition holds.
    public let state: State
    /// When that was seen.
    public let date: Date
  }

  /// A condition and what is known of it.
  public struct Record: Sendable {
    /// What is watched.
    public let condition: any CLCondition
    /// What was last seen.
    public internal(set) var lastEvent: Event
  }
}
