public import Foundation

/// A circle on the Earth's surface.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
  private let middle: CLLocationCoordinate2D
  private let distance: CLLocationDistance

  /// A circle around `center` of `radius` metres.
  public init(
    center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String
  ) {
    middle = center
    distance = radius
    super.init(name: identifier)
  }

  /// The centre of the circle.
  open override var center: CLLocationCoordinate2D { middle }

  /// The radius in metres.
  open override var radius: CLLocationDistance { distance }

  /// Whether the coordinate lies in the circle or on its edge.
  open override func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
    middle.distance(to: coordinate) <= distance
  }

  /// The region's fields, for a log.
  open override var description: String { RegionDescription.circle(self, middle, distance) }

  /// A copy with the same switches.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CLCircularRegion(center: middle, radius: distance, identifier: identifier)
    copy.notifyOnEntry = notifyOnEntry
    copy.notifyOnExit = notifyOnExit
    return copy
  }

  /// Reads an archived region; nil when the archive has none.
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
