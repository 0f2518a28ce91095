import BelfryClient
import Foundation
import TestSupport
import Testing
import UserNotifications

/// A check that code runs on the main queue.
///
/// In a test process, the main thread is parked, so the main queue acts as an app's main thread.
private enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}

/// Tests of the notification center with a real agent, in this process: answers, order, threads, and errors.
@Suite(.serialized, .timeLimit(.minutes(60))) struct CenterTests {
  private func center(_ socket: String, _ app: String = "org.example.center")
    -> UNUserNotificationCenter
  {
    let identity = AppIdentity(bundle: .main, environment: ["BELFRY_APP_ID": app])
    return UNUserNotificationCenter(
      session: AgentSession(identity: identity, socketPath: socket))
  }

  private func request(_ id: String, _ title: String, trigger: UNNotificationTrigger? = nil)
    -> UNNotificationRequest
  {
    let content = UNMutableNotificationContent()
    content.title = title
    return UNNotificationRequest(identifier: id, content: content, trigger: trigger)
  }

  @Test
  func `Permission is asked once, and reported from then on`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let center = center(agent.socket)
      #expect(await center.notificationSettings().authorizationStatus == .notDetermined)
      #expect(try await center.requestAuthorization(options: [.alert, .badge]))
      let settings = await center.notificationSettings()
      #expect(settings.authorizationStatus == .authorized)
      #expect(settings.alertSetting == .enabled)
      #expect(settings.badgeSetting == .enabled)
      #expect(settings.soundSetting == .notSupported)
      #expect(settings.carPlaySetting == .notSupported)
      try await scenario.tell(agent, "settings", "org.example.center", "alert=off")
      #expect(await center.notificationSettings().alertSetting == .disabled)
      #expect(try await center.requestAuthorization(options: [.alert]))
    }
  }

  @Test
  func `Without permission nothing is added, and the error is Apple's`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "none"])
      let center = center(agent.socket)
      #expect(try await center.requestAuthorization(options: [.alert]) == false)
      #expect(
        await code { try await center.add(request("a", "A")) } == .notificationsNotAllowed)
    }
  }

  @Test
  func `Categories, requests and the badge read back as they were set, even right after a change`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let center = center(agent.socket)
      try await center.requestAuthorization(options: [.alert, .badge, .sound])
      let category = UNNotificationCategory(
        identifier: "c",
        actions: [
          UNNotificationAction(identifier: "a", title: "A", options: [.foreground, .destructive]),
          UNTextInputNotificationAction(
            identifier: "t", title: "T", textInputButtonTitle: "Send", textInputPlaceholder: "…"),
        ], intentIdentifiers: ["i"], hiddenPreviewsBodyPlaceholder: "%u hidden",
        options: [.customDismissAction])
      center.setNotificationCategories([category])
      #expect(await center.notificationCategories() == [category])

      let triggers: [UNNotificationTrigger] = [
        UNTimeIntervalNotificationTrigger(timeInterval: 3_600, repeats: true),
        UNCalendarNotificationTrigger(
          dateMatching: DateComponents(hour: 8, minute: 30, weekday: 2), repeats: true),
      ]
      for (index, trigger) in triggers.enumerated() {
        try await center.add(request("r\(index)", "R\(index)", trigger: trigger))
      }
      let pending = await center.pendingNotificationRequests()
      #expect(Set(pending.compactMap(\.trigger)) == Set(triggers))
      let interval = pending.compactMap { $0.trigger as? UNTimeIntervalNotificationTrigger }.first
      let next = try #require(interval?.nextTriggerDate())
      #expect(abs(next.timeIntervalSinceNow - 3_600) < 60)
      // A query that follows a removal no longer returns the removed request.
      center.removePendingNotificationRequests(withIdentifiers: ["r0"])
      #expect(await center.pendingNotificationRequests().map(\.identifier) == ["r1"])
      center.removeAllPendingNotificationRequests()
      #expect(await center.pendingNotificationRequests().isEmpty)

      try await center.add(request("now", "Now"))
      #expect(await center.deliveredNotifications().map(\.request.content.title) == ["Now"])
      try await center.add(request("now", "Again"))
      #expect(await center.deliveredNotifications().map(\.request.content.title) == ["Again"])
      center.removeAllDeliveredNotifications()
      #expect(await center.deliveredNotifications().isEmpty)

      try await center.setBadgeCount(4)
      #expect(try await agent.program.event("badge")["badge"].integer == 4)
    }
  }

  private func code(_ body: () async throws -> Void) async -> UNError.Code? {
    do {
      try await body()
      return nil
    } catch { return (error as? UNError)?.code }
  }

  @Test
  func `Impossible requests fail with Apple's error codes and never wait forever`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let center = center(agent.socket)
      try await center.requestAuthorization(options: [.alert])
      let never = UNCalendarNotificationTrigger(
        dateMatching: DateComponents(month: 2, day: 30), repeats: false)
      #expect(
        await code { try await center.add(request("x", "X", trigger: never)) }
          == .notificationInvalidNoDate)
      // A date in the past isn't an error and never fires, as on iOS (client-api 3.16).
      let parts = Calendar.current.dateComponents(
        [.year, .month, .day, .hour, .minute], from: Date())
      let minute = UNCalendarNotificationTrigger(dateMatching: parts, repeats: false)
      #expect(minute.nextTriggerDate() == nil)
      #expect(await code { try await center.add(request("m", "M", trigger: minute)) } == nil)
      #expect(await center.pendingNotificationRequests().isEmpty)
      let empty = UNNotificationRequest(
        identifier: "e", content: UNMutableNotificationContent(), trigger: nil)
      #expect(await code { try await center.add(empty) } == .notificationInvalidNoContent)
      #expect(await code { try await center.setBadgeCount(-1) } == .badgeInputInvalid)
      let unreachable = self.center(agent.socket + ".none", "org.example.none")
      let begin = ContinuousClock.now
      #expect(
        await code { try await unreachable.add(request("u", "U")) } == .notificationsNotAllowed)
      #expect(ContinuousClock.now - begin < .seconds(15))
      #expect(await unreachable.pendingNotificationRequests().isEmpty)
    }
  }

  private final class Delegate: NSObject, UNUserNotificationCenterDelegate, @unchecked Sendable {
    let seen = LockedBox<[String]>([])

    func userNotificationCenter(
      _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
      withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
      note("willPresent \(notification.request.identifier)")
      completionHandler([.banner, .list])
    }

    func userNotificationCenter(
      _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping () -> Void
    ) {
      let text = (response as? UNTextInputNotificationResponse)?.userText ?? ""
      note("didReceive \(response.actionIdentifier) \(text)")
      completionHandler()
    }

    private func note(_ what: String) {
      let thread = MainQueue.isCurrent ? "main" : "other"
      seen.withLock { $0.append("\(thread): \(what)") }
    }
  }

  @Test
  func `Delegate methods run on the main thread, and completion handlers on another thread`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let center = center(agent.socket)
      let delegate = Delegate()
      center.delegate = delegate
      try await center.requestAuthorization(options: [.alert])
      center.setNotificationCategories([
        UNNotificationCategory(
          identifier: "c",
          actions: [UNTextInputNotificationAction(identifier: "reply", title: "Reply")],
          intentIdentifiers: [])
      ])
      let onMain: Bool = await withCheckedContinuation { continuation in
        let content = UNMutableNotificationContent()
        content.title = "T"
        content.categoryIdentifier = "c"
        center.add(UNNotificationRequest(identifier: "n", content: content, trigger: nil)) { _ in
          continuation.resume(returning: MainQueue.isCurrent)
        }
      }
      #expect(!onMain)
      let shown = try await agent.presented("org.example.center")
      #expect(shown["id"].string == "n")
      try await scenario.tell(
        agent, "center", "action", "n", "reply", "--text", "hello", "--app", "org.example.center")
      let end = ContinuousClock.now + TestTimeout.standard
      while delegate.seen.withLock({ $0.count < 2 }), ContinuousClock.now < end {
        await Task.yield()
      }
      #expect(
        delegate.seen.withLock { $0 } == [
          "main: willPresent n", "main: didReceive reply hello",
        ])
    }
  }

  @Test
  func `Two apps at once, one killed while a notification waits for its answer`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      // Start an app that is in the foreground and doesn't answer when the agent requests its presentation options.
      let silent = try scenario.belfry([
        "app", "run", "org.example.silent", "--authorize", "alert", "--socket", agent.socket,
        "--state", "foreground",
      ])
      _ = try await silent.event("authorized")
      let center = center(agent.socket, "org.example.other")
      try await center.requestAuthorization(options: [.alert])
      try await scenario.tell(
        agent, "notify", "--app", "org.example.silent", "--title", "Waits", "--id", "w")
      _ = try await silent.event("willPresent")
      silent.signal(SIGKILL)
      // The agent shows the notification for the app that exited, and continues to serve the other app.
      #expect(try await agent.presented("org.example.silent")["title"].string == "Waits")
      try await center.add(request("o", "Other"))
      #expect(try await agent.presented("org.example.other")["title"].string == "Other")
    }
  }
}
