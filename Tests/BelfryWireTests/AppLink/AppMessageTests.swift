import BelfryWire
import AppWire
import Foundation
import Testing

@Suite("Messages of the app link")
struct AppMessageTests {
  static var content: NotificationContent {
    var content = NotificationContent()
    content.title = NotificationText(key: "MSG_POSTED", arguments: ["Ana"])
    content.subtitle = "Sub"
    content.body = "Body"
    content.badge = 0
    content.sound = NotificationSound(name: "a.caf", isCritical: true, volume: 0.5)
    content.category = "INVITE"
    content.thread = "t"
    content.launchImage = "Default.png"
    content.actionTitle = "View"
    content.hasAction = false
    content.attachments = [
      NotificationAttachment(id: "1", path: "/a.png", type: "public.png", options: ["x": 1])
    ]
    content.userInfo = ["n": [1, 2.5, nil], "deep": ["er": "é"]]
    content.archive = [0, 1, 255]
    content.targetContent = "scene"
    content.interruptionLevel = .timeSensitive
    content.relevance = 0.25
    content.filterCriteria = "work"
    content.generation = .local
    return content
  }

  static let triggers: [NotificationTrigger?] = [
    nil, .push, .interval(seconds: 60, repeats: true),
    .calendar(
      MatchingComponents([.weekday: 2, .hour: 9], zone: "Europe/Paris"), repeats: true),
    .calendar(
      MatchingComponents([.day: 31], isLeapMonth: false, calendar: "hebrew"), repeats: false),
    .date(unixMilliseconds: 1, zone: "US/Pacific", recurrence: .unit(256), recurrenceCalendar: nil),
    .date(
      unixMilliseconds: -1, zone: nil, recurrence: .components(MatchingComponents([.day: 1])),
      recurrenceCalendar: "gregorian"),
    .date(unixMilliseconds: 5, zone: nil, recurrence: nil, recurrenceCalendar: nil),
    .region(
      NotificationRegion(
        id: "home", shape: .circle(latitude: 1.5, longitude: -2, radius: 100),
        notifiesOnExit: false), repeats: false),
    .region(
      NotificationRegion(id: "b", shape: .beacon(uuid: "u", major: 1, minor: nil)), repeats: true),
  ]

  static var notification: DeliveredNotification {
    DeliveredNotification(
      request: NotificationRequest(id: "n", content: content, trigger: .push),
      unixMilliseconds: 12, payload: Array(#"{"aps":{}}"#.utf8))
  }

  static var task: BackgroundTaskRequest {
    var task = BackgroundTaskRequest(id: "a.b", kind: .processing, earliestUnixMilliseconds: 5)
    task.needsPower = true
    return task
  }

  static var requests: [AppRequest] {
    var hello = AppHello(appID: "org.example.app", isDevelopment: true, state: .background)
    hello.name = "App"
    hello.bundlePath = "/opt/app"
    hello.languages = ["fr-CA"]
    hello.launch = "7"
    hello.backgroundModes = ["remote-notification"]
    hello.locationUsage = "why"
    let category = NotificationCategory(
      id: "c",
      actions: [
        NotificationAction(
          id: "a", title: "A", options: [.destructive, .foreground], icon: "system:star",
          textInput: .init(buttonTitle: "Send", placeholder: "…"))
      ], minimalActions: [], options: [.customDismissAction], intents: ["i"],
      hiddenPreviewsPlaceholder: "%u messages", summaryFormat: "%u more")
    let region = NotificationRegion(id: "r", shape: .circle(latitude: 0, longitude: 0, radius: 1))
    let task = Self.task
    let plain: [AppRequest] = [
      .hello(hello), .hello(AppHello(role: .control, appID: nil)),
      .requestAuthorization([.alert, .sound, .provisional]), .settings, .register(.alert),
      .register(.voip), .unregister(.complication), .setCategories([category]), .categories,
      .pending, .removePending(nil), .removePending(["a"]), .delivered, .removeDelivered([]),
      .setBadge(3), .badge, .setState(.background), .setLanguages(nil), .setLanguages(["en"]),
      .beginBackgroundTask(name: "x"), .endBackgroundTask(1), .backgroundTime,
      .submitTask(task), .cancelTasks(nil), .cancelTasks(["a.b"]), .pendingTasks,
      .requestLocation(always: true), .locationStatus, .watchRegion(region), .unwatchRegion("r"),
      .watchedRegions, .regionState("r"), .setLocationUpdates(true),
      .setDrawing(NotificationDrawing()),
      .setDrawing(
        NotificationDrawing(items: [.text("a"), .picture(path: "/p")], actions: category.actions)),
      .contentWish(.open), .contentWish(.close),
      .hello(AppHello(role: .contentExtension, appID: "a.b")),
    ]
    let added = triggers.map {
      AppRequest.add(NotificationRequest(id: "i", content: content, trigger: $0))
    }
    return plain + added + controls.map(AppRequest.control)
  }

  static var controls: [ControlRequest] {
    [
      .apps, .install(path: "/x"), .removeApp("a"), .token(app: "a", kind: .voip),
      .notify(app: "a", NotificationRequest(id: "i", content: content)), .scheduled(app: nil),
      .cancel(app: "a", id: nil), .nextDates(app: nil, id: "i", count: 3), .appSettings(app: "a"),
      .changeSettings(app: "a", ["alert": "off", "sound": "on"]),
      .changeDevice(["languages": "fr-CA,en"]), .center(app: nil), .open(app: nil, id: "i"),
      .openCenter(["DISPLAY": ":1"]),
      .act(app: "a", id: "i", action: "x", text: "t"), .dismiss(app: nil, id: nil),
      .clock, .setClock(unixMilliseconds: -5), .advanceClock(milliseconds: 20_000),
      .setZone("UTC"),
      .setPlace(latitude: 1, longitude: 2), .state(["locked": "on"]), .diagnose,
      .moveLink(isOnline: true), .unregister(app: "com.example.app", kind: .voip),
      .subscriptions, .removeSubscription(token: "t"), .testSubscription,
    ]
  }

  static var events: [AppEvent] {
    [
      .token(.alert, [1, 2, 3]),
      .registrationFailed(.voip, AppLinkFailure(.noGateway, "start the agent with --gateway")),
      .arrived(
        RemoteArrival(
          kind: .alert, payload: [0x7B, 0x7D], id: "x", unixMilliseconds: 1, wantsFetch: true,
          notification: notification)),
      .willPresent(notification),
      .response(NotificationResponse(notification: notification, action: "a", text: "t")),
      .openSettings(nil), .openSettings(notification), .settings(NotificationSettings()),
      .badge(2), .languages(["de"]), .backgroundTimeEnds, .task(Self.task),
      .locationStatus(.whenInUse),
      .regionChanged(
        NotificationRegion(id: "r", shape: .circle(latitude: 0, longitude: 0, radius: 1)), .inside),
      .place(latitude: 1, longitude: 2, accuracy: 3, unixMilliseconds: 4),
      .delivered(notification), .extend(notification.request, payload: [1]), .extensionTimeEnds,
      .showContent(notification),
      .contentAction(NotificationResponse(notification: notification, action: "a", text: "t")),
    ]
  }

  @Test(arguments: requests)
  func `every request reads back`(_ request: AppRequest) throws {
    let frame = try AppFrame(decoding: request.frame.numbered(9).encoded)
    guard case .request(let type, let number, let body) = try AppMessage(frame) else {
      Issue.record("not a numbered request")
      return
    }
    #expect(number == 9)
    #expect(try AppRequest(type: type, body) == request)
  }

  @Test(arguments: events)
  func `every event reads back`(_ event: AppEvent) throws {
    let frame = try AppFrame(decoding: event.frame.encoded)
    guard case .request(let type, nil, let body) = try AppMessage(frame) else {
      Issue.record("not an event")
      return
    }
    #expect(try AppEvent(type: type, body) == event)
  }

  @Test(arguments: [
    AppReply.contentOption(.doNotDismiss), AppReply.present([]), .present([.banner, .sound]),
    .fetched(.noData), .handled,
    .content(content),
  ])
  func `every reply reads back`(_ reply: AppReply) throws {
    let frame = try AppFrame(decoding: reply.frame.answering(4).encoded)
    guard case .answer(4, let body) = try AppMessage(frame) else {
      Issue.record("not an answer")
      return
    }
    #expect(try AppReply(body) == reply)
  }

  @Test
  func `answers carry what was asked for`() throws {
    var settings = NotificationSettings()
    settings.status = .authorized
    settings.alert = .enabled
    let answer = AppAnswer.settings(settings, granted: true)
    #expect(try answer.settings() == settings)
    #expect(answer.isGranted)
    var welcome = AppWelcome(appID: "a.b", agentRun: "r", settings: settings, badge: 2)
    welcome.launch = AppLaunch(
      reason: .response,
      response: NotificationResponse(notification: Self.notification, action: "x"),
      payload: [1, 2])
    #expect(try AppAnswer.welcome(welcome).welcome() == welcome)
    let pending = PendingNotification(request: Self.notification.request, nextUnixMilliseconds: 7)
    #expect(try AppAnswer.pending([pending, pending]).pending() == [pending, pending])
    #expect(try AppAnswer.delivered([Self.notification]).delivered() == [Self.notification])
    #expect(AppAnswer.dates([1, 2]).dates == [1, 2])
  }

  @Test
  func `a refusal carries its reason, and one that is not known yet is a refusal too`() throws {
    let failure = AppLinkFailure(.notificationsNotAllowed, "no")
    #expect(
      try AppMessage(AppMessage.refusing(3, failure)) == .refusal(number: 3, failure))
    let later = AppFrame(["answers": 3, "error": ["reason": "invented", "message": "m"]])
    #expect(
      try AppMessage(later) == .refusal(number: 3, AppLinkFailure(.unsupportedMessage, "m")))
    #expect(failure.reason.userNotificationsCode == 1)
  }

  @Test
  func `encoded notifications and requests are read back unchanged`() throws {
    #expect(try DeliveredNotification(decoding: Self.notification.encoded) == Self.notification)
    let request = Self.notification.request
    #expect(try NotificationRequest(decoding: request.encoded) == request)
  }

  static let damaged: [(JSONObject, AppLinkDecodingFailure)] = [
    (["type": "hello"], .missing(field: "version")),
    (["type": "setBadge", "badge": "3"], .unexpected(field: "badge")),
    (["type": "state", "state": "asleep"], .unexpected(field: "state")),
    (["type": "removePending", "ids": [1]], .unexpected(field: "ids")),
    (["type": "nonsense"], .unknownType("nonsense")),
    (["type": "add", "request": ["id": "x"]], .missing(field: "content")),
    (
      [
        "type": "add",
        "request": ["id": "x", "content": ["archive": ["offset": 1, "length": 1]]],
      ], .unexpected(field: "archive")
    ),
  ]

  @Test(arguments: damaged)
  func `a message that lacks something, or has it in another form, is refused by name`(
    object: JSONObject, failure: AppLinkDecodingFailure
  ) {
    #expect(throws: failure) {
      guard case .request(let type, _, let frame) = try AppMessage(AppFrame(object)) else { return }
      _ = try AppRequest(type: type, frame)
    }
  }

  @Test
  func `the document names every message and every reason`() throws {
    // The types come from the messages themselves, so this test fails if the document doesn't mention one of them.
    let types =
      Self.requests.compactMap { $0.frame.object["type"]?.stringValue }
      + Self.events.compactMap { $0.frame.object["type"]?.stringValue }
    let file = URL(filePath: #filePath).appending(path: "../../../../docs/app-link.md")
    let document = try String(contentsOf: file.standardized, encoding: .utf8)
    for type in Set(types) { #expect(document.contains(type), "\(type)") }
    let local: Set<AppLinkFailure.Reason> = [
      .agentUnavailable, .connectionLost, .timedOut, .wouldDeadlock,
    ]
    for reason in AppLinkFailure.Reason.allCases where !local.contains(reason) {
      #expect(document.contains(reason.rawValue), "\(reason)")
    }
  }
}
