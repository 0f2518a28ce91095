/// A latitude or longitude in degrees, based on WGS 84.
public typealias CLLocationDegrees = Double

/// A distance in meters along the Earth's surface, or a radius.
public typealias CLLocationDistance = Double

/// The radius of uncertainty of a location, in meters; negative if the value is invalid.
public typealias CLLocationAccuracy = Double

/// A speed in meters per second; negative if unknown.
public typealias CLLocationSpeed = Double

/// The uncertainty of a speed, in meters per second.
public typealias CLLocationSpeedAccuracy = Double

/// A direction in degrees clockwise from true north; negative if unknown.
public typealias CLLocationDirection = Double

/// The uncertainty of a direction, in degrees.
public typealias CLLocationDirectionAccuracy = Double

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The best accuracy for turn-by-turn navigation, which also uses data from other sensors.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The best accuracy that the machine provides.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Accuracy to within ten meters.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Accuracy to within a hundred meters.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Accuracy to within one kilometer.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Accuracy to within three kilometers.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3_000

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The accuracy for an app that does not have permission for precise locations.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_380_000

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A filter that reports every change of heading, however small.
public let kCLHeadingFilterNone: CLLocationDegrees = -1

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A filter that reports every movement, however small.
public let kCLDistanceFilterNone: CLLocationDistance = -1

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The largest distance that can be represented.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
