import AppLink
import BelfryClient
import BelfryWire
import Foundation
import UserNotifications

extension UIApplication {
  /// Handles the agent's events.
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

  /// Hands an event to the app's delegate; false when it is not for the app object.
  func handle(_ event: AppEvent, _ question: AppLinkQuestion?) -> Bool {
    switch event {
    case .token(.alert, let token):
      delegate?.application(
        self, didRegisterForRemoteNotificationsWithDeviceToken: Data(token))
    case .registrationFailed(.alert, let failure): registrationFailed(failure)
    case .arrived(let arrival) where arrival.kind == .alert:
      // The notification delegate is asked about what is only shown; the app's delegate gets what
      // is there to fetch, and everything when there is no other one (S2-20).
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

  /// A push for the app's own hands: the newest form of the delegate's method gets it, and the
  /// oldest one where the app lacks that (S1-39), at a launch too (S4-21).
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

  /// Calls the form without a result, which differs from the newest one only in not being `async`.
  func receiveInOldestForm(
    _ userInfo: [AnyHashable: Any], _ delegate: any UIApplicationDelegate
  ) {
    delegate.application(self, didReceiveRemoteNotification: userInfo)
  }

  /// A notification in front of an app without a notification delegate: the app shows what it
  /// likes, the system nothing (S1-38).
  private func willPresent(
    _ delivered: DeliveredNotification, _ question: AppLinkQuestion?
  ) -> Bool {
    guard delivered.request.content.generation != .desktop else { return false }
    // A push comes as an arrival besides.
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
