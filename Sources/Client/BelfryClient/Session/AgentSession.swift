package import AppLink
package import BelfryWire
package import Dispatch
import Foundation
import Synchronization

/// This process's one conversation with the agent, shared by the client modules.
///
/// The conversation begins with the first thing that is asked, or when an application starts. It
/// outlives the agent: after a restart the registrations and the app's state are told anew.
package final class AgentSession: Sendable {
  /// What handles an event on the main thread; false leaves it to the next one.
  package typealias Handler = @MainActor @Sendable (AppEvent, AppLinkQuestion?) -> Bool

  /// Who is asked about an event, in this order.
  package enum Listener: Int, CaseIterable, Sendable {
    case notificationCenter, desktopCenter, application, pushRegistry, locationManager
    case serviceExtension
  }

  private struct State {
    var connection: AppLinkConnection?
    var handlers: [Listener: Handler] = [:]
    var activation: (@MainActor @Sendable (NotificationResponse) -> Void)?
    var categories: [NotificationCategory] = []
    var appState = AppState.background
    var hasApplication = false
    var registrations: Set<TokenKind> = []
    var isRegistered = false
    var wantsPlaces = false
    var welcome: AppWelcome?
    var settings: NotificationSettings?
    var languages: [String]?
    var badge: Int64 = 0
    var failure: AppLinkFailure?
    var role = AppHello.Role.app
    var mayStartAgent = true
    /// Until when an agent that this process started may take to be there.
    var agentStarts: ContinuousClock.Instant?
  }

  package static let shared: AgentSession = {
    // A tool that asks for something and ends at once has asked for it all the same.
    atexit { AgentSession.shared.flush() }
    return AgentSession(identity: .current, socketPath: AgentSocket.path)
  }()

  /// Where an app's completion handlers run: in the order of the answers, and never on the thread
  /// that reads the answers, so that an app may wait in them.
  package let callbacks = DispatchQueue(label: "belfry.callbacks")

  /// Whether the person is being asked for permission.
  package let question = AuthorizationQuestion()

  private let identity: AppIdentity
  private let socketPath: String
  private let state = Mutex(State())

  package init(identity: AppIdentity, socketPath: String) {
    self.identity = identity
    self.socketPath = socketPath
  }

  // MARK: Asking

  /// Asks the agent; the completion runs exactly once, on the callback queue.
  package func send(
    _ request: AppRequest, timeoutMilliseconds: Int64? = nil,
    completion: @escaping @Sendable (Result<AppAnswer, AppLinkFailure>) -> Void = { _ in }
  ) {
    note(request)
    let isUnreachable = state.withLock { $0.failure != nil }
    let timeout = isUnreachable ? Limits.unreachableMilliseconds : timeoutMilliseconds
    connection().send(request, timeoutMilliseconds: timeout) { [callbacks] result in
      callbacks.async { completion(result) }
    }
  }

  /// Asks the agent and waits for the answer; for properties that cannot wait otherwise.
  package func call(_ request: AppRequest) throws(AppLinkFailure) -> AppAnswer {
    note(request)
    let isUnreachable = state.withLock { $0.failure != nil }
    return try connection().call(
      request,
      timeoutMilliseconds: isUnreachable
        ? Limits.unreachableMilliseconds : Limits.propertyMilliseconds)
  }

  /// Waits until what was asked so far has reached the agent, or a moment; before the process ends.
  package func flush() {
    guard state.withLock({ $0.connection != nil && $0.failure == nil }) else { return }
    _ = try? connection().call(.badge, timeoutMilliseconds: Limits.flushMilliseconds)
  }

  /// Begins the conversation, unless it goes on already.
  package func connect() { _ = connection() }

  /// Begins the conversation and waits until the agent has greeted, or so long.
  package func connect(waitingMilliseconds: Int64) -> AppWelcome? {
    if let welcome { return welcome }
    _ = try? connection().call(.settings, timeoutMilliseconds: waitingMilliseconds)
    return welcome
  }

  /// Whether the agent started this process, and will say why.
  package var wasStartedByAgent: Bool { AgentSocket.launch != nil }

  /// What the agent said when it last greeted.
  package var welcome: AppWelcome? { state.withLock { $0.welcome } }

  /// What the person allows, as far as the agent has said; nil before its greeting.
  package var settings: NotificationSettings? { state.withLock { $0.settings } }

  func learn(_ settings: NotificationSettings) { state.withLock { $0.settings = settings } }

  /// Why no agent was reached when that was last tried.
  package var failure: AppLinkFailure? { state.withLock { $0.failure } }

  /// Whether no agent has answered yet, although it was tried.
  package var isUnreachable: Bool { state.withLock { $0.welcome == nil && $0.failure != nil } }

  // MARK: What this process is

  /// Takes events for a part of the process.
  package func listen(as listener: Listener, _ handler: @escaping Handler) {
    state.withLock { $0.handlers[listener] = handler }
  }

  /// Calls the handler before a response that brings the app to the front.
  package func listenForActivation(
    _ handler: @escaping @MainActor @Sendable (NotificationResponse) -> Void
  ) {
    state.withLock { $0.activation = handler }
  }

  /// Whether an application object runs here: then it says whether the app is in front.
  package var hasApplication: Bool { state.withLock { $0.hasApplication } }

  /// Says that an application object runs here, or that this is a service extension.
  package func become(application: Bool = false, role: AppHello.Role = .app) {
    state.withLock {
      $0.hasApplication = application
      $0.role = role
    }
  }

  /// Whether the app is in front; the agent is told of changes.
  package var appState: AppState {
    get { state.withLock { $0.appState } }
    set {
      let isKnown = state.withLock { state in
        defer { state.appState = newValue }
        return state.appState != newValue && state.connection != nil
      }
      if isKnown { send(.setState(newValue)) }
    }
  }

  /// The user's languages as BCP 47 tags, the most wanted first.
  package var languages: [String] {
    if let told = state.withLock({ $0.languages }), !told.isEmpty { return told }
    return EnvironmentLanguages.preferred(ProcessInfo.processInfo.environment)
  }

  /// Whether the app is registered for alerts and background pushes.
  package var isRegistered: Bool { state.withLock { $0.isRegistered } }

  /// The number on the app's icon, as far as this process knows.
  package var badge: Int64 { state.withLock { $0.badge } }

  // MARK: The connection

  private func note(_ request: AppRequest) {
    state.withLock { state in
      switch request {
      case .register(let kind):
        state.registrations.insert(kind)
        if kind == .alert { state.isRegistered = true }
      case .unregister(let kind):
        state.registrations.remove(kind)
        if kind == .alert { state.isRegistered = false }
      case .setLocationUpdates(let on): state.wantsPlaces = on
      case .setCategories(let categories): state.categories = categories
      case .setBadge(let badge): state.badge = badge
      default: break
      }
    }
  }

  private func connection() -> AppLinkConnection {
    let (connection, isNew) = state.withLock { state -> (AppLinkConnection, Bool) in
      if let connection = state.connection { return (connection, false) }
      let connection = AppLinkConnection(socketPath: socketPath) { [self] in
        hello()
      } handler: {
        [weak self] in
        self?.handle($0)
      }
      state.connection = connection
      return (connection, true)
    }
    if isNew { connection.start() }
    return connection
  }

  private func hello() -> AppHello {
    let (appState, role) = state.withLock { ($0.appState, $0.role) }
    var hello = AppHello(
      role: role, appID: identity.appID, isDevelopment: identity.isDevelopment, state: appState)
    hello.name = identity.name
    hello.bundlePath = identity.bundlePath
    hello.launch = AgentSocket.launch
    hello.backgroundModes = identity.backgroundModes
    hello.locationUsage = identity.locationUsage
    return hello
  }

  private func handle(_ event: AppLinkConnection.Event) {
    switch event {
    case .connected(let welcome): greeted(welcome)
    case .disconnected(let failure):
      let startsAgent = state.withLock { state in
        state.failure = failure
        defer { state.mayStartAgent = false }
        return state.mayStartAgent && state.welcome == nil
      }
      if startsAgent, AgentStart.attempt() {
        state.withLock {
          $0.agentStarts = .now + .milliseconds(Limits.agentStartMilliseconds)
        }
        abandonHeld(failure, afterMilliseconds: Limits.agentStartMilliseconds)
      } else {
        abandonHeld(failure, afterMilliseconds: Limits.unreachableMilliseconds)
      }
    case .refused(let failure):
      // A later request makes a new conversation: the cause may be gone by then.
      state.withLock { state in
        state.failure = failure
        state.connection = nil
      }
    case .event(let event, let question): tell(event, question)
    }
  }

  /// Gives up what was asked while no agent was there.
  ///
  /// It may have a long time of its own, which is not meant for this. An agent that was just started
  /// gets its time.
  private func abandonHeld(_ failure: AppLinkFailure, afterMilliseconds: Int64) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(afterMilliseconds))) {
      [weak self] in
      let connection = self?.state.withLock { state in
        if let end = state.agentStarts, state.welcome == nil, .now < end {
          return nil as AppLinkConnection?
        }
        return state.connection
      }
      connection?.abandonHeld(failure)
    }
  }

  private func greeted(_ welcome: AppWelcome) {
    let (isFirst, registrations, wantsPlaces, isNews, connection) = state.withLock { state in
      let isFirst = state.welcome == nil
      let isNews = !isFirst && state.languages != welcome.languages
      state.welcome = welcome
      state.settings = welcome.settings
      state.languages = welcome.languages
      state.badge = welcome.badge
      if isFirst, welcome.isRegistered { state.isRegistered = true }
      state.failure = nil
      return (isFirst, state.registrations, state.wantsPlaces, isNews, state.connection)
    }
    if isNews { languagesChanged() }
    // What was asked before the first greeting is still on its way.
    guard !isFirst, let connection else { return }
    for kind in registrations.sorted(by: { $0.rawValue < $1.rawValue }) {
      connection.send(.register(kind)) { _ in }
    }
    if wantsPlaces { connection.send(.setLocationUpdates(true)) { _ in } }
  }

  private func tell(_ event: AppEvent, _ question: AppLinkQuestion?) {
    switch event {
    case .languages(let languages):
      state.withLock { $0.languages = languages }
      languagesChanged()
    case .badge(let badge): state.withLock { $0.badge = badge }
    case .settings(let settings): learn(settings)
    default: break
    }
    // An answer to a question of the app comes while the main thread may wait for it.
    if DialogCenter.shared.handle(event, question) { return }
    // On the main thread, so that what an app sets up while it launches is there already.
    DispatchQueue.main.async { [self] in
      MainActor.assumeIsolated { pass(event, question) }
    }
  }

  @MainActor
  private func pass(_ event: AppEvent, _ question: AppLinkQuestion?) {
    let (handlers, activation) = state.withLock { ($0.handlers, $0.activation) }
    if case .response(let response) = event, bringsToFront(response) { activation?(response) }
    for listener in Listener.allCases {
      if let handler = handlers[listener], handler(event, question) { return }
    }
    // Without an application object the process is where it is said to be.
    if case .state(let told) = event, !hasApplication { appState = told }
    question?.reply(Self.replyOfNobody(to: event))
  }

  /// Whether the action opens the app: opening does, and an action that says so.
  private func bringsToFront(_ response: NotificationResponse) -> Bool {
    if response.action == NotificationResponse.defaultAction { return true }
    let content = response.notification.request.content
    let actions =
      content.actions
      ?? state.withLock { state in
        state.categories.first { $0.id == content.category }
          .map { $0.actions + ($0.minimalActions ?? []) }
      }
    return actions?.first { $0.id == response.action }?.options.contains(.foreground) ?? false
  }

  /// What is answered to a question that nobody here understands: present what is shown, and
  /// nothing was fetched.
  private static func replyOfNobody(to event: AppEvent) -> AppReply {
    switch event {
    case .willPresent: .present(Set(PresentationOption.allCases))
    case .arrived: .fetched(.noData)
    case .extend(let request, _): .content(request.content)
    default: .handled
    }
  }

  private func languagesChanged() {
    DispatchQueue.main.async {
      NotificationCenter.default.post(
        name: NSLocale.currentLocaleDidChangeNotification, object: nil)
    }
  }
}
