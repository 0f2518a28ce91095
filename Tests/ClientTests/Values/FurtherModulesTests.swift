import BelfryClient
import AppWire
import Foundation
import Intents
import Synchronization
import Testing

@testable import BackgroundTasks
@testable import os

/// Tests of the behavior of the additional modules.
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

  /// Returns a scheduler without a running agent.
  private func scheduler() -> BGTaskScheduler {
    let identity = AppIdentity(bundle: .main, environment: ["BELFRY_APP_ID": "org.example.a"])
    let session = AgentSession(identity: identity, socketPath: "/nonexistent/agent.sock")
    return BGTaskScheduler(session: session, permitted: ["a.refresh", "a.work"])
  }

  @Test(arguments: [false, true])
  func `A background task runs in its own class, and says whether it did its work`(isDone: Bool)
    async
  {
    let scheduler = scheduler()
    scheduler.register(forTaskWithIdentifier: "a.work", using: nil) { task in
      let isRight = task is BGProcessingTask && task.identifier == "a.work"
      task.setTaskCompleted(success: isDone && isRight)
      task.setTaskCompleted(success: !isDone)
    }
    let result = await withCheckedContinuation { continuation in
      let request = BackgroundTaskRequest(id: "a.work", kind: .processing)
      let isHandled = scheduler.handle(.task(request)) { continuation.resume(returning: $0) }
      #expect(isHandled)
    }
    #expect(result == isDone)
  }

  @Test
  func `A background task learns that its time is over and then counts as failed`() async {
    let scheduler = scheduler()
    let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
    let (said, says) = AsyncStream.makeStream(of: String.self)
    scheduler.register(forTaskWithIdentifier: "a.refresh", using: nil) { task in
      task.expirationHandler = { says.yield("expires \(task is BGAppRefreshTask)") }
      hasBegun.yield()
    }
    _ = scheduler.handle(.task(BackgroundTaskRequest(id: "a.refresh", kind: .refresh))) {
      says.yield("done \($0)")
      says.finish()
    }
    for await _ in begun { break }
    let isConsumed = scheduler.handle(.backgroundTimeEnds) { _ in }
    #expect(!isConsumed)
    var lines: [String] = []
    for await line in said { lines.append(line) }
    #expect(lines == ["expires true", "done false"])
  }

  @Test
  func `A task that is not permitted, not registered, or has no agent is refused`() async {
    let scheduler = scheduler()
    #expect(!scheduler.register(forTaskWithIdentifier: "b", using: nil) { _ in })
    let request = BGAppRefreshTaskRequest(identifier: "a.refresh")
    #expect(throws: BGTaskScheduler.Error(.notPermitted)) { try scheduler.submit(request) }
    #expect(scheduler.register(forTaskWithIdentifier: "a.refresh", using: nil) { _ in })
    #expect(throws: BGTaskScheduler.Error(.unavailable)) { try scheduler.submit(request) }
    await withCheckedContinuation { continuation in
      _ = scheduler.handle(.task(BackgroundTaskRequest(id: "none", kind: .refresh))) {
        #expect(!$0)
        continuation.resume()
      }
    }
  }

  @Test
  func `A task that the user started begins at once, also by a pattern of identifiers`()
    async throws
  {
    let session = AgentSession(
      identity: AppIdentity(bundle: .main, environment: ["BELFRY_APP_ID": "org.example.a"]),
      socketPath: "/nonexistent/agent.sock")
    let scheduler = BGTaskScheduler(session: session, permitted: ["a.export.*"])
    let (begun, hasBegun) = AsyncStream.makeStream(of: String.self)
    #expect(
      scheduler.register(forTaskWithIdentifier: "a.export.*", using: nil) { task in
        let title = (task as? BGContinuedProcessingTask)?.title ?? "of another kind"
        hasBegun.yield("\(task.identifier) \(title)")
        task.setTaskCompleted(success: true)
        hasBegun.finish()
      })
    try scheduler.submit(
      BGContinuedProcessingTaskRequest(identifier: "a.export.1", title: "Export", subtitle: ""))
    var lines: [String] = []
    for await line in begun { lines.append(line) }
    #expect(lines == ["a.export.1 Export"])
    #expect(
      BGTaskRequest.make(BackgroundTaskRequest(id: "a", kind: .research))
        is BGHealthResearchTaskRequest)
    #expect(BGHealthResearchTaskRequest(identifier: "a").wire.kind == .research)
  }

  @Test
  func `A call's notification has the names of the other side`() throws {
    let person = INPerson(
      personHandle: INPersonHandle(value: "1", type: .phoneNumber), nameComponents: nil,
      displayName: "Anna", image: nil, contactIdentifier: nil, customIdentifier: nil, isMe: false,
      suggestionType: .socialProfile)
    let intent = INStartCallIntent(
      callRecordFilter: nil, callRecordToCallBack: nil, audioRoute: .unknown,
      destinationType: .normal, contacts: [person], callCapability: .audioCall)
    let content = UNMutableNotificationContent()
    content.body = "missed call"
    #expect(try content.updating(from: intent).title == "Anna")
    let activity = NSUserActivity(activityType: "INStartCallIntent")
    activity.interaction = INInteraction(intent: intent, response: nil)
    #expect((activity.interaction?.intent as? INStartCallIntent)?.contacts?.count == 1)
  }

  @Test
  func `A task request survives the round trip to the agent`() throws {
    let request = BGProcessingTaskRequest(identifier: "a.work")
    request.earliestBeginDate = Date(timeIntervalSince1970: 1_000.5)
    request.requiresExternalPower = true
    let back = try #require(BGTaskRequest.make(request.wire) as? BGProcessingTaskRequest)
    #expect(back.identifier == "a.work")
    #expect(back.earliestBeginDate == request.earliestBeginDate)
    #expect(back.requiresExternalPower)
    #expect(!back.requiresNetworkConnectivity)
    request.earliestBeginDate = .distantFuture
    #expect(request.wire.earliestUnixMilliseconds == 64_092_211_200_000)
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
