import BelfryWire
import Foundation
import System

/// A presenter of notifications on the desktop's notification server through `org.freedesktop.Notifications`, and of
/// badges through `com.canonical.Unity.LauncherEntry`.
final class DesktopPresenter: Presenter {
  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  private static let launcher = "com.canonical.Unity.LauncherEntry"
  /// The bus name that docks own.
  private static let dock = "com.canonical.Unity"

  private let bus: BusConnection
  private let log: Log
  private weak var listener: (any PresenterListener)?
  private let windows: WindowPresenter?
  private let words: () -> DeviceWords
  private let environment: [String: String]
  private var board = DesktopNotificationState()
  private var history = ServerHistory()
  private(set) var server = ServerFeatures()
  /// The server's capabilities.
  private(set) var capabilities: Set<String> = []
  /// The server's own name and version.
  private(set) var serverName = ""
  private var badges: [AppID: Int64] = [:]
  /// The open prompts, whether the server or a window shows them.
  private var prompts: [PromptID: Prompt] = [:]
  /// A function that returns true if the desktop's do-not-disturb mode is on.
  var isDesktopQuiet: () -> Bool = { false }
  /// The unique name of the server whose signals are accepted: empty if no server is running, nil until the presenter
  /// has determined whether a server is running.
  private var knownOwner: String?
  private var owner: String { knownOwner ?? "" }
  /// The start of a server by the bus.
  let starter: ServerStarter

  /// Creates a presenter that watches for a server on the session bus.
  ///
  /// `close` does not close the bus. `windows` shows everything that the server cannot. For `graceNanoseconds`, the
  /// presenter waits for a server that the desktop starts, before it has the bus start one.
  init(
    bus: BusConnection, windows: WindowPresenter? = nil,
    words: @escaping () -> DeviceWords = { .english },
    environment: [String: String] = ProcessInfo.processInfo.environment,
    graceNanoseconds: Int64 = Limits.serverGraceNanoseconds,
    listener: any PresenterListener, log: Log
  ) throws(BusFailure) {
    self.bus = bus
    starter = try ServerStarter(
      of: Self.name, on: bus, graceNanoseconds: graceNanoseconds, log: log)
    self.environment = environment
    self.windows = windows
    self.words = words
    self.listener = listener
    self.log = log
    windows?.onPromptsLost = { [weak self] prompts in
      guard let self, self.board.isServerThere else { return }
      for prompt in prompts where self.prompts[prompt.id] != nil {
        self.make(self.board.show(.prompt(prompt.id), .prompt(prompt)))
      }
    }
    // Without a server, windows show the items that cannot wait.
    starter.onFailure = { [weak self] in self?.windows?.serverChanged(.absent) }
    try bus.match(
      "type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.name)'"
    ) { [weak self] message in self?.signalled(message) }
    try bus.followOwner(of: Self.name, asksNow: false) { [weak self] in self?.ownerChanged($0) }
    // The absence of a server is also an event: windows then show the items that cannot wait.
    bus.findOwner(of: Self.name) { [weak self] in self?.ownerChanged((try? $0.get()) ?? "") }
    try bus.followOwner(of: Self.dock, asksNow: false) { [weak self] owner in
      guard let self, !owner.isEmpty else { return }
      for (app, badge) in self.badges { self.emitBadge(app, badge) }
    }
  }

  /// True if a window can show content that the server cannot.
  private var hasWindow: Bool { windows?.canOpen == true }

  let kind = PresenterKind.desktop
  var isAvailable: Bool { board.isServerThere }
  var canAsk: Bool { board.isServerThere && server.buttons != .none }

  func show(_ event: PresenterEvent, atUnixMilliseconds unixMilliseconds: Int64) {
    switch event {
    case .presented(let presentation):
      make(board.show(.notification(presentation.key), .notification(presentation)))
      startServer()
    case .refreshed(let presentation): refresh(presentation)
    case .listed(let presentation): list(presentation)
    case .removed(let key):
      make(board.remove(.notification(key)))
      if let number = history.remove(key) { removeFromHistory(number) }
    case .prompt(let prompt):
      prompts[prompt.id] = prompt
      show([prompt])
      startServer()
    case .promptWithdrawn(let prompt):
      prompts[prompt.id] = nil
      make(board.remove(.prompt(prompt.id)))
    case .badge(let app, let badge): emitBadge(app, badge)
    case .sound(let key, _): vibrate(key.app)
    case .drawn, .windowClosed, .launchImage, .suppressed, .launched, .launchFailed, .link: break
    }
  }

  /// Closes the server's notifications, because their buttons do nothing after the agent has exited.
  func close() { make(board.numbers.map { .close($0) }) }

  // MARK: - The server

  private func ownerChanged(_ newOwner: String) {
    guard newOwner != knownOwner else { return }
    let hadServer = !owner.isEmpty
    knownOwner = newOwner
    history = ServerHistory()
    starter.ownerChanged(isThere: !newOwner.isEmpty)
    guard !newOwner.isEmpty else {
      if hadServer { log.info("the desktop's notification server has disconnected") }
      board.serverLost(keepsList: server.keepsList)
      // Items that arrived before the answer of the bus need a server. After the loss of a server, only a new item does,
      // because the user might have stopped the server.
      let isStarting =
        !hadServer && (board.hasWaiting || !prompts.isEmpty) && starter.requestStart()
      windows?.serverChanged(isStarting ? .unknown : .absent)
      return
    }
    var name = ""
    var version = ""
    bus.call(newOwner, Self.path, Self.name, "GetServerInformation") { [weak self] result in
      guard let self, self.owner == newOwner, case .success(let values) = result else { return }
      name = values.first?.stringValue ?? ""
      version = values.count > 2 ? values[2].stringValue ?? "" : ""
      self.serverName = values.prefix(3).filter { $0.stringValue?.isEmpty == false }
        .compactMap(\.stringValue).joined(separator: " ")
    }
    // Capabilities depend on the server's configuration, so they are requested for each owner. The answers arrive in
    // the order of the calls.
    bus.call(newOwner, Self.path, Self.name, "GetCapabilities") { [weak self] result in
      guard let self, self.owner == newOwner else { return }
      switch result {
      case .success(let values):
        self.capabilities = Set(values.first?.stringsValue ?? [])
      case .failure(let failure):
        self.log.warning("the notification server does not report its capabilities: \(failure)")
        self.capabilities = []
      }
      self.server = ServerFeatures(name: name, version: version, names: self.capabilities)
      self.log.info("found a desktop notification server")
      // A prompt that the previous server showed might now belong in a window, and vice versa.
      for id in self.prompts.keys { _ = self.board.remove(.prompt(id)) }
      self.make(self.board.serverAppeared())
      self.show(self.prompts.values.sorted { $0.id.number < $1.id.number })
      self.windows?.serverChanged(.present(self.server))
      self.listener?.presenterAppeared(.desktop, isNew: false)
    }
  }

  /// Has the bus start a server for a new item, if no server is running.
  private func startServer() {
    guard knownOwner?.isEmpty == true, starter.requestStart() else { return }
    assert(!board.isServerThere, "a server is started only if none is running")
    // Windows wait for the server, so that no item is shown twice.
    windows?.serverChanged(.unknown)
  }

  /// Shows prompts on the server, except those that a window shows, so that the user is asked once.
  private func show(_ prompts: [Prompt]) {
    guard board.isServerThere else { return }
    let windowsAsk = hasWindow && ButtonPlacement.opensWindow(forQuestionsOn: server)
    for prompt in prompts where !windowsAsk && windows?.isShowing(prompt.id) != true {
      make(board.show(.prompt(prompt.id), .prompt(prompt)))
    }
  }

  private func make(_ calls: [DesktopNotificationState.Call]) {
    for call in calls {
      switch call {
      case .notify(let key, let item, let number): notify(key, item, replacing: number)
      case .close(let number):
        bus.call(owner, Self.path, Self.name, "CloseNotification", [.uint32(number)]) { _ in }
      }
    }
  }

  private func notify(
    _ key: DesktopNotificationState.Key, _ item: DesktopNotificationState.Item, replacing: UInt32
  ) {
    let words = words()
    var notice =
      switch item {
      case .notification(let presentation):
        DesktopNotice(
          presentation, server, words: words, hasWindow: hasWindow,
          isDesktopQuiet: isDesktopQuiet())
      case .quiet(let presentation):
        DesktopNotice(presentation, server, words: words, isQuiet: true, hasWindow: hasWindow)
      case .prompt(let prompt): DesktopNotice(prompt, server, words: words)
      }
    if case .notification(let presentation) = item, !hasWindow,
      ButtonPlacement.needsWindow(presentation, server)
    {
      windows?.reportMissing()
    }
    if !server.findsIcons {
      notice.icon = IconSearch.path(of: notice.icon, environment: environment)
    }
    let asked = owner
    bus.call(asked, Self.path, Self.name, "Notify", notice.arguments(replacing: replacing)) {
      [weak self] result in
      guard let self, self.owner == asked else { return }
      switch result {
      case .success(let values):
        guard let number = values.first?.unsignedValue.flatMap(UInt32.init(exactly:)) else {
          return self.make(self.board.failed(key))
        }
        self.make(self.board.notified(key, number: number))
        if case .notification(let name) = key { self.listener?.presenterShowed(name) }
      case .failure(let failure):
        self.log.warning("the notification server refused a notification: \(failure)")
        self.make(self.board.failed(key))
        self.tryAgain(key, after: failure)
      }
    }
  }

  /// Retries after Plasma refused a notification that is identical to one from the last second (linux-parts 1).
  private func tryAgain(_ key: DesktopNotificationState.Key, after failure: BusFailure) {
    guard failure.name.hasSuffix("ExcessNotificationGeneration") else { return }
    let asked = owner
    bus.after(Limits.excessiveNotificationNanoseconds) { [weak self] in
      guard let self, self.owner == asked else { return }
      self.make(self.board.retry(key))
    }
  }

  private func signalled(_ message: BusMessage) {
    // A match by a well-known name also delivers signals from other services (linux-parts 1).
    guard message.sender == owner, message.interface == Self.name,
      let values = try? message.read(),
      let number = values.first?.unsignedValue.flatMap(UInt32.init(exactly:)), values.count >= 2
    else { return }
    let second = values[1]
    switch message.member {
    case "ActionInvoked":
      let key = second.stringValue ?? ""
      if let presentation = history[number] { return actFromHistory(presentation, key) }
      act(board.actionInvoked(number, key, hasWindow: hasWindow))
    case "NotificationReplied":
      act(
        board.actionInvoked(
          number, DesktopNotice.replyKey, text: second.stringValue ?? ""))
    case "ActivationToken": board.activationToken(number, second.stringValue ?? "")
    case "NotificationClosed":
      let action = board.closed(
        number, reason: UInt32(clamping: second.unsignedValue ?? 4),
        reportsDismissals: server.reportsDismissals)
      act((action, []))
    default: break
    }
  }

  private func act(_ what: (DesktopNotificationState.UserAction?, [DesktopNotificationState.Call]))
  {
    make(what.1)
    switch what.0 {
    case .acted(let key, let action): listener?.presenterActed(key, action)
    case .answered(let prompt, let isAllowed):
      listener?.presenterAnswered(prompt, isAllowed: isAllowed)
    case .postponed(let prompt): listener?.presenterPostponed(prompt)
    case .opensWindow(let presentation, let focus): windows?.open(presentation, focus: focus)
    case nil: break
    }
  }

  // MARK: - Without a banner

  /// Updates text in place, without showing another banner if the server has moved the banner to its list.
  private func refresh(_ presentation: Presentation) {
    let key = DesktopNotificationState.Key.notification(presentation.key)
    if !server.keepsList || presentation.stays {
      make(board.refresh(key, .notification(presentation)))
    } else if server.quietDelivery == .lowUrgency {
      make(board.refresh(key, .quiet(presentation)))
    }
    // Do nothing for Plasma: it shows every changed notification again, and it shows no list on a locked screen.
  }

  /// Adds a notification to the server's own list, if the server has a list that requires no banner.
  private func list(_ presentation: Presentation) {
    guard board.isServerThere else { return }
    switch server.quietDelivery {
    case .none: break
    case .lowUrgency:
      make(board.show(.notification(presentation.key), .quiet(presentation)))
    case .closedIntoHistory:
      // The server reads both calls in one turn of its loop, and draws only at the end of the turn.
      let number = history.add(presentation)
      var notice = DesktopNotice(
        presentation, server, words: words(), isQuiet: true, hasWindow: hasWindow)
      notice.icon = IconSearch.path(of: notice.icon, environment: environment)
      bus.call(
        owner, Self.path, Self.name, "Notify", notice.arguments(replacing: number)
      ) { _ in }
      bus.call(owner, Self.path, Self.name, "CloseNotification", [.uint32(number)]) { _ in }
    }
  }

  private func actFromHistory(_ presentation: Presentation, _ key: String) {
    if hasWindow,
      let focus = DesktopNotificationState.windowFocus(key, text: nil, presentation)
    {
      windows?.open(presentation, focus: focus.id)
      return
    }
    guard let id = DesktopNotice.action(of: key, in: presentation) else { return }
    listener?.presenterActed(presentation.key, PersonAction(id))
  }

  /// Removes an entry with dunst's own call; a server without that call keeps the entry.
  private func removeFromHistory(_ number: UInt32) {
    bus.call(
      owner, Self.path, "org.dunstproject.cmd0", "NotificationRemoveFromHistory",
      [.uint32(number)]
    ) { _ in }
  }

  // MARK: - Vibration

  /// Causes a phone to vibrate with the sound, which the agent plays itself (S4-19).
  ///
  /// The method uses feedbackd if it is installed.
  private func vibrate(_ app: AppID) {
    bus.call(
      "org.sigxcpu.Feedback", "/org/sigxcpu/Feedback", "org.sigxcpu.Feedback", "TriggerFeedback",
      [
        .string(app.text), .string("message-new-instant"),
        // The device profile that vibrates without making a sound.
        .vardict([("profile", .string("quiet"))]), .int32(-1),
      ], mayStart: true
    ) { _ in }
  }

  // MARK: - Badges

  private func emitBadge(_ app: AppID, _ badge: Int64) {
    if badges[app] == nil {
      // A dock that starts later can query the badge.
      try? bus.export(Self.launcherPath(app)) { [weak self] message in
        guard message.interface == Self.launcher, message.member == "Query" else { return nil }
        return .success(Self.badge(app, self?.badges[app] ?? 0))
      }
    }
    badges[app] = badge
    bus.emit(Self.launcherPath(app), Self.launcher, "Update", Self.badge(app, badge))
  }

  private static func badge(_ app: AppID, _ badge: Int64) -> [BusValue] {
    [
      .string("application://\(app).desktop"),
      .vardict([("count", .int64(badge)), ("count-visible", .bool(badge > 0))]),
    ]
  }

  private static func launcherPath(_ app: AppID) -> String {
    "/com/canonical/unity/launcherentry/\(hash("application://\(app).desktop"))"
  }

  /// Returns the djb2 hash, which libunity uses in the names of its objects.
  static func hash(_ text: String) -> UInt32 {
    text.utf8.reduce(5_381) { $0 &* 33 &+ UInt32($1) }
  }
}
