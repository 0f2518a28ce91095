public import Foundation

/// A position with its accuracy and the moment at which it was measured.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// Where.
  public let coordinate: CLLocationCoordinate2D

  /// Metres above sea level.
  public let altitude: CLLocationDistance

  /// Radius of uncertainty in metres; negative when the coordinate is invalid.
  public let horizontalAccuracy: CLLocationAccuracy

  /// Uncertainty of the altitude in metres; negative when the altitude is invalid.
  public let verticalAccuracy: CLLocationAccuracy

  /// Heading in degrees; negative when unknown.
  public let course: CLLocationDirection

  /// Uncertainty of the heading in degrees; negative when unknown.
  public let courseAccuracy: CLLocationDirectionAccuracy

  /// Metres a second; negative when unknown.
  public let speed: CLLocationSpeed

  /// Uncertainty of the speed in metres a second; negative when unknown.
  public let speedAccuracy: CLLocationSpeedAccuracy

  /// When the position was measured.
  public let timestamp: Date

  /// Where the position comes from; nil unless the app said it.
  public let sourceInformation: CLLocationSourceInformation?

  /// A position measured now, without altitude.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
  }

  /// A position with altitude and accuracy, without movement.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
      verticalAccuracy: vAccuracy, course: -1, speed: -1, timestamp: timestamp)
  }

  /// A position with movement, whose own accuracy is unknown.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
    speed: CLLocationSpeed, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
      verticalAccuracy: vAccuracy, course: course, courseAccuracy: -1, speed: speed,
      speedAccuracy: -1, timestamp: timestamp)
  }

  /// A position with everything that can be measured.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
    courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
    speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
      verticalAccuracy: vAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
      speedAccuracy: speedAccuracy, timestamp: timestamp, source: nil)
  }

  /// A position with everything that can be measured, and with its source.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
    courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
    speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date,
    sourceInfo: CLLocationSourceInformation
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
      verticalAccuracy: vAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
      speedAccuracy: speedAccuracy, timestamp: timestamp, source: sourceInfo)
  }

  private init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
    courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
    speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date, source: CLLocationSourceInformation?
  ) {
    sourceInformation = source
    self.coordinate = coordinate
    self.altitude = altitude
    horizontalAccuracy = hAccuracy
    verticalAccuracy = vAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
    self.timestamp = timestamp
    super.init()
  }

  /// The distance in metres along the Earth's surface, altitude left aside.
  open func distance(from location: CLLocation) -> CLLocationDistance {
    coordinate.distance(to: location.coordinate)
  }

  /// Returns the location itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Locations can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived location; nil when the archive has none.
  public required init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "latitude"), coder.containsValue(forKey: "longitude") else {
      return nil
    }
    coordinate = CLLocationCoordinate2D(
      latitude: coder.decodeDouble(forKey: "latitude"),
      longitude: coder.decodeDouble(forKey: "longitude"))
    altitude = coder.decodeDouble(forKey: "altitude")
    horizontalAccuracy = coder.decodeDouble(forKey: "horizontalAccuracy")
    verticalAccuracy = coder.decodeDouble(forKey: "verticalAccuracy")
    course = coder.decodeDouble(forKey: "course")
    courseAccuracy = coder.decodeDouble(forKey: "courseAccuracy")
    speed = coder.decodeDouble(forKey: "speed")
    speedAccuracy = coder.decodeDouble(forKey: "speedAccuracy")
    timestamp = Date(timeIntervalSince1970: coder.decodeDouble(forKey: "timestamp"))
    sourceInformation = nil
    super.init()
  }

  /// Writes the location to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(coordinate.latitude, forKey: "latitude")
    coder.encode(coordinate.longitude, forKey: "longitude")
    coder.encode(altitude, forKey: "altitude")
    coder.encode(horizontalAccuracy, forKey: "horizontalAccuracy")
    coder.encode(verticalAccuracy, forKey: "verticalAccuracy")
    coder.encode(course, forKey: "course")
    coder.encode(courseAccuracy, forKey: "courseAccuracy")
    coder.encode(speed, forKey: "speed")
    coder.encode(speedAccuracy, forKey: "speedAccuracy")
    coder.encode(timestamp.timeIntervalSince1970, forKey: "timestamp")
  }
}
