import BelfryWire

/// The purpose of a question to an app.
enum QuestionPurpose: Hashable, Sendable {
  /// What to show of a notification; its order of delivery distinguishes it from later ones with the same
  /// identifier.
  case willPresent(AppNotificationID, order: Int64)
  /// What a push brought.
  case fetch(AppID)
  /// Whether a person's response is handled, by its record's key.
  case response(AppID, key: String)
  /// What a service extension makes of its notification.
  case extend(token: String)
  /// Whether a background task that an app asked for is done.
  case task(AppID)
  /// Whether an app has ended its tasks, at the end of its background time.
  case expiration(AppID)
  /// What becomes of a notification after an action that its content extension handles.
  case contentAction(AppNotificationID, order: Int64, PersonAction)

  /// The app that does something for the answer, and is let run for it.
  var workingApp: AppID? {
    switch self {
    case .fetch(let app), .response(let app, _), .task(let app): app
    case .willPresent, .extend, .expiration, .contentAction: nil
    }
  }
}

/// The connections of apps and commands that have greeted, and the questions that they are asked.
struct AppConnections {
  private var peers: [ConnectionID: AppPeer] = [:]
  /// The connections of an app itself, in the order in which they were made.
  private var connectionsByApp: [AppID: [ConnectionID]] = [:]
  private var questions: [ConnectionID: [Int64: QuestionPurpose]] = [:]
  /// The number of open questions about what to show of a notification.
  private var presentationQuestions: [AppNotificationID: Int] = [:]
  private var nextOrder: UInt64 = 1

  subscript(connection: ConnectionID) -> AppPeer? { peers[connection] }

  /// All connections in the order in which they were made.
  var all: [AppPeer] { peers.values.sorted { $0.order < $1.order } }

  /// The app's own connections, the latest first; those in front before those behind.
  func peers(of app: AppID) -> [AppPeer] {
    (connectionsByApp[app] ?? []).compactMap { peers[$0] }
      .sorted {
        ($0.state == .foreground ? 1 : 0, $0.order) > ($1.state == .foreground ? 1 : 0, $1.order)
      }
  }

  /// Every connection that belongs to an app, its extensions' included.
  func connections(of app: AppID) -> [ConnectionID] {
    all.filter { $0.app == app }.map(\.connection)
  }

  /// The app of a process.
  func app(ofProcess process: Int32) -> AppID? {
    peers.values.filter { $0.role == .app && $0.process == process }
      .min { $0.order < $1.order }?.app
  }

  func presence(of app: AppID) -> Routing.AppPresence {
    guard let connections = connectionsByApp[app] else { return .notRunning }
    let isInFront = connections.contains { peers[$0]?.state == .foreground }
    return isInFront ? .foreground : .background
  }

  /// Whether every process of an app was started behind by this agent, and has been there since.
  func isStartedBehind(_ app: AppID) -> Bool {
    connectionsByApp[app]?.allSatisfy { peers[$0]?.isStartedBehind == true } ?? false
  }

  // MARK: Connecting and disconnecting

  /// Adds the connection of a process that has greeted.
  mutating func admit(
    _ connection: ConnectionID, role: AppHello.Role, app: AppID?, _ state: AppState,
    process: Int32, rights: Set<ControlRight> = [], isStartedBehind: Bool = false
  ) {
    assert(peers[connection] == nil, "a connection greets once")
    assert(role == .control || rights.isEmpty, "an app has no right of a command")
    assert((app == nil) == (role == .control), "every connection but a command's has an app")
    peers[connection] = AppPeer(
      connection: connection, role: role, app: app, process: process, rights: rights, state: state,
      isStartedBehind: isStartedBehind && state == .background, order: nextOrder)
    nextOrder += 1
    if role == .app, let app { connectionsByApp[app, default: []].append(connection) }
  }

  /// Removes a connection, and returns its peer and the unanswered questions, oldest first.
  mutating func disconnect(
    _ connection: ConnectionID
  ) -> (AppPeer, [(Question, QuestionPurpose)])? {
    guard let peer = peers.removeValue(forKey: connection) else { return nil }
    if peer.role == .app, let app = peer.app {
      connectionsByApp[app]?.removeAll { $0 == connection }
      if connectionsByApp[app]?.isEmpty == true { connectionsByApp[app] = nil }
    }
    let open = (questions.removeValue(forKey: connection) ?? [:]).sorted { $0.key < $1.key }
    for (_, purpose) in open { uncount(purpose) }
    return (peer, open.map { (Question(connection: connection, number: $0.key), $0.value) })
  }

  mutating func setState(_ connection: ConnectionID, _ state: AppState) {
    peers[connection]?.state = state
    if state == .foreground { peers[connection]?.isStartedBehind = false }
  }

  /// Sets whether the person looks at its window, and returns whether that changed.
  mutating func setLookedAt(_ connection: ConnectionID, _ isLookedAt: Bool) -> Bool {
    guard let peer = peers[connection], isLookedAt != (peer.isLookedAt ?? false) else {
      return false
    }
    peers[connection]?.isLookedAt = isLookedAt
    return true
  }

  // MARK: Questions

  /// Opens a question to a connection.
  mutating func open(_ purpose: QuestionPurpose, on connection: ConnectionID) -> Question {
    guard let question = peers[connection]?.makeQuestion() else {
      preconditionFailure("only who has greeted is asked")
    }
    questions[connection, default: [:]][question.number] = purpose
    if case .willPresent(let key, _) = purpose { presentationQuestions[key, default: 0] += 1 }
    return question
  }

  /// Closes a question, and returns its purpose; nil when it is not open.
  mutating func close(_ question: Question) -> QuestionPurpose? {
    guard let purpose = questions[question.connection]?.removeValue(forKey: question.number) else {
      return nil
    }
    uncount(purpose)
    return purpose
  }

  private mutating func uncount(_ purpose: QuestionPurpose) {
    guard case .willPresent(let key, _) = purpose else { return }
    let count = presentationQuestions[key] ?? 0
    assert(count > 0, "a question that is closed was open")
    presentationQuestions[key] = count > 1 ? count - 1 : nil
  }

  /// Whether a question of that purpose is open.
  func isAsked(_ purpose: QuestionPurpose) -> Bool {
    questions.values.contains { $0.values.contains(purpose) }
  }

  /// Whether an app still has to answer what it was given to do.
  func hasWork(_ app: AppID) -> Bool {
    (connectionsByApp[app] ?? []).contains { connection in
      questions[connection]?.values.contains { $0.workingApp == app } == true
    }
  }

  /// Whether an app in front still has to say what to show of anything.
  var areAskedWhatToShow: Bool { !presentationQuestions.isEmpty }

  /// Whether an app in front still has to say what to show of a notification.
  func areAskedWhatToShow(of key: AppNotificationID) -> Bool { presentationQuestions[key] != nil }

  /// Traps in debug builds when connections and questions contradict each other.
  func checkInvariants() {
    var asked: [AppNotificationID: Int] = [:]
    for (connection, open) in questions {
      assert(peers[connection] != nil, "no question to a connection that is gone")
      for case .willPresent(let key, _) in open.values { asked[key, default: 0] += 1 }
    }
    assert(asked == presentationQuestions, "questions about notifications are counted")
    for (app, connections) in connectionsByApp {
      assert(!connections.isEmpty, "an app without connections is not listed")
      for connection in connections {
        assert(peers[connection]?.app == app, "a connection stands under its own app")
      }
    }
  }
}
