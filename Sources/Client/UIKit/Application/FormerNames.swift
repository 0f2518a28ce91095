public import Foundation

// Names that were used before Swift 4.2, and that older source files still use.

/// The name of `UIApplication.LaunchOptionsKey` before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.LaunchOptionsKey")
public typealias UIApplicationLaunchOptionsKey = UIApplication.LaunchOptionsKey

/// The name of `UIApplication.OpenURLOptionsKey` before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.OpenURLOptionsKey")
public typealias UIApplicationOpenURLOptionsKey = UIApplication.OpenURLOptionsKey

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of `UIApplication.openSettingsURLString` before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.openSettingsURLString")
public let UIApplicationOpenSettingsURLString: String = UIApplication.openSettingsURLString

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of `UIApplication.backgroundFetchIntervalMinimum` before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.backgroundFetchIntervalMinimum")
public let UIApplicationBackgroundFetchIntervalMinimum: TimeInterval =
  UIApplication.backgroundFetchIntervalMinimum

// swift-format-ignore: AlwaysUseLowerCamelCase
extension NSNotification.Name {
  /// The name of `UIApplication.didFinishLaunchingNotification` before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.didFinishLaunchingNotification")
  public static let UIApplicationDidFinishLaunching = UIApplication.didFinishLaunchingNotification

  /// The name of `UIApplication.didBecomeActiveNotification` before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.didBecomeActiveNotification")
  public static let UIApplicationDidBecomeActive = UIApplication.didBecomeActiveNotification

  /// The name of `UIApplication.willResignActiveNotification` before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.willResignActiveNotification")
  public static let UIApplicationWillResignActive = UIApplication.willResignActiveNotification

  /// The name of `UIApplication.didEnterBackgroundNotification` before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.didEnterBackgroundNotification")
  public static let UIApplicationDidEnterBackground = UIApplication.didEnterBackgroundNotification

  /// The name of `UIApplication.willEnterForegroundNotification` before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.willEnterForegroundNotification")
  public static let UIApplicationWillEnterForeground =
    UIApplication.willEnterForegroundNotification

  /// The name of `UIApplication.willTerminateNotification` before Swift 4.2.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.willTerminateNotification")
  public static let UIApplicationWillTerminate = UIApplication.willTerminateNotification
}

/// The name of `UIApplication.State` before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.State")
public typealias UIApplicationState = UIApplication.State

/// The name of `UIAlertAction.Style` before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIAlertAction.Style")
public typealias UIAlertActionStyle = UIAlertAction.Style

/// The name of `UIAlertController.Style` before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIAlertController.Style")
public typealias UIAlertControllerStyle = UIAlertController.Style

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of `UIApplication.backgroundFetchIntervalNever` before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.backgroundFetchIntervalNever")
public let UIApplicationBackgroundFetchIntervalNever: TimeInterval =
  UIApplication.backgroundFetchIntervalNever

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of `UIApplication.openNotificationSettingsURLString` before iOS 16.
@available(iOS, deprecated: 16.0, renamed: "UIApplication.openNotificationSettingsURLString")
public let UIApplicationOpenNotificationSettingsURLString: String =
  UIApplication.openNotificationSettingsURLString

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the image's bytes as a PNG file; called `UIImage.pngData()` since Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIImage.pngData()")
@preconcurrency @MainActor
public func UIImagePNGRepresentation(_ image: UIImage) -> Data? { image.pngData() }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the image's bytes as a JPEG file; called `UIImage.jpegData(compressionQuality:)` since Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIImage.jpegData(compressionQuality:)")
@preconcurrency @MainActor
public func UIImageJPEGRepresentation(_ image: UIImage, _ compressionQuality: CGFloat) -> Data? {
  image.jpegData(compressionQuality: compressionQuality)
}
