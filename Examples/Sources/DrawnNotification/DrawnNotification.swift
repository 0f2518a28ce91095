// Features of current apps: a view controller for a notification's content, a message with its sender, background tasks,
// and a log.
import BackgroundTasks
import Intents
import Narration
import UIKit
import UserNotificationsUI
import os

private let logger = Logger(subsystem: "org.example.drawn", category: "launch")

final class MessageView: UIViewController, UNNotificationContentExtension {
  func didReceive(_ notification: UNNotification) {
    title = notification.request.content.title
    say("drawn \(title ?? "")")
  }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
  let page = MessageView()

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    logger.notice("launched with \(launchOptions?.count ?? 0, privacy: .public) options")
    let center = UNUserNotificationCenter.current()
    center.delegate = self
    BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: .main) { task in
      say("refreshing \(task is BGAppRefreshTask)")
      task.setTaskCompleted(success: true)
    }
    center.requestAuthorization(options: [.alert]) { _, _ in
      do {
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
        center.add(try Self.message()) { error in say(error == nil ? "added" : "failed") }
      } catch { say("failed \(error)") }
    }
    return true
  }

  static func message() throws -> UNNotificationRequest {
    let anna = INPerson(
      personHandle: INPersonHandle(value: "anna@example.org", type: .emailAddress),
      nameComponents: nil, displayName: "Anna", image: nil, contactIdentifier: nil,
      customIdentifier: nil)
    let intent = INSendMessageIntent(
      recipients: nil, outgoingMessageType: .outgoingMessageText, content: "Are you there?",
      speakableGroupName: nil, conversationIdentifier: "anna", serviceName: nil, sender: anna,
      attachments: nil)
    INInteraction(intent: intent, response: nil).donate(completion: nil)
    let content = UNMutableNotificationContent()
    content.body = "Are you there?"
    return UNNotificationRequest(
      identifier: "m1", content: try content.updating(from: intent), trigger: nil)
  }

  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping @Sendable (UNNotificationPresentationOptions) -> Void
  ) {
    page.didReceive(notification)
    completionHandler([.banner, .list])
  }
}
