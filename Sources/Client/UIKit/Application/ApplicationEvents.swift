import AppLink
import BelfryClient
import BelfryWire
import AppWire
import Foundation
import UserNotifications

extension UIApplication {
  /// Subscribes to the agent's events, to its requests to activate the app, and to permission prompts.
  func listen() {
    session.listen(as: .application) { [weak self] event, question in
      self?.handle(event, question) ?? false
    }
    session.listenForActivation { [weak self] response in
      self?.life.enterForeground(response: UNNotificationResponse.make(response))
    }
    session.question.observe { [weak self] isAsked in
      if isAsked { self?.life.cover() } else { self?.life.uncover() }
    }
  }

  /// Passes an event to the app's delegate.
  ///
  /// Returns false if the event is not for the app object.
  func handle(_ event: AppEvent, _ question: AppLinkQuestion?) -> Bool {
    switch event {
    case .token(.alert, let token):
      delegate?.application(
        self, didRegisterForRemoteNotificationsWithDeviceToken: Data(token))
    case .registrationFailed(.alert, let failure): registrationFailed(failure)
    case .arrived(let arrival) where arrival.kind == .alert:
      // With a notification delegate, the app delegate receives only the pushes that let the app fetch content. Without
      // a notification delegate, the app delegate receives all pushes (S2-20).
      if question == nil, UNUserNotificationCenter.current().delegate != nil { return true }
      receive(arrival.payload) { question?.reply(.fetched($0)) }
    case .willPresent(let delivered): return willPresent(delivered, question)
    case .response(let response): return respond(response, question)
    case .backgroundTimeEnds:
      backgroundTasks.expire()
      question?.reply(.handled)
    case .state(.foreground): life.enterForeground()
    case .state(.background): life.enterBackground()
    default: return false
    }
    return true
  }

  /// Delivers a push to the newest delegate method for pushes or, if the delegate does not implement it, to the oldest
  /// one (S1-39).
  ///
  /// A push that launches the app is delivered in the same way (S4-21).
  func receive(
    _ payload: [UInt8],
    completion: @escaping @MainActor @Sendable (FetchResult) -> Void
  ) {
    guard let delegate else { return completion(.noData) }
    if applicationState == .background { backgroundTasks.timeBegins() }
    let userInfo = MainThreadOnly(UserInfoCoding.payload(payload))
    Task { @MainActor in
      let result = await delegate.application(self, didReceiveRemoteNotification: userInfo.value)
      if isFetchFormMissing { receiveInOldestForm(userInfo.value, delegate) }
      completion(FetchResult(result))
    }
  }

  /// Calls the oldest delegate method for pushes, which returns no result.
  ///
  /// The call is in a synchronous function, because the same call in an asynchronous function would select the newest
  /// method, which is `async`.
  func receiveInOldestForm(
    _ userInfo: [AnyHashable: Any], _ delegate: any UIApplicationDelegate
  ) {
    delegate.application(self, didReceiveRemoteNotification: userInfo)
  }

  /// Handles a notification that arrives while an app without a notification delegate is in the foreground.
  ///
  /// The app may show something itself; the system shows nothing (S1-38).
  private func willPresent(
    _ delivered: DeliveredNotification, _ question: AppLinkQuestion?
  ) -> Bool {
    guard delivered.request.content.generation != .desktop else { return false }
    // Do not call the delegate here for a push, which is also delivered as an `arrived` event.
    if delivered.payload == nil {
      delegate?.application(
        self, didReceive: UILocalNotification(LocalNotificationFields(delivered.request)))
    }
    question?.reply(.present([]))
    return true
  }
}

extension FetchResult {
  init(_ result: UIBackgroundFetchResult) {
    self =
      switch result {
      case .newData: .newData
      case .noData: .noData
      case .failed: .failed
      }
  }
}
