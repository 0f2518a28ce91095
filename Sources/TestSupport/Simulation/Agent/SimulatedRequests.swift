import Agent
import AppWire

/// Generators of app requests, which cover every request of the app link, in any order.
enum SimulatedRequests {
  static let categories = [
    NotificationCategory(
      id: "K1",
      actions: [
        NotificationAction(id: "reply", title: "Reply", textInput: .init()),
        NotificationAction(id: "later", title: "Later", options: [.foreground]),
      ], options: [.customDismissAction]),
    NotificationCategory(
      id: "K2",
      actions: [
        NotificationAction(id: "reply", title: "Reply", options: [.authenticationRequired])
      ], options: [.hiddenPreviewsShowTitle]),
  ]

  static func options(in world: AgentSimulation) -> Set<AuthorizationOption> {
    world.pick([
      [.alert, .sound, .badge], [.alert, .sound, .badge], [.alert], [.alert, .provisional],
      [.alert, .sound, .badge, .criticalAlert, .timeSensitive], [.badge],
    ])
  }

  static func any(of app: SimulatedApp, in world: AgentSimulation) -> AppRequest {
    switch world.random(0...39) {
    case 0...9: .add(request(of: app, in: world))
    case 10: .removePending(world.chance(0.8) ? ["s-\(world.random(1...6))"] : nil)
    case 11: .pending
    case 12: .delivered
    case 13: .removeDelivered(world.chance(0.8) ? [nowID(in: world), "c-1"] : nil)
    case 14: .setBadge(world.random(Int64(-1)...4))
    case 15: .badge
    case 16...20: .setState(world.chance(0.5) ? .foreground : .background)
    case 21, 22: .requestAuthorization(options(in: world))
    case 23: .settings
    case 24: .register(world.pick([.alert, .alert, .voip, .location]))
    case 25: .unregister(world.pick([.alert, .voip, .location]))
    case 26: .setCategories(world.chance(0.8) ? categories : [])
    case 27: .categories
    case 28: .setLanguages(world.pick([["fr"], nil]))
    case 29: .beginBackgroundTask(name: nil)
    case 30: .endBackgroundTask(1)
    case 31, 32: .requestLocation(always: world.chance(0.5))
    case 33: .locationStatus
    case 34: .watchRegion(region(in: world))
    case 35: world.pick([.unwatchRegion("r-1"), .watchedRegions, .regionState("r-0")])
    case 36: .setLocationUpdates(world.chance(0.6))
    case 37: .hello(AppHello(appID: app.id.text))
    case 38: world.chance(0.3) ? .control(.apps) : backgroundTask(in: world)
    default: .backgroundTime
    }
  }

  private static func backgroundTask(in world: AgentSimulation) -> AppRequest {
    switch world.random(0...5) {
    case 0: return .cancelTasks(world.chance(0.5) ? nil : ["t-\(world.random(1...15))"])
    case 1: return .pendingTasks
    default:
      return .submitTask(
        BackgroundTaskRequest(
          id: "t-\(world.random(1...15))", kind: world.pick(BackgroundTaskRequest.Kind.allCases),
          earliestUnixMilliseconds: world.chance(0.3)
            ? nil : world.machine.now.wall + world.random(Int64(-10_000)...300_000)))
    }
  }

  /// Returns a notification for immediate or later delivery.
  ///
  /// The identifiers of notifications for later delivery begin with `s`.
  static func request(of app: SimulatedApp, in world: AgentSimulation) -> NotificationRequest {
    let serial = world.takeSerial()
    var content = NotificationContent()
    content.title = NotificationText("T\(serial)")
    content.body = NotificationText("B\(serial)")
    content.generation =
      world.chance(0.95) ? app.generation : world.pick(NotificationGeneration.allCases)
    content.userInfo = ["serial": .integer(Int64(serial))]
    if world.chance(0.2) {
      content.attachments = [NotificationAttachment(id: "a", path: "/data/\(app.id)/\(serial)")]
    }
    if world.chance(0.3) { content.badge = world.random(Int64(-1)...5) }
    if world.chance(0.4) { content.sound = NotificationSound(isCritical: world.chance(0.2)) }
    if world.chance(0.4) { content.category = "K\(world.random(1...2))" }
    if world.chance(0.3) { content.interruptionLevel = world.pick(InterruptionLevel.allCases) }
    if world.chance(0.05) { SimulatedExtremes.widen(&content, in: world) }
    guard world.chance(0.6) else {
      if world.chance(0.05) { content = NotificationContent() }
      let id = world.chance(0.1) ? "s-\(world.random(1...6))" : nowID(in: world)
      return NotificationRequest(id: id, content: content)
    }
    return NotificationRequest(
      id: "s-\(world.random(1...6))", content: content, trigger: trigger(in: world))
  }

  /// Returns the identifier of a notification without a trigger.
  private static func nowID(in world: AgentSimulation) -> String {
    world.chance(0.15)
      ? world.pick(SimulatedExtremes.twins + [SimulatedExtremes.longestID])
      : "n-\(world.random(1...3))"
  }

  private static func trigger(in world: AgentSimulation) -> NotificationTrigger {
    if world.chance(0.03) { return SimulatedExtremes.trigger(in: world) }
    let now = world.machine.now.wall
    switch world.random(0...9) {
    case 0, 1, 2:
      return .interval(seconds: Double(world.random(1...120)), repeats: false)
    case 3, 4: return .interval(seconds: Double(world.random(55...200)), repeats: true)
    case 5, 6:
      return .date(
        unixMilliseconds: now + world.random(Int64(-100_000)...400_000), zone: nil,
        recurrence: nil, recurrenceCalendar: nil)
    case 7:
      return .calendar(MatchingComponents([.second: world.random(Int64(0)...59)]), repeats: true)
    case 8:
      return .calendar(
        MatchingComponents(
          [.minute: world.random(Int64(0)...59), .second: 0],
          zone: world.chance(0.3) ? world.pick(SimulatedMachine.zones) : nil), repeats: false)
    default: return .region(region(in: world), repeats: world.chance(0.5))
    }
  }

  private static func region(in world: AgentSimulation) -> NotificationRegion {
    let site = world.random(0...SimulatedMachine.sites.count - 2)
    let (latitude, longitude) = SimulatedMachine.sites[site]
    let isBeacon = world.chance(0.2)
    return NotificationRegion(
      id: isBeacon ? "b-\(site)" : "r-\(site)",
      shape: isBeacon
        ? .beacon(uuid: SimulatedMachine.beaconUUID, major: world.pick([nil, 1, 7]), minor: nil)
        : .circle(latitude: latitude, longitude: longitude, radius: 200),
      notifiesOnEntry: world.chance(0.7), notifiesOnExit: world.chance(0.7))
  }
}
