public import Foundation

// Names before Swift 4.2, which older source files use.

/// The name before Swift 4.2 of `UIApplication.LaunchOptionsKey`.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.LaunchOptionsKey")
public typealias UIApplicationLaunchOptionsKey = UIApplication.LaunchOptionsKey

/// The name before Swift 4.2 of `UIApplication.OpenURLOptionsKey`.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.OpenURLOptionsKey")
public typealias UIApplicationOpenURLOptionsKey = UIApplication.OpenURLOptionsKey

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name before Swift 4.2 of `UIApplication.openSettingsURLString`.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.openSettingsURLString")
public let UIApplicationOpenSettingsURLString: String = UIApplication.openSettingsURLString

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name before Swift 4.2 of `UIApplication.backgroundFetchIntervalMinimum`.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.backgroundFetchIntervalMinimum")
public let UIApplicationBackgroundFetchIntervalMinimum: TimeInterval =
  UIApplication.backgroundFetchIntervalMinimum

// swift-format-ignore: AlwaysUseLowerCamelCase
extension NSNotification.Name {
  /// The name before Swift 4.2 of `UIApplication.didFinishLaunchingNotification`.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.didFinishLaunchingNotification")
  public static let UIApplicationDidFinishLaunching = UIApplication.didFinishLaunchingNotification

  /// The name before Swift 4.2 of `UIApplication.didBecomeActiveNotification`.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.didBecomeActiveNotification")
  public static let UIApplicationDidBecomeActive = UIApplication.didBecomeActiveNotification

  /// The name before Swift 4.2 of `UIApplication.willResignActiveNotification`.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.willResignActiveNotification")
  public static let UIApplicationWillResignActive = UIApplication.willResignActiveNotification

  /// The name before Swift 4.2 of `UIApplication.didEnterBackgroundNotification`.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.didEnterBackgroundNotification")
  public static let UIApplicationDidEnterBackground = UIApplication.didEnterBackgroundNotification

  /// The name before Swift 4.2 of `UIApplication.willEnterForegroundNotification`.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.willEnterForegroundNotification")
  public static let UIApplicationWillEnterForeground =
    UIApplication.willEnterForegroundNotification

  /// The name before Swift 4.2 of `UIApplication.willTerminateNotification`.
  @available(iOS, deprecated: 12.0, renamed: "UIApplication.willTerminateNotification")
  public static let UIApplicationWillTerminate = UIApplication.willTerminateNotification
}

/// The name before Swift 4.2 of `UIApplication.State`.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.State")
public typealias UIApplicationState = UIApplication.State

/// The name before Swift 4.2 of `UIAlertAction.Style`.
@available(iOS, deprecated: 12.0, renamed: "UIAlertAction.Style")
public typealias UIAlertActionStyle = UIAlertAction.Style

/// The name before Swift 4.2 of `UIAlertController.Style`.
@available(iOS, deprecated: 12.0, renamed: "UIAlertController.Style")
public typealias UIAlertControllerStyle = UIAlertController.Style

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name before Swift 4.2 of `UIApplication.backgroundFetchIntervalNever`.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.backgroundFetchIntervalNever")
public let UIApplicationBackgroundFetchIntervalNever: TimeInterval =
  UIApplication.backgroundFetchIntervalNever

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name before iOS 16 of `UIApplication.openNotificationSettingsURLString`.
@available(iOS, deprecated: 16.0, renamed: "UIApplication.openNotificationSettingsURLString")
public let UIApplicationOpenNotificationSettingsURLString: String =
  UIApplication.openNotificationSettingsURLString

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the image's bytes as a PNG file; the name before Swift 4.2 of `UIImage.pngData()`.
@available(iOS, deprecated: 12.0, renamed: "UIImage.pngData()")
@preconcurrency @MainActor
public func UIImagePNGRepresentation(_ image: UIImage) -> Data? { image.pngData() }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the image's bytes as a JPEG file; the name before Swift 4.2 of `UIImage.jpegData(compressionQuality:)`.
@available(iOS, deprecated: 12.0, renamed: "UIImage.jpegData(compressionQuality:)")
@preconcurrency @MainActor
public func UIImageJPEGRepresentation(_ image: UIImage, _ compressionQuality: CGFloat) -> Data? {
  image.jpegData(compressionQuality: compressionQuality)
}
