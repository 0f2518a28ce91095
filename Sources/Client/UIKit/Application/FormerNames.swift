public import Foundation

// Names before Swift 4.2, which older files use.

/// Why an app was launched, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.LaunchOptionsKey")
public typealias UIApplicationLaunchOptionsKey = UIApplication.LaunchOptionsKey

/// What comes with a URL to open, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.OpenURLOptionsKey")
public typealias UIApplicationOpenURLOptionsKey = UIApplication.OpenURLOptionsKey

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The app's settings, by their name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.openSettingsURLString")
public let UIApplicationOpenSettingsURLString: String = UIApplication.openSettingsURLString

// swift-format-ignore: AlwaysUseLowerCamelCase
/// As often as the system allows, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.backgroundFetchIntervalMinimum")
public let UIApplicationBackgroundFetchIntervalMinimum: TimeInterval =
  UIApplication.backgroundFetchIntervalMinimum

// swift-format-ignore: AlwaysUseLowerCamelCase
extension NSNotification.Name {
  /// By its name before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.didFinishLaunchingNotification")
  public static let UIApplicationDidFinishLaunching = UIApplication.didFinishLaunchingNotification

  /// By its name before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.didBecomeActiveNotification")
  public static let UIApplicationDidBecomeActive = UIApplication.didBecomeActiveNotification

  /// By its name before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.willResignActiveNotification")
  public static let UIApplicationWillResignActive = UIApplication.willResignActiveNotification

  /// By its name before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.didEnterBackgroundNotification")
  public static let UIApplicationDidEnterBackground = UIApplication.didEnterBackgroundNotification

  /// By its name before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.willEnterForegroundNotification")
  public static let UIApplicationWillEnterForeground =
    UIApplication.willEnterForegroundNotification

  /// By its name before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.willTerminateNotification")
  public static let UIApplicationWillTerminate = UIApplication.willTerminateNotification
}
