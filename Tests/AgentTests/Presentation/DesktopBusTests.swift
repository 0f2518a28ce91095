import AppWire
import Foundation
import System
import TestSupport
import Testing

@testable import Agent

/// A listener that records the user's actions as the desktop presenter reports them.
final class Hearing: PresenterListener {
  var acted: [(String, String?)] = []
  var postponed: [PromptID] = []
  var shown = 0

  func presenterShowed(_ key: AppNotificationID) { shown += 1 }

  func presenterWindow(_ key: AppNotificationID, isOpen: Bool) {}
  func presenterActed(_ key: AppNotificationID, _ action: PersonAction) {
    acted.append((action.id, action.text))
  }

  func presenterAnswered(_ prompt: PromptID, isAllowed: Bool) {}
  func presenterPostponed(_ prompt: PromptID) { postponed.append(prompt) }
  func presenterDecided(_ app: AppID, keepsNotifications: Bool) {}
  func presenterAppeared(_ kind: PresenterKind, isNew: Bool) {}
}

/// A notification server for tests.
///
/// By default, the server resembles Plasma's: it has a text field and refuses notifications beyond its limit.
final class FieldServer {
  let bus: BusConnection
  var notified: [[BusValue]] = []
  var closed: [UInt64] = []
  var refusals = 0

  init(_ scenario: ServiceScenario, name serverName: String = "Plasma", version: String = "5")
    throws
  {
    bus = try scenario.connect()
    let name = "org.freedesktop.Notifications"
    try bus.export("/org/freedesktop/Notifications") { [unowned self] message in
      switch message.member {
      case "GetCapabilities": return .success([.strings(["actions", "body", "inline-reply"])])
      case "GetServerInformation":
        return .success([.string(serverName), .string("V"), .string(version), .string("1.2")])
      case "Notify":
        guard let values = try? message.read() else { return nil }
        if refusals > 0 {
          refusals -= 1
          return .failure(
            BusFailure(name: "\(name).Error.ExcessNotificationGeneration", message: "again"))
        }
        notified.append(values)
        return .success([.uint32(7)])
      case "CloseNotification":
        if let number = (try? message.read())?.first?.unsignedValue { closed.append(number) }
        return .success([])
      default: return nil
      }
    }
    bus.call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
      [.string(name), .uint32(0)]
    ) { _ in }
  }

  /// Reports that the notification has disappeared from the screen.
  func reportClosed(reason: UInt32) {
    bus.emit(
      "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "NotificationClosed",
      [.uint32(7), .uint32(reason)])
  }
}

@Suite("The desktop's bus", .serialized)
struct DesktopBusTests {
  @Test(.requires(.dbus))
  func
    `client-api 3.29: an inline reply delivers its text, even if the server refused the first try`()
    async throws
  {
    try await ServiceScenario.run { scenario in
      let server = try FieldServer(scenario)
      server.refusals = 1
      let hearing = Hearing()
      let presenter = try DesktopPresenter(
        bus: try scenario.connect(), listener: hearing, log: .silent)
      let action = NotificationAction(
        id: "REPLY", title: "Reply",
        textInput: NotificationAction.TextInput(buttonTitle: "Send", placeholder: "Say"))
      let presentation = DesktopTests.presentation(actions: [action])
      presenter.show(.presented(presentation), atUnixMilliseconds: 0)
      #expect(scenario.run { server.notified.count == 1 })
      let call = server.notified.first ?? []
      #expect(call.count == 8)
      #expect(call[5].stringsValue?.contains("inline-reply") == true)
      #expect(call[6]["x-kde-reply-placeholder-text"]?.stringValue == "Say")
      #expect(scenario.run { hearing.shown == 1 })
      server.bus.emit(
        "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "NotificationReplied",
        [.uint32(7), .string("on my way")])
      #expect(scenario.run { !hearing.acted.isEmpty })
      #expect(hearing.acted.first?.0 == "REPLY")
      #expect(hearing.acted.first?.1 == "on my way")
    }
  }

  private static func urgency(_ call: [BusValue]) -> UInt64? { call[6]["urgency"]?.unsignedValue }

  @Test(
    .requires(.dbus),
    arguments: [("gnome-shell", "43.9", [1, 0, 2]), ("Plasma", "5.27.5", [1, 1])])
  func `Hiding or revealing texts does not show a banner again`(
    name: String, version: String, urgencies: [UInt64]
  ) async throws {
    try await ServiceScenario.run { scenario in
      let server = try FieldServer(scenario, name: name, version: version)
      let hearing = Hearing()
      let presenter = try DesktopPresenter(
        bus: try scenario.connect(), listener: hearing, log: .silent)
      presenter.show(.presented(DesktopTests.presentation()), atUnixMilliseconds: 0)
      #expect(scenario.run { hearing.shown == 1 })
      // An update in GNOME's list shows no banner; Plasma would show one.
      presenter.show(.refreshed(DesktopTests.presentation(body: "x")), atUnixMilliseconds: 0)
      // An alert that is still on the screen isn't in the list.
      presenter.show(
        .presented(DesktopTests.presentation("alert", persistent: true)), atUnixMilliseconds: 0)
      #expect(scenario.run { server.notified.count == urgencies.count })
      #expect(server.notified.map(Self.urgency) == urgencies)
    }
  }

  @Test(.requires(.dbus))
  func `While the desktop's do-not-disturb is on, an alert does not pass it`() async throws {
    try await ServiceScenario.run { scenario in
      let server = try FieldServer(scenario, name: "gnome-shell", version: "43.9")
      let presenter = try DesktopPresenter(
        bus: try scenario.connect(), listener: Hearing(), log: .silent)
      var isQuiet = true
      presenter.isDesktopQuiet = { isQuiet }
      presenter.show(
        .presented(DesktopTests.presentation("1", persistent: true)), atUnixMilliseconds: 0)
      #expect(scenario.run { server.notified.count == 1 })
      isQuiet = false
      presenter.show(
        .presented(DesktopTests.presentation("2", persistent: true)), atUnixMilliseconds: 0)
      #expect(scenario.run { server.notified.count == 2 })
      #expect(server.notified.map(Self.urgency) == [1, 2])
    }
  }

  @Test(.requires(.dbus), arguments: [("Plasma", false), ("dunst", true)])
  func `An icon goes by its name to a server that finds it, and as a file to others`(
    name: String, isFile: Bool
  ) async throws {
    try await ServiceScenario.run { scenario in
      let folder = try ScratchFolder()
      let apps = folder.file("icons/hicolor/48x48/apps")
      try FileManager.default.createDirectory(atPath: apps, withIntermediateDirectories: true)
      try Data().write(to: URL(fileURLWithPath: apps + "/burger.png"))
      let server = try FieldServer(scenario, name: name)
      let hearing = Hearing()
      let presenter = try DesktopPresenter(
        bus: try scenario.connect(), environment: ["XDG_DATA_HOME": folder.path],
        listener: hearing, log: .silent)
      var presentation = DesktopTests.presentation()
      presentation.icon = "burger"
      presenter.show(.presented(presentation), atUnixMilliseconds: 0)
      #expect(scenario.run { hearing.shown == 1 })
      #expect(server.notified.first?[2].stringValue == (isFile ? apps + "/burger.png" : "burger"))
    }
  }

  @Test(.requires(.dbus))
  func `When the agent ends, it closes its notifications`() async throws {
    try await ServiceScenario.run { scenario in
      let server = try FieldServer(scenario)
      let hearing = Hearing()
      let presenter = try DesktopPresenter(
        bus: try scenario.connect(), listener: hearing, log: .silent)
      presenter.show(.presented(DesktopTests.presentation()), atUnixMilliseconds: 0)
      #expect(scenario.run { hearing.shown == 1 })
      presenter.close()
      #expect(scenario.run { server.closed == [7] })
    }
  }

  @Test
  func `Docks receive badges, can query them, and receive them again when they start`()
    async throws
  {
    try await ServiceScenario.run { scenario in
      let dock = try scenario.connect()
      var told: [(String, UInt64?, Bool?)] = []
      try dock.match("type='signal',interface='com.canonical.Unity.LauncherEntry'") { message in
        guard message.member == "Update", let values = try? message.read(), values.count == 2
        else { return }
        told.append(
          (
            values[0].stringValue ?? "", values[1]["count"]?.unsignedValue,
            values[1]["count-visible"]?.boolValue
          ))
      }
      let bus = try scenario.connect()
      let hearing = Hearing()
      let presenter = try DesktopPresenter(bus: bus, listener: hearing, log: .silent)
      // The dock's match rule must be registered first.
      var isReady = false
      dock.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId"
      ) { _ in isReady = true }
      #expect(scenario.run { isReady })
      presenter.show(.badge(ModelBench.burger, 3), atUnixMilliseconds: 0)
      #expect(scenario.run { told.count == 1 })
      #expect(told.first?.0 == "application://org.example.burger.desktop")
      // S4-3 part 1 of 3: the badge on the icon
      #expect(told.first?.1 == 3)
      presenter.show(.badge(ModelBench.burger, 0), atUnixMilliseconds: 0)
      #expect(scenario.run { told.count == 2 })
      #expect(told.last?.2 == false)
      // A dock that starts later receives the badge again.
      dock.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        [.string("com.canonical.Unity"), .uint32(0)]
      ) { _ in }
      #expect(scenario.run { told.count == 3 })
      var names: [BusValue]?
      bus.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames"
      ) { names = try? $0.get() }
      #expect(scenario.run { names != nil })
      // Call every name on the bus. Only the presenter's connection answers.
      var answers: [[BusValue]] = []
      let hash = DesktopPresenter.hash("application://org.example.burger.desktop")
      for name in names?.first?.stringsValue ?? [] where name.hasPrefix(":") {
        dock.call(
          name, "/com/canonical/unity/launcherentry/\(hash)", "com.canonical.Unity.LauncherEntry",
          "Query"
        ) { result in
          if case .success(let values) = result { answers.append(values) }
        }
      }
      #expect(scenario.run { !answers.isEmpty })
      #expect(answers.first?.first?.stringValue == "application://org.example.burger.desktop")
    }
  }
}
