import AppWire

/// The purpose of a question to an app.
enum QuestionPurpose: Hashable, Sendable {
  /// Asks for the presentation options for a notification.
  ///
  /// The position in the order of delivery distinguishes the notification from later ones with the same identifier.
  case willPresent(AppNotificationID, order: Int64)
  /// Asks for the result of a fetch for a push.
  case fetch(AppID)
  /// Asks the app to handle a user's response, which is identified by its record's key.
  case response(AppID, key: String)
  /// Asks a service extension for the content of its notification.
  case extend(token: String)
  /// Asks the app to run a background task that the app requested.
  case task(AppID)
  /// Asks the app to end its tasks because its background time is about to expire.
  case expiration(AppID)
  /// Asks a content extension for its decision on a notification after an action that the extension handles.
  case contentAction(AppNotificationID, order: Int64, PersonAction)

  /// The app that works on the answer and may run until it replies; nil if answering does not count as work.
  var workingApp: AppID? {
    switch self {
    case .fetch(let app), .response(let app, _), .task(let app): app
    case .willPresent, .extend, .expiration, .contentAction: nil
    }
  }
}

/// The connections of apps and commands that have sent their greeting, and the questions to them.
struct AppConnections {
  private var peers: [ConnectionID: AppPeer] = [:]
  /// The apps' own connections, keyed by app, oldest first.
  private var connectionsByApp: [AppID: [ConnectionID]] = [:]
  private var questions: [ConnectionID: [Int64: QuestionPurpose]] = [:]
  /// The number of open questions about the presentation options of a notification, keyed by the notification's order.
  private var presentationQuestions: [Int64: Int] = [:]
  private var nextOrder: UInt64 = 1

  subscript(connection: ConnectionID) -> AppPeer? { peers[connection] }

  /// All connections, oldest first.
  var all: [AppPeer] { peers.values.sorted { $0.order < $1.order } }

  /// Returns the app's own connections: foreground before background, newest first within each group.
  func peers(of app: AppID) -> [AppPeer] {
    (connectionsByApp[app] ?? []).compactMap { peers[$0] }
      .sorted {
        ($0.state == .foreground ? 1 : 0, $0.order) > ($1.state == .foreground ? 1 : 0, $1.order)
      }
  }

  /// Returns every connection that belongs to an app, including those of its extensions.
  func connections(of app: AppID) -> [ConnectionID] {
    all.filter { $0.app == app }.map(\.connection)
  }

  /// Returns the app of a process.
  func app(ofProcess process: Int32) -> AppID? {
    peers.values.filter { $0.role == .app && $0.process == process }
      .min { $0.order < $1.order }?.app
  }

  func presence(of app: AppID) -> Routing.AppPresence {
    guard let connections = connectionsByApp[app] else { return .notRunning }
    let isInFront = connections.contains { peers[$0]?.state == .foreground }
    return isInFront ? .foreground : .background
  }

  /// Returns true if this agent started every process of an app in the background and all of the processes have stayed
  /// there since.
  func isStartedBehind(_ app: AppID) -> Bool {
    connectionsByApp[app]?.allSatisfy { peers[$0]?.isStartedBehind == true } ?? false
  }

  // MARK: Connecting and disconnecting

  /// Adds the connection of a process that has sent its greeting.
  mutating func admit(
    _ connection: ConnectionID, role: AppHello.Role, app: AppID?, _ state: AppState,
    process: Int32, rights: Set<ControlRight> = [], isStartedBehind: Bool = false
  ) {
    assert(peers[connection] == nil, "a connection is admitted only once")
    assert(role == .control || rights.isEmpty, "only control connections have rights")
    assert(
      (app == nil) == (role == .control), "every connection has an app, except control connections")
    peers[connection] = AppPeer(
      connection: connection, role: role, app: app, process: process, rights: rights, state: state,
      isStartedBehind: isStartedBehind && state == .background, order: nextOrder)
    nextOrder += 1
    if role == .app, let app { connectionsByApp[app, default: []].append(connection) }
  }

  /// Removes a connection, and returns its peer and its unanswered questions, oldest first.
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

  /// Sets whether the user is looking at a connection's window, and returns true if the value changed.
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
      preconditionFailure("a question was opened on a connection that sent no greeting")
    }
    questions[connection, default: [:]][question.number] = purpose
    if case .willPresent(_, let order) = purpose { presentationQuestions[order, default: 0] += 1 }
    return question
  }

  /// Closes a question and returns its purpose; nil if the question is not open.
  mutating func close(_ question: Question) -> QuestionPurpose? {
    guard let purpose = questions[question.connection]?.removeValue(forKey: question.number) else {
      return nil
    }
    uncount(purpose)
    return purpose
  }

  private mutating func uncount(_ purpose: QuestionPurpose) {
    guard case .willPresent(_, let order) = purpose else { return }
    let count = presentationQuestions[order] ?? 0
    assert(count > 0, "a closed presentation question was open")
    presentationQuestions[order] = count > 1 ? count - 1 : nil
  }

  /// Returns true if a question with this purpose is open.
  func isAsked(_ purpose: QuestionPurpose) -> Bool {
    questions.values.contains { $0.values.contains(purpose) }
  }

  /// Returns true if an app still has to answer a question that counts as work for the app.
  func hasWork(_ app: AppID) -> Bool {
    (connectionsByApp[app] ?? []).contains { connection in
      questions[connection]?.values.contains { $0.workingApp == app } == true
    }
  }

  /// True if a foreground app still has to answer a question about presentation options.
  var areAskedWhatToShow: Bool { !presentationQuestions.isEmpty }

  /// Returns true if a foreground app still has to answer the question about the presentation options of the
  /// notification with this order, as opposed to an earlier notification with the same identifier.
  func areAskedWhatToShow(order: Int64) -> Bool { presentationQuestions[order] != nil }

  /// Traps in debug builds if connections and questions contradict each other.
  func checkInvariants() {
    var asked: [Int64: Int] = [:]
    for (connection, open) in questions {
      assert(peers[connection] != nil, "every question belongs to an open connection")
      for case .willPresent(_, let order) in open.values { asked[order, default: 0] += 1 }
    }
    assert(asked == presentationQuestions, "presentation questions are counted correctly")
    for (app, connections) in connectionsByApp {
      assert(!connections.isEmpty, "an app without connections is not listed")
      for connection in connections {
        assert(peers[connection]?.app == app, "a connection is listed under its own app")
      }
    }
  }
}
