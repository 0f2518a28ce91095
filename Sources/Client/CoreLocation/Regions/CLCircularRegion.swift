public import Foundation

/// A circular region on the Earth's surface.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
  private let middle: CLLocationCoordinate2D
  private let distance: CLLocationDistance

  /// Creates a circular region around `center` with a radius of `radius` meters.
  public init(
    center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String
  ) {
    middle = center
    distance = radius
    super.init(name: identifier)
  }

  /// The center of the circle.
  open override var center: CLLocationCoordinate2D { middle }

  /// The radius of the circle in meters.
  open override var radius: CLLocationDistance { distance }

  /// Returns whether the coordinate is inside the circle or on its boundary.
  open override func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
    middle.distance(to: coordinate) <= distance
  }

  /// A description of the region's fields, for logs.
  open override var description: String { RegionDescription.circle(self, middle, distance) }

  /// Returns a copy with the same notification options.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CLCircularRegion(center: middle, radius: distance, identifier: identifier)
    copy.notifyOnEntry = notifyOnEntry
    copy.notifyOnExit = notifyOnExit
    return copy
  }

  /// Creates a region from an archive; nil if the archive does not contain one.
  public required init?(coder: NSCoder) {
    middle = CLLocationCoordinate2D(
      latitude: coder.decodeDouble(forKey: "latitude"),
      longitude: coder.decodeDouble(forKey: "longitude"))
    distance = coder.decodeDouble(forKey: "radius")
    super.init(coder: coder)
  }

  /// Writes the region to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(middle.latitude, forKey: "latitude")
    coder.encode(middle.longitude, forKey: "longitude")
    coder.encode(distance, forKey: "radius")
  }
}
