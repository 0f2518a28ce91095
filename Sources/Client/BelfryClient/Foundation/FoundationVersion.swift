// What code of the years of iOS 8 to 10 compares to find out whether the newer calls are there.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The version of Foundation: above every one that apps ask for, as the newer calls are all here.
public let NSFoundationVersionNumber: Double = 4_000

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The last version of iOS 7.
public let NSFoundationVersionNumber_iOS_7_1: Double = 1_047.25

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The last version of iOS 8.
public let NSFoundationVersionNumber_iOS_8_x_Max: Double = 1_199

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The last version of iOS 9.
public let NSFoundationVersionNumber_iOS_9_x_Max: Double = 1_299
