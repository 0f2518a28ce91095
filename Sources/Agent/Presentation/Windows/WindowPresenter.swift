import BelfryWire
import AppWire
import Foundation
import System

/// A presenter that opens windows with `belfry-center`: for notifications and questions that the desktop's server
/// cannot show, and for the Notification Center.
///
/// The program runs while a window is open. If the program or a display is missing, the agent continues without windows
/// and logs the problem once.
final class WindowPresenter: Presenter {
  private let loop: EventLoop
  private let log: Log
  private let source: Source
  private weak var listener: (any PresenterListener)?
  private var environment: [String: String]  // text: the process's own variables
  /// The absolute path of `belfry-center`; nil if it is not installed.
  let program: String?
  private var child: ChildProgram?
  private var state = WindowState()
  private var names: [WindowState.Key: String] = [:]
  private var nextName = 1
  private var isCenterOpen = false
  private var isCenterRefreshDue = false
  /// True if the running program has shown a window.
  private var hasShown = false
  /// True if a program has exited without showing a window.
  private var hasFailed = false
  private var hasComplained = false
  /// True if notifications and questions are shown; false if only the Notification Center is shown.
  let isDesktop: Bool
  /// Called with the open prompts whose windows have disappeared because the program exited.
  var onPromptsLost: ([Prompt]) -> Void = { _ in }

  /// The environment variables that a program needs to find a display and the display's screen reader.
  private static let displayVariables: Set<String> = [
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
  ]

  /// The functions that provide displayed content; each is called when the content is shown.
  struct Source {
    var words: () -> DeviceWords
    /// A function that returns the content of the Notification Center, with the newest app and thread first.
    var center: () -> [CenterGroup]
    /// A function that formats a time in milliseconds since 1970 for the user.
    var date: (Int64) -> String
  }

  /// Creates a presenter with the `belfry-center` next to this program or on `PATH`.
  init(
    _ source: Source, isDesktop: Bool,
    environment: [String: String] = ProcessInfo.processInfo.environment, on loop: EventLoop,
    listener: any PresenterListener, log: Log
  ) {
    self.source = source
    self.environment = environment
    self.isDesktop = isDesktop
    self.loop = loop
    self.listener = listener
    self.log = log
    program = HelperProgram.find("belfry-center", environment)
  }

  let kind = PresenterKind.desktop
  var isAvailable: Bool { isDesktop && canOpen }
  var canAsk: Bool { isAvailable }

  /// True if a window can be opened.
  var canOpen: Bool { program != nil && hasDisplay && !hasFailed }

  /// True if a display is available for windows.
  var hasDisplay: Bool { HelperProgram.hasDisplay(environment) }

  func show(_ event: PresenterEvent, atUnixMilliseconds unixMilliseconds: Int64) {
    // Even if windows show no new notifications, the user can open one from the Notification Center.
    guard isDesktop || event.updatesWindow else { return }
    switch event {
    case .presented(let presentation): make(state.presented(presentation))
    case .refreshed(let presentation): make(state.refreshed(presentation))
    case .removed(let key): make(state.removed(key))
    case .drawn(let key, let drawing): make(state.drew(key, drawing))
    case .windowClosed(let key):
      make(state.removed(key))
      listener?.presenterWindow(key, isOpen: false)
    case .launchImage(let app, let path?): showLaunchImage(of: app, path)
    case .launchImage(let app, nil): make(state.launched(app.id))
    case .prompt(let prompt): make(state.asked(prompt))
    case .promptWithdrawn(let prompt): make(state.withdrawn(prompt.id))
    case .listed, .badge, .sound, .suppressed, .launched, .launchFailed, .link: break
    }
  }

  /// Shows an app's launch image until the app has connected, for a limited time.
  private func showLaunchImage(of app: LocalApp, _ path: String) {
    make(state.launching(app.id, name: app.displayName, image: path))
    loop.schedule(afterNanoseconds: Limits.launchImageNanoseconds) { [weak self] in
      guard let self else { return }
      self.make(self.state.launched(app.id))
    }
  }

  /// Returns true if a window shows the prompt.
  func isShowing(_ prompt: PromptID) -> Bool { state[.prompt(prompt)] != nil }

  /// Handles a new notification server, or the absence of a server.
  func serverChanged(_ server: WindowState.Server) { make(state.serverChanged(server)) }

  /// Handles the user's request for all buttons of a notification, or for the text field of one action.
  func open(_ presentation: Presentation, focus: String?) {
    make(state.requested(presentation, focus: focus))
  }

  func close() {
    child?.close()
    child = nil
  }

  // MARK: - The Notification Center

  /// Opens the Notification Center on the display of `environment`.
  ///
  /// - Throws: A failure that identifies the missing part.
  func openCenter(_ environment: [String: String]) throws(AppLinkFailure) {
    let display = environment.filter { Self.displayVariables.contains($0.key) }
    if display.contains(where: { self.environment[$0.key] != $0.value }) {
      // This is another session's display; windows that failed on the previous display might work on this one.
      self.environment.merge(display) { $1 }
      hasFailed = false
    }
    guard program != nil else {
      throw HelperProgram.missingWindows(insteadUse: "belfry center --page")
    }
    guard hasDisplay else {
      throw HelperProgram.missingDisplay(insteadUse: "belfry center --page")
    }
    isCenterOpen = true
    sendCenter()
  }

  /// Handles a change to the delivered notifications or to the apps that are allowed to show notifications.
  func centerChanged() {
    guard isCenterOpen, !isCenterRefreshDue else { return }
    isCenterRefreshDue = true
    loop.schedule(afterNanoseconds: Limits.centerRefreshNanoseconds) { [weak self] in
      guard let self else { return }
      self.isCenterRefreshDue = false
      if self.isCenterOpen { self.sendCenter() }
    }
  }

  private func sendCenter() {
    assert(isCenterOpen, "only an open notification center is refreshed")
    send(WindowContent(words: source.words()).center(source.center(), date: source.date))
  }

  // MARK: - The program

  private func make(_ calls: [WindowState.Call]) {
    guard canOpen else {
      // No window shows these items, so the notification server has to.
      _ = state.ended()
      assert(state.isEmpty, "no window is open without the program")
      if !calls.isEmpty { reportMissing() }
      return
    }
    for call in calls {
      switch call {
      case .show(let key, let item):
        send(WindowContent(words: source.words()).show(name(of: key), item, drawing(of: item)))
      case .close(let key):
        if let name = names.removeValue(forKey: key) {
          send(["do": "close", "window": .string(name)])
        }
      }
    }
    #if DEBUG
      state.checkInvariants()
    #endif
    endIfIdle()
  }

  private func drawing(of item: WindowState.Item) -> Drawing? {
    guard case .notification(let presentation, _) = item else { return nil }
    return state.drawing(of: presentation)
  }

  /// Logs once that something needs a window, if no window can be opened.
  func reportMissing() {
    guard !canOpen, !hasComplained else { return }
    hasComplained = true
    log.info(
      "windows are not available for notifications that the desktop cannot show",
      [
        "why": program == nil
          ? "belfry-center is not installed"
          : hasDisplay ? "belfry-center exited" : "there is no display"
      ])
  }

  private func name(of key: WindowState.Key) -> String {
    if let name = names[key] { return name }
    defer { nextName += 1 }
    assert(!names.values.contains("w\(nextName)"), "window names are unique")
    names[key] = "w\(nextName)"
    return "w\(nextName)"
  }

  private func key(of name: String) -> WindowState.Key? {
    names.first { $0.value == name }?.key
  }

  private func send(_ object: JSONObject) {
    if child == nil { start() }
    child?.send(Array((object.text + "\n").utf8))
  }

  private func start() {
    guard let program else { return }
    hasShown = false
    do {
      child = try ChildProgram(
        program, [], environment: environment, takesInput: true, on: loop
      ) { [weak self] in self?.onEvent($0) }
    } catch {
      log.warning("cannot show a window", ["why": "\(error)"])
    }
  }

  private func endIfIdle() {
    guard state.isEmpty, !isCenterOpen else { return }
    close()
    names = [:]
  }

  private func onEvent(_ event: ChildProgram.Event) {
    switch event {
    case .line(let line):
      if let report = WindowReport(line: line) { onReport(report) }
    case .ended:
      child = nil
      hasFailed = !hasShown
      isCenterOpen = false
      names = [:]
      let items = state.ended()
      log.warning(
        "the windows have closed",
        [
          "why": hasShown
            ? "belfry-center exited" : "belfry-center cannot use the display"
        ])
      for case .notification(let presentation, _) in items where presentation.isDrawnByApp {
        listener?.presenterWindow(presentation.key, isOpen: false)
      }
      for case .prompt(let prompt) in items {
        log.warning(
          "an app is waiting for permission: answer with 'belfry settings \(prompt.app) …=on'",
          ["app": prompt.app.text])
      }
      onPromptsLost(
        items.compactMap { if case .prompt(let prompt) = $0 { prompt } else { nil } }
          .sorted { $0.id.number < $1.id.number })
    }
  }

  // MARK: - The user

  private func onReport(_ report: WindowReport) {
    switch report {
    case .shown(let window):
      hasShown = true
      if case .notification(let presentation, _)? = key(of: window).flatMap({ state[$0] }) {
        listener?.presenterShowed(presentation.key)
        if presentation.isDrawnByApp { listener?.presenterWindow(presentation.key, isOpen: true) }
      }
    case .pressed(let window, let button, let text):
      if let key = key(of: window), let item = state[key] { onPressed(item, button, text) }
    case .pressedInCenter(let app, let item, let button, let text):
      onPressedInCenter(app, item, button, text)
    case .closed(WindowReport.center):
      isCenterOpen = false
      endIfIdle()
    case .closed(let window): onClosed(window)
    }
  }

  private func onPressed(_ item: WindowState.Item, _ button: String, _ text: String?) {
    switch item {
    case .notification(let presentation, _):
      if button == WindowContent.Button.more.rawValue {
        return make(state.requested(presentation, focus: nil))
      }
      guard let action = WindowContent.action(of: button, text: text) else { return }
      // The app's own drawing can remain after an action; the agent reports when to remove it.
      if state.drawing(of: presentation) == nil || action == .open || action == .dismiss {
        make(state.removed(presentation.key))
      }
      listener?.presenterActed(presentation.key, action)
    case .launch: break
    case .prompt(let prompt):
      guard
        button == WindowContent.Button.allow.rawValue
          || button == WindowContent.Button.deny.rawValue
      else { return }
      listener?.presenterAnswered(
        prompt.id, isAllowed: button == WindowContent.Button.allow.rawValue)
    }
  }

  private func onPressedInCenter(
    _ app: AppID?, _ item: String?, _ button: String, _ text: String?
  ) {
    switch (app, item, WindowContent.Button(rawValue: button)) {
    case (let app?, let item?, .more):
      let key = AppNotificationID(app: app, id: item)
      let items = source.center().flatMap(\.threads).flatMap(\.items)
      guard var presentation = items.first(where: { $0.key == key }) else { return }
      // Unless the window is already open as an alert, closing it returns to the list, and dismisses nothing.
      if state[.notification(key)] == nil { presentation.isPersistent = false }
      open(presentation, focus: nil)
    case (let app?, let item?, _):
      guard let action = WindowContent.action(of: button, text: text) else { return }
      listener?.presenterActed(AppNotificationID(app: app, id: item), action)
    case (let app?, nil, .keep): listener?.presenterDecided(app, keepsNotifications: true)
    case (let app?, nil, .turnOff): listener?.presenterDecided(app, keepsNotifications: false)
    case (nil, nil, .clearAll):
      for group in source.center() {
        for item in group.threads.flatMap(\.items) { listener?.presenterActed(item.key, .dismiss) }
      }
    default: break
    }
  }

  private func onClosed(_ window: String) {
    guard let key = key(of: window), let item = state.closed(key) else { return }
    names[key] = nil
    switch item {
    case .notification(let presentation, _):
      if presentation.isDrawnByApp { listener?.presenterWindow(presentation.key, isOpen: false) }
      // Closing the window dismisses an alert; any other notification remains in the Notification Center.
      if presentation.isPersistent { listener?.presenterActed(presentation.key, .dismiss) }
    case .prompt(let prompt): listener?.presenterPostponed(prompt.id)
    case .launch: break
    }
    endIfIdle()
  }
}

extension PresenterEvent {
  /// True if the event changes or closes the window of a notification, but opens none.
  fileprivate var updatesWindow: Bool {
    switch self {
    case .refreshed, .removed, .drawn, .windowClosed: true
    case .presented, .listed, .badge, .sound, .suppressed, .launched, .launchFailed, .launchImage,
      .link, .prompt, .promptWithdrawn:
      false
    }
  }
}
