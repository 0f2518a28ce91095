import BelfryClient
import AppWire
import Foundation
import UserNotifications

extension NSApplicationDelegate {
  /// Runs the app; called by `@main`.
  ///
  /// This method connects to the agent, launches the app, and runs the main run loop until a signal terminates the
  /// process.
  public static func main() {
    guard let type = Self.self as? NSObject.Type else {
      preconditionFailure("the app delegate is not a subclass of NSObject")
    }
    ApplicationMain.retainedDelegate = NewObject.make(type) as? any NSApplicationDelegate
    NSApplication.shared.delegate = ApplicationMain.retainedDelegate
    NSApplication.shared.run()
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs the app with its current delegate; called by `main.swift`.
///
/// There are no interface files that could specify a delegate.
///
/// - Returns: Never; the process exits when the app terminates.
@preconcurrency @MainActor
@discardableResult
public func NSApplicationMain(
  _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
  NSApplication.shared.run()
  return 0
}

@MainActor
enum ApplicationMain {
  /// The delegate that `main()` created, retained because `NSApplication.delegate` is weak.
  static var retainedDelegate: (any NSApplicationDelegate)?
}

extension NSApplication {
  /// Launches the app: waits for the agent's welcome, calls the delegate, and activates the app unless the agent
  /// started it in the background.
  public func finishLaunching() {
    guard !isLaunched else { return }
    session.declare(application: true)
    session.appState = session.wasStartedByAgent || !mayBeInFront ? .background : .foreground
    listen()
    _ = NSUserNotificationCenter.default
    let launch = session.connectForLaunch()
    notifyDelegate(Self.willFinishLaunchingNotification) { $0.applicationWillFinishLaunching($1) }
    let userInfo = LaunchUserInfo.make(
      launch, newestPush: session.welcome == nil ? nil : newestPush())
    notifyDelegate(Self.didFinishLaunchingNotification, userInfo: userInfo) {
      $0.applicationDidFinishLaunching($1)
    }
    isLaunched = true
    if launch.isForeground { becomeActive() }
    openArguments()
  }

  /// Returns the payload of the newest push in the list of delivered notifications (S0-42).
  private func newestPush() -> [UInt8]? {
    let delivered = (try? session.call(.delivered)).flatMap { try? $0.delivered() } ?? []
    return delivered.last { $0.payload != nil }?.payload
  }

  private func openArguments() {
    let urls = CommandLine.arguments.dropFirst().compactMap { argument -> URL? in
      if argument.hasPrefix("/"), FileManager.default.fileExists(atPath: argument) {
        return URL(fileURLWithPath: argument)
      }
      guard let url = URL(string: argument), url.scheme != nil else { return nil }
      return url
    }
    let rest = urls.filter { !NSAppleEventManager.shared().open($0) }
    if !rest.isEmpty { delegate?.application(self, open: rest) }
  }
}

/// A builder for the `userInfo` of the launch notification.
@MainActor
enum LaunchUserInfo {
  static func make(_ launch: AppLaunch, newestPush: [UInt8]?) -> [AnyHashable: Any] {
    let isDefault = launch.reason == .user
    var userInfo: [AnyHashable: Any] = [
      NSApplication.launchIsDefaultUserInfoKey: NSNumber(value: isDefault)
    ]
    if let payload = launch.payload ?? launch.response?.notification.payload ?? newestPush {
      userInfo[NSApplicationLaunchRemoteNotificationKey] = UserInfoCoding.payload(payload)
    }
    if let response = launch.response {
      userInfo[NSApplication.launchUserNotificationUserInfoKey] = object(for: response)
    }
    return userInfo
  }

  /// Returns the notification as an object of the API that created it.
  ///
  /// Apps check the class of the object. The app's delegates are not enough to determine this class, because an app can
  /// set them before or after the launch.
  ///
  /// A push belongs to neither API, and a notification that another program shows in the app's name belongs to the
  /// newer API. If the app has set a delegate only for the older API, both are returned as `NSUserNotification`
  /// objects.
  private static func object(for response: AppWire.NotificationResponse) -> NSObject {
    let isOlder =
      response.notification.request.content.generation == .desktop
      || NSUserNotificationCenter.default.isOnlyOne
    return isOlder
      ? NSUserNotification(UserNotificationFields(response)) : UNNotificationResponse.make(response)
  }
}
