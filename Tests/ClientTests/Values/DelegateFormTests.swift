import BelfryClient
import AppWire
import Foundation
import Testing
@testable import UIKit

final class NamedDelegate: NSObject, UIApplicationDelegate {}

/// Tests that the system calls the form of a delegate's method that the app implements.
@Suite @MainActor struct DelegateFormTests {
  private class Recorder: NSObject, UIApplicationDelegate { var calls: [String] = [] }

  private final class WithoutForms: NSObject, UIApplicationDelegate {}

  private final class HandlerForms: NSObject, UIApplicationDelegate {
    func application(
      _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
      fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) { completionHandler(.failed) }

    var identifiers: [String?] = []

    func application(
      _ application: UIApplication, handleActionWithIdentifier identifier: String?,
      for notification: UILocalNotification, completionHandler: @escaping () -> Void
    ) {
      identifiers.append(identifier)
      completionHandler()
    }

    func application(
      _ application: UIApplication, handleActionWithIdentifier identifier: String?,
      forRemoteNotification userInfo: [AnyHashable: Any], completionHandler: @escaping () -> Void
    ) {
      identifiers.append(identifier)
      completionHandler()
      completionHandler()
    }
  }

  private final class AsyncForms: NSObject, UIApplicationDelegate {
    var identifiers: [String?] = []

    func application(
      _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult { .newData }

    func application(
      _ application: UIApplication, handleActionWithIdentifier identifier: String?,
      for notification: UILocalNotification
    ) async { identifiers.append(identifier) }
  }

  private func fetch(_ delegate: any UIApplicationDelegate) async -> UIBackgroundFetchResult {
    await delegate.application(.shared, didReceiveRemoteNotification: [:])
  }

  @Test
  func `An app without a fetch method is reported as having none`() async {
    UIApplication.shared.isFetchFormMissing = false
    #expect(await fetch(WithoutForms()) == .noData)
    #expect(UIApplication.shared.isFetchFormMissing)
    UIApplication.shared.isFetchFormMissing = false
    #expect(await fetch(HandlerForms()) == .failed)
    #expect(await fetch(AsyncForms()) == .newData)
    #expect(!UIApplication.shared.isFetchFormMissing)
  }

  private final class Answering: NSObject, UIApplicationDelegate {
    let result: UIBackgroundFetchResult

    init(_ result: UIBackgroundFetchResult) { self.result = result }

    func application(
      _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
      fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) { completionHandler(result) }
  }

  @Test
  func `The agent receives the result that the completion handler got`() async {
    for (given, told) in [
      (UIBackgroundFetchResult.newData, FetchResult.newData), (.noData, .noData),
      (.failed, .failed),
    ] {
      // S2-21
      #expect(FetchResult(await fetch(Answering(given))) == told)
    }
  }

  @Test
  func `An action reaches the form that the app has, and one answer counts`() async {
    let handler = HandlerForms()
    let any: any UIApplicationDelegate = handler
    await any.application(
      .shared, handleActionWithIdentifier: "local", for: UILocalNotification(),
      withResponseInfo: [:])
    await any.application(
      .shared, handleActionWithIdentifier: "remote", forRemoteNotification: [:],
      withResponseInfo: [:])
    #expect(handler.identifiers == ["local", "remote"])
    let asynchronous = AsyncForms()
    let other: any UIApplicationDelegate = asynchronous
    await other.application(
      .shared, handleActionWithIdentifier: "local", for: UILocalNotification(),
      withResponseInfo: [:])
    #expect(asynchronous.identifiers == ["local"])
  }

  @Test
  func `An app with the oldest form of launching is launched by it`() {
    final class Oldest: NSObject, UIApplicationDelegate {
      var launched = false
      func applicationDidFinishLaunching(_ application: UIApplication) { launched = true }
    }
    let delegate = Oldest()
    let any: any UIApplicationDelegate = delegate
    #expect(any.application(.shared, didFinishLaunchingWithOptions: nil))
    #expect(delegate.launched)
  }

  private class Plain: UIResponder {
    var made = 1
    override init() {
      super.init()
      made = 2
    }
  }

  @Test
  func `An object is made by the class's own initialiser, whatever the class`() {
    #expect((NewObject.make(Plain.self) as? Plain)?.made == 2)
    #expect(NewObject.make(WithoutForms.self) is WithoutForms)
    let found = NSClassFromString(NSStringFromClass(NamedDelegate.self)) as? NSObject.Type
    #expect(found.map { NewObject.make($0) is NamedDelegate } == true)
  }

  @Test
  func `A handler receives only the first answer`() {
    let answers = LockedBox<[Int]>([])
    let once = CallOnce<Int> { answer in answers.withLock { $0.append(answer) } }
    #expect(once.call(1))
    #expect(!once.call(2))
    #expect(answers.withLock { $0 } == [1])
  }

  @Test
  func `A view controller loads and appears once, when its window is shown`() {
    final class Controller: UIViewController {
      var events: [String] = []
      override func viewDidLoad() { events.append("loaded") }
      override func viewWillAppear(_ animated: Bool) { events.append("will") }
      override func viewDidAppear(_ animated: Bool) { events.append("did") }
      override func viewDidDisappear(_ animated: Bool) { events.append("gone") }
    }
    let controller = Controller()
    let window = UIWindow(frame: UIScreen.main.bounds)
    window.rootViewController = controller
    #expect(controller.events.isEmpty)
    window.makeKeyAndVisible()
    window.makeKeyAndVisible()
    #expect(controller.events == ["loaded", "will", "did"])
    #expect(window.isKeyWindow)
    window.rootViewController = nil
    #expect(controller.events.last == "gone")
  }
}
