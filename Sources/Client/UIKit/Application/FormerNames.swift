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

/// Where an app is in its life, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.State")
public typealias UIApplicationState = UIApplication.State

/// How an answer looks, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIAlertAction.Style")
public typealias UIAlertActionStyle = UIAlertAction.Style

/// How a question is shown, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIAlertController.Style")
public typealias UIAlertControllerStyle = UIAlertController.Style

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Never, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.backgroundFetchIntervalNever")
public let UIApplicationBackgroundFetchIntervalNever: TimeInterval =
  UIApplication.backgroundFetchIntervalNever

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The app's notification settings, by their name before iOS 16.
@available(iOS, deprecated: 16.0, renamed: "UIApplication.openNotificationSettingsURLString")
public let UIApplicationOpenNotificationSettingsURLString: String =
  UIApplication.openNotificationSettingsURLString

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A picture as a PNG file, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIImage.pngData()")
@preconcurrency @MainActor
public func UIImagePNGRepresentation(_ image: UIImage) -> Data? { image.pngData() }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A picture as a JPEG file, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIImage.jpegData(compressionQuality:)")
@preconcurrency @MainActor
public func UIImageJPEGRepresentation(_ image: UIImage, _ compressionQuality: CGFloat) -> Data? {
  image.jpegData(compressionQuality: compressionQuality)
}
