package import AppLink
internal import BelfryWire
package import AppWire
package import Dispatch
import Foundation
import Synchronization

/// This process's connection to the agent, shared by the client modules.
///
/// The connection is opened by the first request, or when an app starts. The connection survives a restart of the
/// agent: after the restart, the session sends the registrations and the app's state again.
package final class AgentSession: Sendable {
  /// A handler of events on the main thread.
  ///
  /// The handler returns false to pass the event to the next handler.
  package typealias Handler = @MainActor @Sendable (AppEvent, AppLinkQuestion?) -> Bool

  /// The listeners, in the order in which the session offers an event to them.
  package enum Listener: Int, CaseIterable, Sendable {
    case notificationCenter, desktopCenter, taskScheduler, application, pushRegistry, liveActivities
    case locationManager
    case serviceExtension, contentExtension
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
    var wantsLocation = false
    var welcome: AppWelcome?
    var settings: NotificationSettings?
    var languages: [String]?
    var badge: Int64 = 0
    var failure: AppLinkFailure?
    var role = AppHello.Role.app
    var mayStartAgent = true
    /// The deadline by which an agent that this process started should be ready.
    var agentStarts: ContinuousClock.Instant?
  }

  package static let shared: AgentSession = {
    // A tool might exit immediately after it makes a request, so send the pending requests at exit.
    atexit { AgentSession.shared.flush() }
    return AgentSession(identity: .current, socketPath: AgentSocket.path)
  }()

  /// The queue on which the app's completion handlers run, in the order in which the answers arrive.
  ///
  /// The queue is separate from the thread that reads the answers, so that an app can block in a handler.
  package let callbacks = DispatchQueue(label: "belfry.callbacks")

  /// The state of the permission prompt.
  package let question = AuthorizationQuestion()

  private let identity: AppIdentity
  private let socketPath: String
  private let state = Mutex(State())

  package init(identity: AppIdentity, socketPath: String) {
    self.identity = identity
    self.socketPath = socketPath
  }

  // MARK: Requests

  /// Sends a request.
  ///
  /// The completion handler runs exactly once, on the callback queue.
  package func send(
    _ request: AppRequest, timeoutMilliseconds: Int64? = nil,
    completion: @escaping @Sendable (Result<AppAnswer, AppLinkFailure>) -> Void = { _ in }
  ) {
    record(request)
    let isUnreachable = state.withLock { $0.failure != nil }
    let timeout = isUnreachable ? Limits.unreachableMilliseconds : timeoutMilliseconds
    connection().send(request, timeoutMilliseconds: timeout) { [callbacks] result in
      callbacks.async { completion(result) }
    }
  }

  /// Sends a request and waits for the answer; for synchronous properties.
  package func call(_ request: AppRequest) throws(AppLinkFailure) -> AppAnswer {
    record(request)
    let isUnreachable = state.withLock { $0.failure != nil }
    return try connection().call(
      request,
      timeoutMilliseconds: isUnreachable
        ? Limits.unreachableMilliseconds : Limits.propertyMilliseconds)
  }

  /// Waits until the agent has received all requests, for a limited time; called before the process exits.
  package func flush() {
    guard state.withLock({ $0.connection != nil && $0.failure == nil }) else { return }
    _ = try? connection().call(.badge, timeoutMilliseconds: Limits.flushMilliseconds)
  }

  /// Opens the connection, unless it is already open.
  package func connect() { _ = connection() }

  /// Opens the connection and waits for the agent's welcome, for a limited time.
  package func connect(waitingMilliseconds: Int64) -> AppWelcome? {
    if let welcome { return welcome }
    _ = try? connection().call(.settings, timeoutMilliseconds: waitingMilliseconds)
    return welcome
  }

  /// True if the agent started this process; the agent's welcome then contains the reason.
  package var wasStartedByAgent: Bool { AgentSocket.launch != nil }

  /// The most recent welcome from the agent.
  package var welcome: AppWelcome? { state.withLock { $0.welcome } }

  /// The user's settings for the app; nil before the agent's first welcome.
  package var settings: NotificationSettings? { state.withLock { $0.settings } }

  func update(_ settings: NotificationSettings) { state.withLock { $0.settings = settings } }

  /// The failure of the last attempt to connect.
  package var failure: AppLinkFailure? { state.withLock { $0.failure } }

  /// True if connecting failed and no agent has answered yet.
  package var isUnreachable: Bool { state.withLock { $0.welcome == nil && $0.failure != nil } }

  // MARK: Process state

  /// Sets the event handler of a listener.
  package func listen(as listener: Listener, _ handler: @escaping Handler) {
    state.withLock { $0.handlers[listener] = handler }
  }

  /// Sets the handler that is called before the listeners if a response brings the app to the foreground.
  package func listenForActivation(
    _ handler: @escaping @MainActor @Sendable (NotificationResponse) -> Void
  ) {
    state.withLock { $0.activation = handler }
  }

  /// True if this process has an application object, which then determines whether the app is in the foreground.
  package var hasApplication: Bool { state.withLock { $0.hasApplication } }

  /// Declares that this process has an application object, or that it is an extension.
  ///
  /// From then on, each line of the process's output is written immediately.
  package func declare(application: Bool = false, role: AppHello.Role = .app) {
    LineBuffering.begin()
    state.withLock {
      $0.hasApplication = application
      $0.role = role
    }
  }

  /// The state of the app; changes are sent to the agent.
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

  /// The user's languages as BCP 47 tags, in order of preference.
  package var languages: [String] {
    if let languages = state.withLock({ $0.languages }), !languages.isEmpty { return languages }
    return EnvironmentLanguages.preferred(ProcessInfo.processInfo.environment)
  }

  /// True if the app is registered for alerts and background pushes, and has received its token.
  package var isRegistered: Bool { state.withLock { $0.isRegistered } }

  /// The number on the app's icon, as known to this process.
  package var badge: Int64 { state.withLock { $0.badge } }

  // MARK: The connection

  private func record(_ request: AppRequest) {
    state.withLock { state in
      switch request {
      case .register(let kind):
        state.registrations.insert(kind)
      case .unregister(let kind):
        state.registrations.remove(kind)
        if kind == .alert { state.isRegistered = false }
      case .setLocationUpdates(let on): state.wantsLocation = on
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
    case .connected(let welcome): handleWelcome(welcome)
    case .disconnected(let failure):
      // The window of the extension's notification was closed, or the agent exited.
      if state.withLock({ $0.role == .contentExtension && $0.welcome != nil }) { exit(0) }
      let startsAgent = state.withLock { state in
        state.failure = failure
        defer { state.mayStartAgent = false }
        return state.mayStartAgent && state.welcome == nil
      }
      if startsAgent, let agent = AgentLauncher.launch() {
        FileHandle.standardError.write(
          Data("belfry: started the agent (pid \(agent.pid)); its log: \(agent.log)\n".utf8))
        state.withLock {
          $0.agentStarts = .now + .milliseconds(Limits.agentStartMilliseconds)
        }
        failUnsentRequests(failure, afterMilliseconds: Limits.agentStartMilliseconds)
      } else {
        failUnsentRequests(failure, afterMilliseconds: Limits.unreachableMilliseconds)
      }
    case .refused(let failure):
      if state.withLock({ $0.role == .contentExtension }) { exit(0) }
      // A later request opens a new connection, because the cause might be resolved by then.
      state.withLock { state in
        state.failure = failure
        state.connection = nil
      }
    case .event(let event, let question): handle(event, question)
    }
  }

  /// Fails the requests that still wait for a connection to the agent.
  ///
  /// A request's own deadline, which can be much later, applies only to the answer. If an agent was just started, the
  /// requests wait until its start time has passed.
  private func failUnsentRequests(_ failure: AppLinkFailure, afterMilliseconds: Int64) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(afterMilliseconds))) {
      [weak self] in
      let connection = self?.state.withLock { state in
        if let end = state.agentStarts, state.welcome == nil, .now < end {
          return nil as AppLinkConnection?
        }
        return state.connection
      }
      connection?.failUnsentRequests(failure)
    }
  }

  private func handleWelcome(_ welcome: AppWelcome) {
    let (isFirst, registrations, wantsLocation, hasOtherLanguages, connection) = state.withLock {
      state in
      let isFirst = state.welcome == nil
      let hasOtherLanguages = !isFirst && state.languages != welcome.languages
      state.welcome = welcome
      state.settings = welcome.settings
      state.languages = welcome.languages
      state.badge = welcome.badge
      if isFirst, welcome.isRegistered { state.isRegistered = true }
      state.failure = nil
      return (
        isFirst, state.registrations, state.wantsLocation, hasOtherLanguages, state.connection
      )
    }
    if hasOtherLanguages { languagesChanged() }
    // Requests that were sent before the first welcome are still queued, so nothing has to be repeated.
    guard !isFirst, let connection else { return }
    for kind in registrations.sorted(by: { $0.rawValue < $1.rawValue }) {
      connection.send(.register(kind)) { _ in }
    }
    if wantsLocation { connection.send(.setLocationUpdates(true)) { _ in } }
  }

  private func handle(_ event: AppEvent, _ question: AppLinkQuestion?) {
    switch event {
    case .languages(let languages):
      state.withLock { $0.languages = languages }
      languagesChanged()
    case .badge(let badge): state.withLock { $0.badge = badge }
    case .settings(let settings): update(settings)
    // The app might have unregistered before the token arrived.
    case .token(.alert, _):
      state.withLock { state in
        guard state.registrations.contains(.alert) else { return }
        state.isRegistered = true
      }
    case .registrationFailed(.alert, _): state.withLock { $0.isRegistered = false }
    default: break
    }
    // Handle dialogs on this thread, because the main thread might be waiting for the answer.
    if DialogCenter.shared.handle(event, question) { return }
    // Dispatch on the main thread, so that the objects that an app sets up during launch already exist.
    DispatchQueue.main.async { [self] in
      MainActor.assumeIsolated { dispatch(event, question) }
    }
  }

  @MainActor
  private func dispatch(_ event: AppEvent, _ question: AppLinkQuestion?) {
    let (handlers, activation) = state.withLock { ($0.handlers, $0.activation) }
    if case .response(let response) = event, bringsToFront(response) { activation?(response) }
    for listener in Listener.allCases {
      if let handler = handlers[listener], handler(event, question) { return }
    }
    // Without an application object, the agent determines the state.
    if case .state(let newState) = event, !hasApplication { appState = newState }
    question?.reply(Self.defaultReply(to: event))
  }

  /// Returns whether a response opens the app, as the default action and actions with the foreground option do.
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

  /// Returns the reply to a question that no listener handles.
  private static func defaultReply(to event: AppEvent) -> AppReply {
    switch event {
    case .willPresent: .present(Set(PresentationOption.allCases))
    case .arrived: .fetched(.noData)
    case .task: .fetched(.failed)
    case .extend(let request, _): .content(request.content)
    case .contentAction: .contentOption(.dismissAndForwardAction)
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
