public import Foundation

/// An area that can be monitored.
///
/// Circular regions and beacon regions are subclasses.
open class CLRegion: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: the identifier is constant, and as with Apple's class, the two notification options are set before the
  // region is passed to other code.

  /// The app's identifier for the region; another region with the same identifier replaces this one.
  public let identifier: String

  /// A Boolean value that indicates whether entering the region is reported; true by default.
  open var notifyOnEntry = true

  /// A Boolean value that indicates whether leaving the region is reported; true by default.
  open var notifyOnExit = true

  init(name: String) {
    identifier = name
    super.init()
  }

  /// Creates a circular region with the API that preceded `CLCircularRegion`.
  @available(iOS, deprecated: 7.0, message: "Use CLCircularRegion")
  public init(
    circularRegionWithCenter center: CLLocationCoordinate2D, radius: CLLocationDistance,
    identifier: String
  ) {
    self.identifier = identifier
    circle = (center, radius)
    super.init()
  }

  private var circle: (center: CLLocationCoordinate2D, radius: CLLocationDistance)?

  /// The center of a circular region; an invalid coordinate for other regions.
  @available(iOS, deprecated: 7.0, message: "Use CLCircularRegion")
  open var center: CLLocationCoordinate2D { circle?.center ?? kCLLocationCoordinate2DInvalid }

  /// The radius of a circular region in meters; negative for other regions.
  @available(iOS, deprecated: 7.0, message: "Use CLCircularRegion")
  open var radius: CLLocationDistance { circle?.radius ?? -1 }

  /// Returns whether the coordinate is inside a circular region; false for other regions.
  @available(iOS, deprecated: 7.0, message: "Use CLCircularRegion")
  open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
    radius >= 0 && center.distance(to: coordinate) <= radius
  }

  /// A description of the region's fields, for logs.
  open override var description: String {
    circle.map { RegionDescription.circle(self, $0.center, $0.radius) }
      ?? "\(type(of: self)) (identifier:'\(identifier)')"
  }

  /// Returns whether the other region has the same identifier.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLRegion else { return false }
    return identifier == other.identifier
  }

  /// The hash value of the identifier.
  open override var hash: Int { identifier.hashValue }

  /// Returns a copy with the same notification options.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy =
      circle.map {
        CLRegion(circularRegionWithCenter: $0.center, radius: $0.radius, identifier: identifier)
      } ?? CLRegion(name: identifier)
    copy.notifyOnEntry = notifyOnEntry
    copy.notifyOnExit = notifyOnExit
    return copy
  }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates a region from an archive; nil if the archive does not contain one.
  public required init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "identifier") else { return nil }
    identifier = name as String
    notifyOnEntry = coder.decodeBool(forKey: "notifyOnEntry")
    notifyOnExit = coder.decodeBool(forKey: "notifyOnExit")
    if coder.containsValue(forKey: "circleRadius") {
      circle = (
        CLLocationCoordinate2D(
          latitude: coder.decodeDouble(forKey: "circleLatitude"),
          longitude: coder.decodeDouble(forKey: "circleLongitude")),
        coder.decodeDouble(forKey: "circleRadius")
      )
    }
    super.init()
  }

  /// Writes the region to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(identifier as NSString, forKey: "identifier")
    coder.encode(notifyOnEntry, forKey: "notifyOnEntry")
    coder.encode(notifyOnExit, forKey: "notifyOnExit")
    if let circle {
      coder.encode(circle.center.latitude, forKey: "circleLatitude")
      coder.encode(circle.center.longitude, forKey: "circleLongitude")
      coder.encode(circle.radius, forKey: "circleRadius")
    }
  }
}
