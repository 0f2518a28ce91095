/// An angle of latitude or longitude in degrees on WGS 84.
public typealias CLLocationDegrees = Double

/// A distance in metres.
public typealias CLLocationDistance = Double

/// The radius of uncertainty of a position, in metres; negative when the value is invalid.
public typealias CLLocationAccuracy = Double

/// A speed in metres a second; negative when unknown.
public typealias CLLocationSpeed = Double

/// The uncertainty of a speed, in metres a second.
public typealias CLLocationSpeedAccuracy = Double

/// A heading in degrees clockwise from true north; negative when unknown.
public typealias CLLocationDirection = Double

/// The uncertainty of a heading, in degrees.
public typealias CLLocationDirectionAccuracy = Double

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The best accuracy together with other sensors, for turn-by-turn navigation.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The best accuracy that the machine offers.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Within ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Within a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Within a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Within three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3_000

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The accuracy of an app that may not see precise positions.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_380_000

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Reports every turn, however small.
public let kCLHeadingFilterNone: CLLocationDegrees = -1

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Reports every movement, however small.
public let kCLDistanceFilterNone: CLLocationDistance = -1

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The largest distance that can be named.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
