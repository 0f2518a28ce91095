import BelfryWire

/// What all machines of the model share while an event is handled: apps, connections, the device's
/// conditions, the time, and the effects so far.
///
/// A machine reads here and changes nothing but by the methods below.
struct AgentContext {
  private(set) var apps: AppRegistry
  private(set) var connections = AppConnections()
  private(set) var conditions = DeviceConditions()
  private(set) var launches: AppLaunches
  /// The moment of the event that is handled.
  private(set) var now = AgentTime(wall: 0, elapsed: 0, awake: 0)
  /// What the shell is to do, in order.
  var effects: [AgentEffect] = []
  /// The files of attachments that notifications let go of while the event is handled.
  private var releasedAttachments: [AppID: Set<String>] = [:]
  /// Apps that brought files of attachments along.
  private var appsWithNewAttachments: Set<AppID> = []
  private let findText: (LocalApp, [String], NotificationText) -> String

  /// A context without apps.
  init(_ configuration: AgentModel.Configuration, _ lookUps: AgentModel.LookUps) {
    apps = AppRegistry(languages: configuration.languages)
    launches = AppLaunches(agentRun: configuration.agentRun)
    findText = lookUps.text
  }

  /// An event is about to be handled.
  mutating func begin(at now: AgentTime) { self.now = now }

  /// What is to be done since the last time this was asked.
  mutating func takeEffects() -> [AgentEffect] {
    defer { effects = [] }
    return effects
  }

  // MARK: - Effects

  mutating func emit(_ effect: AgentEffect) { effects.append(effect) }

  mutating func persist(_ change: RecordChange) { effects.append(.persist(change)) }

  /// Answers that something is done.
  mutating func confirm(_ ask: Ask) { emit(.answer(ask, AppAnswer())) }

  mutating func answer(_ ask: Ask, _ answer: AppAnswer) { emit(.answer(ask, answer)) }

  mutating func refuse(_ ask: Ask, _ reason: AppLinkFailure.Reason, _ message: String) {
    assert(!message.isEmpty, "a refusal says what to do")
    emit(.refuse(ask, AppLinkFailure(reason, message)))
  }

  mutating func refuse(_ ask: Ask, _ failure: AppLinkFailure) { emit(.refuse(ask, failure)) }

  // MARK: - Apps

  /// Changes an app's record and persists it where it is another one.
  mutating func update(_ app: AppID, _ change: (inout LocalApp) -> Void) {
    if let record = apps.update(app, change) { persist(record) }
  }

  /// Makes an app known, or replaces what is known of it.
  mutating func add(_ record: LocalApp) { persist(apps.put(record)) }

  /// Puts the apps and the device's own settings back, at the start.
  mutating func restore(_ records: RestoredRecords) {
    assert(apps.count == 0, "records are restored once, at the start")
    for (key, value) in records[.apps] {
      guard let object = (try? JSONValue(parsing: value))?.objectValue,
        let record = LocalApp(json: object), record.id.text == key
      else {
        emit(.log(.damagedRecord(.apps, key: key)))
        continue
      }
      _ = apps.put(record)
    }
    for (key, value) in records[.device] {
      let text = String(decoding: value, as: UTF8.self)
      if key == DeviceSettingsChange.languagesKey {
        _ = apps.setLanguages(text.split(separator: ",").map(String.init))
      } else if key == DeviceSettingsChange.locationKey {
        _ = apps.setLocation(isOn: text == "on")
      }
    }
  }

  /// Installs an app, or brings its installation up to date.
  mutating func install(_ ask: Ask, _ result: Result<LocalApp, AppLinkFailure>) {
    // Whoever asked may have left while it was read.
    let ask = connections[ask.connection] == nil ? ask.unanswered : ask
    switch result {
    case .failure(let failure): refuse(ask, failure)
    case .success(let record):
      if apps[record.id] == nil { add(record) } else { update(record.id) { $0.apply(record) } }
      let rows = apps[record.id].map { [$0.row(self)] } ?? []
      answer(ask, .rows(rows))
    }
  }

  /// Replaces an app's categories.
  mutating func setCategories(
    _ app: AppID, _ categories: [NotificationCategory]
  ) throws(AppLinkFailure) {
    guard categories.allSatisfy({ !$0.id.isEmpty }),
      Set(categories.map(\.id)).count == categories.count
    else {
      throw AppLinkFailure(
        .invalidArgument, "each category needs an identifier of its own (client-api 3.27)")
    }
    update(app) { $0.categories = categories }
  }

  /// Forgets an app, and that it was started.
  mutating func remove(_ app: AppID) {
    launches.forget(app)
    releasedAttachments[app] = nil
    appsWithNewAttachments.remove(app)
    emit(.deleteAttachments(app, paths: nil))
    if let record = apps.remove(app) { persist(record) }
  }

  /// Sets the device's languages, and tells the apps that have none of their own.
  mutating func setLanguages(_ languages: [String]) {
    persist(apps.setLanguages(languages))
    for app in apps.all where app.languages == nil { tell(app.id, .languages(languages)) }
  }

  /// Switches places on or off for the whole device.
  mutating func setLocation(isOn: Bool) { persist(apps.setLocation(isOn: isOn)) }

  func settings(of app: AppID) -> NotificationSettings {
    apps[app]?.settings ?? NotificationSettings()
  }

  /// A text as a person reads it, in the app's languages.
  func text(_ text: NotificationText, of app: AppID) -> String {
    guard text.key != nil, let record = apps[app] else { return text.text }
    return findText(record, apps.languages(of: app), text)
  }

  // MARK: - Attachments

  /// A notification of an app is gone, or has other attachments now.
  mutating func release(_ attachments: [NotificationAttachment], of app: AppID) {
    guard !attachments.isEmpty else { return }
    releasedAttachments[app, default: []].formUnion(attachments.map(\.path))
  }

  /// A notification of an app came with attachments, or without.
  mutating func onAttachments(_ attachments: [NotificationAttachment], of app: AppID) {
    if !attachments.isEmpty { appsWithNewAttachments.insert(app) }
  }

  /// The paths that notifications let go of, since the last time this was asked.
  mutating func takeReleasedAttachments() -> [(AppID, Set<String>)] {
    defer { releasedAttachments = [:] }
    return releasedAttachments.sorted { $0.key < $1.key }
  }

  /// The apps that brought attachments along, since the last time this was asked.
  mutating func takeAppsWithNewAttachments() -> [AppID] {
    defer { appsWithNewAttachments = [] }
    return appsWithNewAttachments.sorted()
  }

  // MARK: - Connections

  mutating func admit(
    _ connection: ConnectionID, role: AppHello.Role, app: AppID?, _ state: AppState,
    process: Int32
  ) {
    connections.admit(connection, role: role, app: app, state, process: process)
  }

  mutating func setState(_ connection: ConnectionID, _ state: AppState) {
    connections.setState(connection, state)
  }

  /// Whether the person looks at a connection's window; tells it when that is news.
  mutating func setLookedAt(_ connection: ConnectionID, _ isLookedAt: Bool) {
    guard connections.setLookedAt(connection, isLookedAt) else { return }
    tell(connection, .state(isLookedAt ? .foreground : .background))
  }

  func presence(of app: AppID) -> Routing.AppPresence { connections.presence(of: app) }

  mutating func tell(_ connection: ConnectionID, _ event: AppEvent) {
    emit(.tell(connection, event))
  }

  /// Tells every running instance of an app.
  mutating func tell(_ app: AppID, _ event: AppEvent) {
    for peer in connections.peers(of: app) { tell(peer.connection, event) }
  }

  /// Asks the app's instance that is most in front; false when none runs.
  mutating func ask(
    _ app: AppID, _ event: AppEvent, _ purpose: QuestionPurpose, timeoutMilliseconds: Int64
  ) -> Bool {
    guard let connection = connections.peers(of: app).first?.connection else { return false }
    ask(connection, event, purpose, timeoutMilliseconds: timeoutMilliseconds)
    return true
  }

  mutating func ask(
    _ connection: ConnectionID, _ event: AppEvent, _ purpose: QuestionPurpose,
    timeoutMilliseconds: Int64
  ) {
    assert(timeoutMilliseconds > 0, "a question has an end")
    let question = connections.open(purpose, on: connection)
    emit(.ask(question, event, timeoutMilliseconds: timeoutMilliseconds))
  }

  /// Closes a question; gives what it was asked for, or nil when nobody waits for it any more.
  mutating func close(_ question: Question) -> QuestionPurpose? { connections.close(question) }

  /// A connection is gone; gives who it was, and what it was still asked.
  mutating func disconnect(
    _ connection: ConnectionID
  ) -> (peer: AppPeer, unanswered: [QuestionPurpose])? {
    guard let (peer, questions) = connections.disconnect(connection) else { return nil }
    for (question, _) in questions { emit(.cancelTimeout(question)) }
    return (peer, questions.map(\.1))
  }

  /// What is done with a notification of an app that has come.
  func route(
    _ content: NotificationContent, of app: AppID, isPush: Bool, wantsFetch: Bool
  ) -> Routing {
    Routing.decide(
      content, presence: presence(of: app), isPush: isPush, wantsFetch: wantsFetch,
      settings: settings(of: app), isLocked: conditions.isLocked, hasFocus: conditions.hasFocus)
  }

  // MARK: - Conditions

  mutating func apply(_ change: DeviceChange) { conditions.apply(change) }

  mutating func setConditions(_ conditions: DeviceConditions) { self.conditions = conditions }

  // MARK: - Launches

  /// Starts an app that is installed; gives the token that its greeting will name.
  @discardableResult
  mutating func launch(
    _ app: AppID, _ reason: AppLaunch.Reason, isForeground: Bool, activationToken: String? = nil
  ) -> String? {
    guard let record = apps[app], record.installation != nil else { return nil }
    assert(isForeground || activationToken == nil, "a token brings an app to the front")
    let order = launches.order(
      record, reason, isForeground: isForeground, activationToken: activationToken)
    emit(.launch(order))
    return order.token
  }

  /// Brings the process of an app that runs behind to the front, the one that is asked first.
  mutating func bringToFront(_ app: AppID, activationToken: String?) {
    guard presence(of: app) == .background,
      let connection = connections.peers(of: app).first?.connection
    else { return }
    tell(connection, .state(.foreground))
    if apps[app]?.installation?.isBusActivatable == true {
      emit(.raise(app, activationToken: activationToken))
    }
  }

  /// A token for a program that greets with it.
  mutating func makeToken(_ kind: String) -> String { launches.makeToken(kind) }

  /// Whether an app that greets is the one that was started: its token is used up.
  mutating func claimLaunch(_ app: AppID, token: String?) -> Bool {
    let isBusActivated = apps[app]?.installation?.isBusActivatable == true && token == nil
    return launches.claim(app, token: token, isAnyTokenGood: isBusActivated)
  }

  /// Expects an app no more; false when that token was used up, or another one is.
  mutating func expectNoMore(_ app: AppID, token: String) -> Bool {
    launches.claim(app, token: token, isAnyTokenGood: false)
  }

  /// Stops in a debug build when what is shared contradicts itself.
  func checkInvariants() {
    apps.checkInvariants()
    connections.checkInvariants()
    conditions.checkInvariants()
    launches.checkInvariants(apps)
  }
}
