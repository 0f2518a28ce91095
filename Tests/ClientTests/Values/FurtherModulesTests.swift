import BelfryClient
import Foundation
import Intents
import Synchronization
import Testing

@testable import BackgroundTasks
@testable import os

/// What the further modules do.
@Suite struct FurtherModulesTests {
  @Test
  func `A message's sender becomes the title, and a message without one is an error`() throws {
    func intent(_ sender: String?, group: String? = nil) -> INSendMessageIntent {
      INSendMessageIntent(
        recipients: nil, outgoingMessageType: .outgoingMessageText, content: "hello",
        speakableGroupName: group.map { INSpeakableString(spokenPhrase: $0) },
        conversationIdentifier: "c1", serviceName: nil,
        sender: sender.map {
          INPerson(
            personHandle: INPersonHandle(value: "anna@example.org", type: .emailAddress),
            nameComponents: nil, displayName: $0, image: nil, contactIdentifier: nil,
            customIdentifier: nil)
        }, attachments: nil)
    }
    let content = UNMutableNotificationContent()
    content.title = "New message"
    content.body = "hello"
    let updated = try content.updating(from: intent("Anna", group: "Chess"))
    #expect((updated.title, updated.subtitle, updated.body) == ("Anna", "Chess", "hello"))
    #expect(updated.threadIdentifier == "c1")
    #expect(content.title == "New message")
    final class Stranger: NSObject, UNNotificationContentProviding {}
    let nobody = #expect(throws: UNError.self) { _ = try content.updating(from: intent(nil)) }
    #expect(nobody?.code == .contentProvidingInvalid)
    let stranger = #expect(throws: UNError.self) { _ = try content.updating(from: Stranger()) }
    #expect(stranger?.code == .contentProvidingObjectNotAllowed)
  }

  private func scheduler(seconds: Double = 30) -> BGTaskScheduler {
    BGTaskScheduler(session: .shared, seconds: seconds, permitted: ["a.refresh", "a.work"])
  }

  @Test
  func `A background task runs when it is due, in its own class, and hears of its end`()
    async throws
  {
    let scheduler = scheduler(seconds: 0.05)
    let ended = await withCheckedContinuation { continuation in
      let isTaken = scheduler.register(forTaskWithIdentifier: "a.work", using: .main) { task in
        let isLong = task is BGProcessingTask
        task.expirationHandler = { continuation.resume(returning: isLong) }
      }
      #expect(isTaken)
      #expect(throws: Never.self) {
        try scheduler.submit(BGProcessingTaskRequest(identifier: "a.work"))
      }
    }
    #expect(ended)
    #expect(await scheduler.pendingTaskRequests().isEmpty)
  }

  @Test
  func `What is not permitted or not registered is refused, and a request can be taken back`()
    async throws
  {
    let scheduler = scheduler()
    #expect(!scheduler.register(forTaskWithIdentifier: "b", using: nil) { _ in })
    #expect(throws: BGTaskScheduler.Error(.notPermitted)) {
      try scheduler.submit(BGAppRefreshTaskRequest(identifier: "a.refresh"))
    }
    scheduler.register(forTaskWithIdentifier: "a.refresh", using: nil) { _ in }
    let request = BGAppRefreshTaskRequest(identifier: "a.refresh")
    request.earliestBeginDate = Date(timeIntervalSinceNow: 3_600)
    try scheduler.submit(request)
    try scheduler.submit(request)
    let pending = await scheduler.pendingTaskRequests()
    #expect(pending.map(\.identifier) == ["a.refresh"])
    #expect(pending.first is BGAppRefreshTaskRequest)
    scheduler.cancelAllTaskRequests()
    #expect(await scheduler.pendingTaskRequests().isEmpty)
  }

  @Test
  func `A log's line has its values, and hides those that are private`() {
    let count: Int? = nil
    let line: OSLogMessage =
      "\("Anna", privacy: .public) \("secret", privacy: .private) \(count) [\(5, align: .right(columns: 3))]"
    #expect(line.text == "Anna <private> nil [  5]")
  }

  @Test
  func `A development app says by the environment why it wants the location, an installed one not`()
  {
    var environment = ["BELFRY_APP_ID": "org.example.a", "BELFRY_LOCATION_USAGE": "shops"]
    #expect(AppIdentity(bundle: .main, environment: environment).locationUsage == "shops")
    environment["BELFRY_APP_ID"] = nil
    #expect(AppIdentity(bundle: .main, environment: environment).locationUsage == nil)
  }
}
