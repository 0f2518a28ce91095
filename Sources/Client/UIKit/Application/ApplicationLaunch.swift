import BelfryClient
import AppWire
import Foundation
import UserNotifications

extension UIApplicationDelegate {
  /// Runs the app; called by `@main`.
  ///
  /// This method connects to the agent, launches the app, and runs the main run loop until a signal terminates the
  /// process.
  public static func main() {
    guard let type = Self.self as? NSObject.Type else {
      preconditionFailure("the app delegate is not a subclass of NSObject or UIResponder")
    }
    ApplicationLaunch.run(delegateClass: type)
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs the app with the delegate class of the given name; called by `main.swift`.
///
/// The process arguments and the name of the principal class are ignored.
///
/// - Returns: Never; the process exits when the app terminates.
@preconcurrency @MainActor
@discardableResult
public func UIApplicationMain(
  _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
  _ principalClassName: String?, _ delegateClassName: String?
) -> Int32 {
  let type = delegateClassName.flatMap { NSClassFromString($0) as? NSObject.Type }
  precondition(
    delegateClassName == nil || type != nil,
    "no class named \(delegateClassName ?? ""): use NSStringFromClass(AppDelegate.self)")
  ApplicationLaunch.run(delegateClass: type)
}

/// The launch sequence of an app, with the same order of delegate calls as on Apple's systems.
@MainActor
enum ApplicationLaunch {
  /// The delegate, retained because `UIApplication.delegate` is weak.
  private static var retainedDelegate: (any UIApplicationDelegate)?

  static func run(delegateClass: NSObject.Type?) -> Never {
    let application = UIApplication.shared
    application.session.declare(application: true)
    application.listen()
    if let delegateClass {
      retainedDelegate = NewObject.make(delegateClass) as? any UIApplicationDelegate
      application.delegate = retainedDelegate
    }
    application.launch()
    ApplicationRunLoop.run { application.life.terminate() }
  }
}

extension UIApplication {
  /// Launches the app: waits for the agent's welcome, calls the delegate, and activates the app unless the agent
  /// started it in the background.
  func launch() {
    if !session.wasStartedByAgent { session.appState = .foreground }
    let launch = session.connectForLaunch()
    let url = LaunchURL.find(CommandLine.arguments)
    let options = LaunchOptions.make(launch, url: url)
    life.begins(inBackground: !launch.isForeground)
    life.launchResponse = launch.response
    scenes.launchResponse = launch.response.map { UNNotificationResponse.make($0) }
    if let delegate {
      _ = delegate.application(self, willFinishLaunchingWithOptions: options)
      _ = delegate.application(self, didFinishLaunchingWithOptions: options)
    }
    NotificationCenter.default.post(
      name: Self.didFinishLaunchingNotification, object: self,
      userInfo: options.map {
        Dictionary(uniqueKeysWithValues: $0.map { ($0.key.rawValue, $0.value) })
      })
    life.launched(inBackground: !launch.isForeground)
    if let url, !scenes.open(url) { _ = delegate?.application(self, open: url, options: [:]) }
  }
}

/// A builder for an app's launch options.
enum LaunchOptions {
  static func make(
    _ launch: AppLaunch, url: URL?
  ) -> [UIApplication.LaunchOptionsKey: Any]? {
    var options: [UIApplication.LaunchOptionsKey: Any] = [:]
    if let url { options[.url] = url }
    let delivered = launch.response?.notification
    if let payload = launch.payload ?? delivered?.payload {
      options[.remoteNotification] = UserInfoCoding.payload(payload)
    } else if let request = delivered?.request, request.content.generation != .desktop {
      options[.localNotification] = UILocalNotification(LocalNotificationFields(request))
    }
    if launch.reason == .location { options[.location] = NSNumber(value: true) }
    return options.isEmpty ? nil : options
  }
}

/// A search in the process arguments for the URL that the `%u` field code of a `.desktop` file adds.
enum LaunchURL {
  static func find(_ arguments: [String]) -> URL? {
    guard arguments.count == 2, let url = URL(string: arguments[1]) else { return nil }
    return url.scheme != nil && arguments[1].contains(":") ? url : nil
  }
}
