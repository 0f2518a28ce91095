// Version numbers that code for iOS 8 to 10 compares with the current version to detect whether newer APIs are
// available.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The version of Foundation.
///
/// The number is higher than any version that apps compare it with, because all newer APIs are available.
public let NSFoundationVersionNumber: Double = 4_000

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The version of Foundation in the last release of iOS 7.
public let NSFoundationVersionNumber_iOS_7_1: Double = 1_047.25

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The version of Foundation in the last release of iOS 8.
public let NSFoundationVersionNumber_iOS_8_x_Max: Double = 1_199

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The version of Foundation in the last release of iOS 9.
public let NSFoundationVersionNumber_iOS_9_x_Max: Double = 1_299
