import ActivityKit
import AppKit
import BackgroundTasks
import CallKit
import Combine
import CoreLocation
import Intents
import NotificationCenter
import PushKit
import UIKit
import os

// This file uses declarations in the same way as real apps do. The test passes if the file compiles.

final class CallProvider: NSObject, CXProviderDelegate, PKPushRegistryDelegate {
  let provider: CXProvider
  let controller = CXCallController()

  override init() {
    let configuration = CXProviderConfiguration(localizedName: "Example")
    configuration.supportsVideo = true
    configuration.maximumCallsPerCallGroup = 1
    configuration.supportedHandleTypes = [.generic, .phoneNumber]
    provider = CXProvider(configuration: configuration)
    super.init()
    provider.setDelegate(self, queue: nil)
  }

  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
  ) {}

  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType, completion: @escaping () -> Void
  ) {
    let update = CXCallUpdate()
    update.remoteHandle = CXHandle(type: .generic, value: "anna")
    update.hasVideo = false
    provider.reportNewIncomingCall(with: UUID(), update: update) { error in
      if let error = error as? CXErrorCodeIncomingCallError { _ = error.code }
    }
    completion()
  }

  func providerDidReset(_ provider: CXProvider) {}
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fulfill() }
  func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fulfill() }

  func end(_ id: UUID) async throws {
    controller.request(CXTransaction(action: CXEndCallAction(call: id))) { _ in }
    try await controller.request(CXTransaction(action: CXSetMutedCallAction(call: id, muted: true)))
    _ = controller.callObserver.calls.contains { $0.hasConnected && !$0.hasEnded }
    provider.reportCall(with: id, endedAt: Date(), reason: .remoteEnded)
  }
}

struct ScoreAttributes: ActivityAttributes {
  struct ContentState: Codable, Hashable {
    var home: Int
    var guest: Int
  }

  var match: String
}

func activitySurface() async throws {
  guard ActivityAuthorizationInfo().areActivitiesEnabled else { return }
  let activity = try Activity<ScoreAttributes>.request(
    attributes: ScoreAttributes(match: "Final"),
    content: .init(state: .init(home: 0, guest: 0), staleDate: nil), pushType: .token)
  for await token in activity.pushTokenUpdates { _ = token.map { String(format: "%02x", $0) } }
  for await token in Activity<ScoreAttributes>.pushToStartTokenUpdates { _ = token.count }
  for await state in activity.activityStateUpdates where state == .dismissed { return }
  for await new in Activity<ScoreAttributes>.activityUpdates { _ = new.attributes.match }
  await activity.update(ActivityContent(state: .init(home: 1, guest: 0), staleDate: .now))
  await activity.end(nil, dismissalPolicy: .immediate)
}

func taskSurface() throws {
  let request = BGContinuedProcessingTaskRequest(
    identifier: "org.example.export.1", title: "Export", subtitle: "0 of 10")
  request.strategy = .fail
  try BGTaskScheduler.shared.submit(request)
  BGTaskScheduler.shared.register(forTaskWithIdentifier: "org.example.export.*", using: nil) {
    guard let task = $0 as? BGContinuedProcessingTask else { return }
    task.progress.totalUnitCount = 10
    task.updateTitle("Export", subtitle: "1 of 10")
    task.setTaskCompleted(success: true)
  }
  let research = BGHealthResearchTaskRequest(identifier: "org.example.study")
  research.protectionTypeOfRequiredData = "complete"
  try BGTaskScheduler.shared.submit(research)
}

@available(*, deprecated)
func intentSurface(_ activity: NSUserActivity, _ person: INPerson) -> [Any?] {
  let contacts = (activity.interaction?.intent as? INStartCallIntent)?.contacts
  let metadata = INSendMessageIntentDonationMetadata()
  metadata.mentionsCurrentUser = true
  INPreferences.requestSiriAuthorization { _ = $0 == .authorized }
  return [
    contacts, metadata, INStartAudioCallIntent(destinationType: .normal, contacts: [person]),
    INStartVideoCallIntent(contacts: nil), INPreferences.siriAuthorizationStatus(),
    INPersonSuggestionType.instantMessageAddress,
  ]
}

func logAndPlaceSurface(_ location: CLLocation, _ manager: CLLocationManager) {
  os_log(.error, "%{public}@ failed", "it")
  os_log(.info, log: .default, "plain")
  if location.sourceInformation?.isSimulatedBySoftware == true { return }
  let _: CLLocationDegrees = kCLHeadingFilterNone
}

final class EventHandler: NSObject, NSApplicationDelegate {
  func applicationWillFinishLaunching(_ notification: Notification) {
    NSAppleEventManager.shared().setEventHandler(
      self, andSelector: Selector(EventHandler.handle(event:reply:)),
      forEventClass: AEEventClass(kInternetEventClass), andEventID: AEEventID(kAEGetURL))
  }

  func handle(event: NSAppleEventDescriptor, reply: NSAppleEventDescriptor) {
    _ = event.paramDescriptor(forKeyword: AEKeyword(keyDirectObject))?.stringValue
  }
}

final class KeyboardRefuser: NSObject, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    shouldAllowExtensionPointIdentifier extensionPointIdentifier:
      UIApplication.ExtensionPointIdentifier
  ) -> Bool { extensionPointIdentifier != .keyboard }
}

@MainActor final class PermissionModel: ObservableObject {
  @Published var isAllowed = false
  @Published private(set) var token: String?
  private var bag = Set<AnyCancellable>()

  init() {
    NotificationCenter.default.publisher(for: UIApplication.didBecomeActiveNotification)
      .receive(on: DispatchQueue.main)
      .sink { [weak self] _ in self?.token = nil }
      .store(in: &bag)
    $token.map { $0 != nil }.assign(to: &$isAllowed)
  }
}
