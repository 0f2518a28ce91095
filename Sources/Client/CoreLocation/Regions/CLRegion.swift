public import Foundation

/// An area that can be watched: its circular and beacon forms are subclasses.
open class CLRegion: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: the name is constant, and the two switches are set before the region is handed over,
  // as with Apple's class.

  /// The app's name for the region; a region of the same name replaces it.
  public let identifier: String

  /// Whether coming in is reported; true unless changed.
  open var notifyOnEntry = true

  /// Whether going out is reported; true unless changed.
  open var notifyOnExit = true

  init(name: String) {
    identifier = name
    super.init()
  }

  /// A circular region: the form before `CLCircularRegion`.
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

  /// The centre of a circular region; an invalid coordinate for any other.
  @available(iOS, deprecated: 7.0, message: "Use CLCircularRegion")
  open var center: CLLocationCoordinate2D { circle?.center ?? kCLLocationCoordinate2DInvalid }

  /// The radius of a circular region in metres; negative for any other.
  @available(iOS, deprecated: 7.0, message: "Use CLCircularRegion")
  open var radius: CLLocationDistance { circle?.radius ?? -1 }

  /// Whether the coordinate lies in a circular region; false for any other.
  @available(iOS, deprecated: 7.0, message: "Use CLCircularRegion")
  open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
    radius >= 0 && center.distance(to: coordinate) <= radius
  }

  /// The region's fields, for a log.
  open override var description: String {
    circle.map { RegionDescription.circle(self, $0.center, $0.radius) }
      ?? "\(type(of: self)) (identifier:'\(identifier)')"
  }

  /// Whether the other region has the same name.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLRegion else { return false }
    return identifier == other.identifier
  }

  /// The hash of the name.
  open override var hash: Int { identifier.hashValue }

  /// A copy with the same switches.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy =
      circle.map {
        CLRegion(circularRegionWithCenter: $0.center, radius: $0.radius, identifier: identifier)
      } ?? CLRegion(name: identifier)
    copy.notifyOnEntry = notifyOnEntry
    copy.notifyOnExit = notifyOnExit
    return copy
  }

  /// Regions can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived region; nil when the archive has none.
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
