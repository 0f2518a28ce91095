import Agent
import AppWire

/// A check of all conversations: every request from an app or a command must get one answer, every question from the
/// agent must be settled, every prompt must be answered or withdrawn, and nothing may be sent to a closed connection.
final class ConversationLedger {
  enum Subject {
    case notifications, location
  }

  private struct Peer {
    let app: AppID?
    /// The launch token in the peer's greeting.
    let token: String?
    /// True if the agent has welcomed the peer.
    var isWelcome = false
    /// True if the peer was welcomed as the app itself.
    var isApp = false
  }

  /// The reason that a request can remain unanswered for a while.
  private enum Reason: Hashable {
    case none
    /// The user is being asked about the app.
    case person(AppID?)
    /// An app's files are being read, or a manual clock is being advanced.
    case shell
  }

  private unowned let world: AgentSimulation
  private var peers: [ConnectionID: Peer] = [:]
  private var asks: [RequestID: Reason] = [:]
  private(set) var questions: Set<Question> = []
  private var usedQuestions: Set<Question> = []
  /// The notifications about which a foreground app is being asked.
  private var presentations: [Question: AppNotificationID] = [:]
  /// The pushes that service extensions are processing, by the tokens of the extensions.
  private var extensions: [String: AppNotificationID] = [:]
  private var extensionQuestions: [Question: String] = [:]
  private var prompts: [PromptID: Prompt] = [:]
  /// The apps for which the user dismissed the latest question about notifications.
  private var postponed: Set<AppID> = []
  /// The prompt that the current event answers, and the answer; the answer is nil if the user dismissed the prompt.
  private var answered: (prompt: Prompt, isAllowed: Bool?)?
  /// The notification that a foreground app was asked about, if the app answers or fails to answer in the current
  /// event.
  private(set) var answeredPresentation: AppNotificationID?
  /// The content that a service extension returns for its push in the current event.
  private(set) var extended: (key: AppNotificationID, content: NotificationContent)?
  private(set) var askCount = 0

  init(in world: AgentSimulation) { self.world = world }

  func isOpen(_ connection: ConnectionID) -> Bool { peers[connection] != nil }

  /// Returns true if a foreground app or a service extension has not yet answered a question about the notification.
  func isAskedAbout(_ key: AppNotificationID) -> Bool {
    presentations.values.contains(key) || extensions.values.contains(key)
  }

  /// The prompts that the user currently sees.
  var openPrompts: Set<PromptID> { Set(prompts.keys) }

  /// Discards questions about an earlier notification with the same name, because their answers no longer count.
  func forget(_ key: AppNotificationID) {
    presentations = presentations.filter { $0.value != key }
    extensions = extensions.filter { $0.value != key }
  }

  func agentCrashed() {
    peers = [:]
    asks = [:]
    questions = []
    usedQuestions = []
    presentations = [:]
    extensions = [:]
    extensionQuestions = [:]
    prompts = [:]
    postponed = []
    answered = nil
  }

  /// Returns the app at the other end of a connection.
  func app(of connection: ConnectionID) -> AppID? { peers[connection]?.app }

  /// Returns true if the user sees any question about an app, or has dismissed the latest question about the app's
  /// notifications.
  ///
  /// The question about notifications might be waiting until another question about the app is answered.
  func isQuestionOpenOrPutAway(of app: AppID) -> Bool {
    postponed.contains(app) || prompts.values.contains { $0.app == app }
  }

  /// Returns true if the user sees a question about an app.
  func isQuestionOpen(of app: AppID) -> Bool { prompts.values.contains { $0.app == app } }

  /// Returns true if the current event is the user's answer to a prompt about this subject.
  ///
  /// Pass nil for `isAllowed` to check whether the user dismissed the prompt.
  func wasAnswered(_ app: AppID, _ subject: Subject, isAllowed: Bool?) -> Bool {
    guard let answered, answered.prompt.app == app, answered.isAllowed == isAllowed else {
      return false
    }
    switch answered.prompt.subject {
    case .notifications: return subject == .notifications
    case .location: return subject == .location
    }
  }

  /// The location status that an app gets if the user allows it in the current event.
  var answeredExtent: LocationStatus {
    answered?.prompt.wantsAlways == true ? .always : .whenInUse
  }

  // MARK: Events

  func willHandle(_ event: AgentEvent) {
    answered = nil
    extended = nil
    answeredPresentation = nil
    switch event {
    case .appGreeted(let ask, let hello, _):
      peers[ask.connection] = Peer(app: hello.appID.flatMap(AppID.init), token: hello.launch)
      open(ask, .none)
    case .appRequested(let ask, let request):
      open(ask, reason(to: request, of: ask.connection))
      if case .control(.removeApp(let app)) = request {
        extensions = extensions.filter { $0.value.app.text != app }
      }
    case .appReplied(let question, let reply):
      if let key = extensionQuestions[question].flatMap({ extensions[$0] }),
        case .content(let content) = reply, content.hasAlert
      {
        extended = (key, content)
      }
      settle(question)
    case .questionTimedOut(let question): settle(question)
    case .appDisconnected(let connection):
      peers[connection] = nil
      asks = asks.filter { $0.key.connection != connection }
      for question in questions where question.connection == connection { settle(question) }
    case .promptAnswered(let id, let isAllowed):
      answered = prompts[id].map { ($0, isAllowed) }
    case .promptPostponed(let id):
      answered = prompts[id].map { ($0, nil) }
      if let prompt = prompts[id], prompt.subject == .notifications { postponed.insert(prompt.app) }
    case .extensionFailed(let token), .extensionTimedOut(let token): extensions[token] = nil
    case .extensionEnded(let token):
      // An extension that has sent its greeting must report its result over its connection.
      let isConnected = peers.values.contains { $0.isWelcome && $0.token == token }
      if !isConnected { extensions[token] = nil }
    default: break
    }
  }

  private func settle(_ question: Question) {
    guard questions.remove(question) != nil else { return }
    answeredPresentation = presentations.removeValue(forKey: question)
    if let token = extensionQuestions.removeValue(forKey: question) { extensions[token] = nil }
  }

  private func open(_ ask: RequestID, _ reason: Reason) {
    guard ask.number != nil else { return }
    askCount += 1
    asks[ask] = reason
  }

  private func reason(to request: AppRequest, of connection: ConnectionID) -> Reason {
    switch request {
    case .requestAuthorization, .requestLocation: .person(peers[connection]?.app)
    case .control(.notify(let app, _)): .person(AppID(app))
    case .control(.install), .control(.setClock), .control(.advanceClock), .control(.setZone):
      .shell
    default: .none
    }
  }

  // MARK: Decisions

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    switch effect {
    case .answer(let ask, _):
      if case .appGreeted(ask, let hello, _) = event {
        peers[ask.connection]?.isWelcome = true
        peers[ask.connection]?.isApp = hello.role == .app
      }
      close(ask)
    case .refuse(let ask, let failure):
      if case .appRequested(ask, .add(let request)) = event { checkRefusal(ask, request, failure) }
      close(ask)
    case .diagnose(let ask, _): close(ask)
    case .launch(let order):
      world.expect(
        !peers.values.contains { $0.isApp && $0.app == order.app.id },
        "\(order.app.id) was started, although it is running")
    case .readInstallation(let ask, _, _): checkIsOpen(ask.connection, "reading an installation")
    case .tell(let connection, let event): checkIsOpen(connection, "\(event)")
    case .close(let connection): checkIsOpen(connection, "close")
    case .kill(let app): onKilled(app)
    case .ask(let question, let event, _): onQuestion(question, event)
    case .prompt(let prompt): onPrompt(prompt)
    case .withdrawPrompt(let prompt):
      world.expect(
        prompts.removeValue(forKey: prompt.id) != nil,
        "prompt \(prompt.id.number) was withdrawn, although it was not open")
    case .startExtension(let order):
      // Content extensions are checked by their own ledger.
      if case .notificationWindow = event { break }
      guard case .pushReceived(let push) = event, push.app == order.app else {
        return world.fail("a service extension of \(order.app) was started without a push")
      }
      world.expect(
        world.ledger.apps[order.app]?.settings.alert == .enabled,
        "a service extension of \(order.app) was started, although alerts are not enabled")
      extensions[order.token] = AppNotificationID(app: push.app, id: push.notificationID)
    default: break
    }
  }

  /// Forgets the requests of a killed app and the questions to it, although its connections are still open.
  private func onKilled(_ app: AppID) {
    let connections = Set(peers.filter { $0.value.isApp && $0.value.app == app }.keys)
    for connection in connections { peers[connection]?.isApp = false }
    asks = asks.filter { !connections.contains($0.key.connection) }
    for question in questions where connections.contains(question.connection) { settle(question) }
  }

  private func onQuestion(_ question: Question, _ event: AppEvent) {
    checkIsOpen(question.connection, "\(event)")
    world.expect(
      usedQuestions.insert(question).inserted,
      "question \(question.number) was asked twice on the same connection")
    questions.insert(question)
    guard let peer = peers[question.connection] else { return }
    switch event {
    case .willPresent(let notification):
      guard let app = peer.app else {
        return world.fail("a command was asked how to present a notification")
      }
      presentations[question] = AppNotificationID(app: app, id: notification.request.id)
    case .extend: extensionQuestions[question] = peer.token
    default: break
    }
  }

  private func close(_ ask: RequestID) {
    guard ask.number != nil else { return }
    checkIsOpen(ask.connection, "answer \(ask.number ?? 0)")
    world.expect(
      asks.removeValue(forKey: ask) != nil,
      "request \(ask.number ?? 0) on connection \(ask.connection.number) was answered twice")
  }

  /// Checks that an app with an older interface is refused only if its permission is denied.
  ///
  /// Such an app does not need to request permission, so only the user, a policy, or the removal of the app can cause a
  /// refusal.
  private func checkRefusal(
    _ ask: RequestID, _ request: NotificationRequest, _ failure: AppLinkFailure
  ) {
    guard request.content.generation != .userNotification,
      failure.reason == .notificationsNotAllowed, let app = app(of: ask.connection)
    else { return }
    world.expect(
      world.ledger.apps[app].map { $0.status == .denied } ?? true,
      "\(app), which uses an older interface, was refused without being denied permission")
  }

  private func checkIsOpen(_ connection: ConnectionID, _ what: @autoclosure () -> String) {
    world.expect(
      peers[connection] != nil,
      "connection \(connection.number) is closed, but an effect uses it: \(what())")
  }

  private func onPrompt(_ prompt: Prompt) {
    world.expect(prompts[prompt.id] == nil, "two prompts have the number \(prompt.id.number)")
    let isAskedAlready = prompts.values.contains {
      $0.app == prompt.app && $0.subject == prompt.subject
    }
    world.expect(!isAskedAlready, "two prompts for the same permission of \(prompt.app) are open")
    if prompt.subject == .notifications { postponed.remove(prompt.app) }
    prompts[prompt.id] = prompt
  }

  // MARK: After an event

  func onHandled(_ event: AgentEvent) {
    if let answered {
      world.expect(
        prompts[answered.prompt.id] == nil,
        "prompt \(answered.prompt.id.number) is still open, although it was answered")
    }
    checkAsks()
    for prompt in prompts.values where world.ledger.apps[prompt.app] == nil {
      world.fail("a prompt for the removed app \(prompt.app) is open")
    }
  }

  /// Checks that every request is answered immediately or has a reason to wait.
  private func checkAsks() {
    for (ask, reason) in asks {
      let isWaiting =
        switch reason {
        case .none: false
        case .person(let app): prompts.values.contains { $0.app == app }
        case .shell: true
        }
      world.expect(
        isWaiting,
        "request \(ask.number ?? 0) on connection \(ask.connection.number) has no reason to wait")
    }
  }

  func checkEnd() {
    let open = asks.keys.map { "\($0.connection.number)/\($0.number ?? 0)" }.sorted()
    world.expect(open.isEmpty, "requests are unanswered at the end of the run: \(open)")
    world.expect(
      questions.isEmpty, "questions are open at the end of the run: \(questions.map(\.number))")
    world.expect(
      prompts.isEmpty, "prompts are open at the end of the run: \(prompts.keys.map(\.number))")
    world.expect(
      extensions.isEmpty, "pushes are waiting for service extensions at the end of the run")
  }
}
