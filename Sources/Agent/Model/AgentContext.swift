import BelfryWire
import AppWire

/// The state that all parts of the model share while an event is handled: apps, connections, the device's conditions,
/// the time, and the effects so far.
///
/// The parts can read all of the context, but change it only through the methods below.
struct AgentContext {
  private(set) var apps: AppRegistry
  private(set) var connections = AppConnections()
  private(set) var conditions = DeviceConditions()
  private(set) var launches: AppLaunches
  /// Apps whose processes are suspended until the apps receive work.
  private(set) var suspended: Set<AppID> = []
  /// Background apps that received work during this event.
  private var givenWork: Set<AppID> = []
  /// The time of the event that is being handled.
  private(set) var now = AgentTime(wall: 0, elapsed: 0, awake: 0)
  /// The effects so far, in order.
  var effects: [AgentEffect] = []
  /// The number of entries in `effects` whose records are already accounted for.
  var accountedEffects = 0
  var storedBytes = StoredBytes()
  /// The maximum number of bytes that all development apps together can store.
  let developmentBytesMax: Int
  /// The attachment files that notifications released during this event.
  private var releasedAttachments: [AppID: Set<UTF8Text>] = [:]
  /// Apps that added attachment files.
  private var appsWithNewAttachments: Set<AppID> = []
  private let findText: (LocalApp, [String], NotificationText) -> String
  private let findProgramProblem: (LocalApp.Installation) -> String?
  private let findExtensionProblems: (LocalApp) -> [AppExtension.Problem]
  private let hasOutdatedProgram: (Int32) -> Bool

  /// Creates a context without apps.
  init(_ configuration: AgentModel.Configuration, _ lookUps: AgentModel.LookUps) {
    apps = AppRegistry(languages: configuration.languages)
    launches = AppLaunches(agentRun: configuration.agentRun)
    findText = lookUps.text
    findProgramProblem = lookUps.programProblem
    findExtensionProblems = lookUps.extensionProblems
    hasOutdatedProgram = lookUps.hasOutdatedProgram
    developmentBytesMax = configuration.developmentBytesMax
  }

  /// Begins handling an event.
  mutating func begin(at now: AgentTime) { self.now = now }

  /// Returns and clears the effects.
  mutating func takeEffects() -> [AgentEffect] {
    accountForRecords()
    defer { (effects, accountedEffects) = ([], 0) }
    return effects
  }

  // MARK: - Effects

  mutating func emit(_ effect: AgentEffect) { effects.append(effect) }

  mutating func persist(_ change: RecordChange) { effects.append(.persist(change)) }

  /// Answers a request with success.
  mutating func confirm(_ requestID: RequestID) { emit(.answer(requestID, AppAnswer())) }

  mutating func answer(_ requestID: RequestID, _ answer: AppAnswer) {
    emit(.answer(requestID, answer))
  }

  mutating func refuse(_ requestID: RequestID, _ reason: AppLinkFailure.Reason, _ message: String) {
    assert(!message.isEmpty, "a refusal has a message")
    emit(.refuse(requestID, AppLinkFailure(reason, message)))
  }

  mutating func refuse(_ requestID: RequestID, _ failure: AppLinkFailure) {
    emit(.refuse(requestID, failure))
  }

  // MARK: - Apps

  /// Changes an app's record, persists the record if it changed, and updates the badge of the app's icon.
  mutating func update(_ app: AppID, _ change: (inout LocalApp) -> Void) {
    let before = apps[app]?.visibleBadge ?? 0
    guard let record = apps.update(app, change) else { return }
    persist(record)
    let badge = apps[app]?.visibleBadge ?? 0
    if badge != before { emit(.badge(app, badge)) }
  }

  /// Adds an app, or replaces its record.
  mutating func add(_ record: LocalApp) { persist(apps.put(record)) }

  /// Restores the apps and the device's settings at startup.
  mutating func restore(_ records: RestoredRecords) {
    assert(apps.count == 0, "records are restored only once, at startup")
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

  /// Installs an app, or updates its installation.
  mutating func install(_ requestID: RequestID, _ result: Result<LocalApp, AppLinkFailure>) {
    // The command might have disconnected while the app was being read.
    let requestID = connections[requestID.connection] == nil ? requestID.unanswered : requestID
    switch result {
    case .failure(let failure): refuse(requestID, failure)
    case .success(let record):
      let before = settings(of: record.id)
      if apps[record.id] == nil { add(record) } else { update(record.id) { $0.apply(record) } }
      // The entitlements that the manifest claims also affect the app's settings.
      let after = settings(of: record.id)
      if after != before { tell(record.id, .settings(after)) }
      let rows = apps[record.id].map { [$0.row(self)] } ?? []
      answer(requestID, .rows(rows))
    }
  }

  /// Replaces an app's categories.
  mutating func setCategories(
    _ app: AppID, _ categories: [NotificationCategory]
  ) throws(AppLinkFailure) {
    guard categories.allSatisfy({ !$0.id.isEmpty }),
      Set(categories.map { UTF8Text($0.id) }).count == categories.count
    else {
      throw AppLinkFailure(
        .invalidArgument, "each category needs its own identifier")
    }
    try checkRoom(for: app) { $0.categories = categories }
    update(app) { $0.categories = categories }
  }

  /// Removes an app and its pending launch.
  mutating func remove(_ app: AppID) {
    launches.forget(app)
    releasedAttachments[app] = nil
    appsWithNewAttachments.remove(app)
    emit(.deleteAttachments(app, paths: nil))
    resume(app)
    givenWork.remove(app)
    if let record = apps.remove(app) { persist(record) }
  }

  /// Sets the device's languages, and notifies the apps that have no languages of their own.
  mutating func setLanguages(_ languages: [String]) {
    let isChange = !languages.elementsEqual(apps.languages, by: { $0.hasSameBytes(as: $1) })
    persist(apps.setLanguages(languages))
    guard isChange else { return }
    for app in apps.all where app.languages == nil { tell(app.id, .languages(languages)) }
  }

  /// Turns location services on or off for the device.
  mutating func setLocation(isOn: Bool) { persist(apps.setLocation(isOn: isOn)) }

  func settings(of app: AppID) -> NotificationSettings {
    apps[app]?.settings ?? NotificationSettings()
  }

  /// Returns a string as the user sees it, in the app's languages.
  func text(_ text: NotificationText, of app: AppID) -> String {
    guard text.key != nil, let record = apps[app] else { return text.text }
    return findText(record, apps.languages(of: app), text)
  }

  // MARK: - Attachments

  /// Releases attachments of a notification that was removed or that now has different attachments.
  mutating func release(_ attachments: [NotificationAttachment], of app: AppID) {
    guard !attachments.isEmpty else { return }
    releasedAttachments[app, default: []].formUnion(attachments.map { UTF8Text($0.path) })
  }

  /// Handles the attachments, if any, of a new notification of an app.
  mutating func onAttachments(_ attachments: [NotificationAttachment], of app: AppID) {
    if !attachments.isEmpty { appsWithNewAttachments.insert(app) }
  }

  /// Returns and clears the paths that notifications have released.
  mutating func takeReleasedAttachments() -> [(AppID, Set<UTF8Text>)] {
    defer { releasedAttachments = [:] }
    return releasedAttachments.sorted { $0.key < $1.key }
  }

  /// Returns and clears the apps that added attachments since the last call.
  mutating func takeAppsWithNewAttachments() -> [AppID] {
    defer { appsWithNewAttachments = [] }
    return appsWithNewAttachments.sorted()
  }

  // MARK: - Connections

  mutating func admit(
    _ connection: ConnectionID, role: AppHello.Role, app: AppID?, _ state: AppState,
    process: Int32, rights: Set<ControlRight> = [], isStartedBehind: Bool = false
  ) {
    connections.admit(
      connection, role: role, app: app, state, process: process, rights: rights,
      isStartedBehind: isStartedBehind)
    // If an app is suspended, resume it when another of its processes connects: the next event might be for either
    // process.
    if role == .app, let app { resume(app) }
  }

  mutating func setState(_ connection: ConnectionID, _ state: AppState) {
    connections.setState(connection, state)
  }

  /// Sets whether the user is looking at a connection's window, and notifies the app if the value changed or a command
  /// set it.
  mutating func setLookedAt(
    _ connection: ConnectionID, _ isLookedAt: Bool, isCommand: Bool = false
  ) {
    guard connections.setLookedAt(connection, isLookedAt) || isCommand else { return }
    tell(connection, .state(isLookedAt ? .foreground : .background))
  }

  func presence(of app: AppID) -> Routing.AppPresence { connections.presence(of: app) }

  mutating func tell(_ connection: ConnectionID, _ event: AppEvent) {
    if let app = connections[connection]?.app, suspended.contains(app) {
      if event.isWorkForApp { resume(app) }
      // Drop a location, because it will be outdated when the app resumes.
      if case .place = event { return }
    }
    emit(.tell(connection, localized(event, for: connection)))
  }

  /// Sends an event to every running instance of an app.
  mutating func tell(_ app: AppID, _ event: AppEvent) {
    for peer in connections.peers(of: app) { tell(peer.connection, event) }
  }

  /// Asks one of an app's instances a question, preferring an instance in the foreground; returns false if no instance
  /// is running.
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
    assert(timeoutMilliseconds > 0, "a question has a positive timeout")
    if let app = purpose.workingApp {
      resume(app)
      givenWork.insert(app)
    }
    let question = connections.open(purpose, on: connection)
    emit(
      .ask(question, localized(event, for: connection), timeoutMilliseconds: timeoutMilliseconds))
  }

  /// Closes a question and returns its purpose; nil if the question is no longer open.
  mutating func close(_ question: Question) -> QuestionPurpose? { connections.close(question) }

  /// Removes a connection, and returns its peer and its unanswered questions.
  mutating func disconnect(
    _ connection: ConnectionID
  ) -> (peer: AppPeer, unanswered: [QuestionPurpose])? {
    guard let (peer, questions) = connections.disconnect(connection) else { return nil }
    // The process might have been killed while it was suspended; the app's other processes must continue.
    if let app = peer.app, peer.role == .app { resume(app) }
    for (question, _) in questions { emit(.cancelTimeout(question)) }
    return (peer, questions.map(\.1))
  }

  /// Decides how to handle a notification of an app.
  func route(
    _ content: NotificationContent, of app: AppID, isPush: Bool, wantsFetch: Bool
  ) -> Routing {
    Routing.decide(
      content, presence: presence(of: app), isPush: isPush, wantsFetch: wantsFetch,
      settings: settings(of: app), isSilent: apps[app]?.isSilent == true,
      isLocked: conditions.isLocked, hasFocus: conditions.hasFocus)
  }

  // MARK: - Conditions

  mutating func apply(_ change: DeviceChange) { conditions.apply(change) }

  mutating func setConditions(_ conditions: DeviceConditions) { self.conditions = conditions }

  // MARK: - Launches

  /// Starts an installed app, or joins its pending launch; returns the order, or nil if the app is not installed.
  @discardableResult
  mutating func launch(
    _ app: AppID, _ reason: AppLaunch.Reason, isForeground: Bool, activationToken: String? = nil
  ) -> LaunchOrder? {
    guard let record = apps[app], record.installation != nil else { return nil }
    resume(app)
    assert(
      isForeground || activationToken == nil,
      "an activation token is passed only to an app that opens in the foreground")
    let order = launches.order(
      record, reason, isForeground: isForeground, activationToken: activationToken,
      atAwakeMilliseconds: now.awake)
    emit(.launch(order))
    return order
  }

  /// Returns the reason that an installed app's program cannot be started, and the advice about it; nil if the program
  /// can be started, or if D-Bus starts the app.
  func programProblem(of app: LocalApp) -> (problem: String, advice: String)? {
    guard let installation = app.installation, !installation.isBusActivatable else { return nil }
    return findProgramProblem(installation).map { ($0, installation.programAdvice) }
  }

  /// Returns the reasons that the agent cannot use an installed app's extensions.
  func extensionProblems(of app: LocalApp) -> [AppExtension.Problem] {
    app.installation == nil ? [] : findExtensionProblems(app)
  }

  /// Brings a background app to the foreground, in the process that receives the app's questions first.
  mutating func bringToFront(_ app: AppID, activationToken: String?) {
    guard presence(of: app) == .background,
      let connection = connections.peers(of: app).first?.connection
    else { return }
    // Mark the app as looked at even if its window was not raised: an app with windows then leaves the foreground when
    // the user next looks at another window.
    if connections[connection]?.isLookedAt == false {
      _ = connections.setLookedAt(connection, true)
    }
    tell(connection, .state(.foreground))
    if apps[app]?.installation?.isBusActivatable == true {
      emit(.raise(app, activationToken: activationToken))
    }
  }

  // MARK: - Suspension

  /// Suspends an app's processes until it receives work.
  mutating func suspend(_ app: AppID) {
    assert(presence(of: app) == .background, "only apps in the background are suspended")
    guard suspended.insert(app).inserted else { return }
    emit(.suspend(app))
  }

  /// Resumes a suspended app and gives it background time for its work.
  mutating func resume(_ app: AppID) {
    guard suspended.remove(app) != nil else { return }
    givenWork.insert(app)
    emit(.resume(app))
  }

  /// Returns the suspended apps that have a process whose program file was replaced or deleted.
  func suspendedAppsWithOutdatedPrograms() -> [AppID] {
    guard !suspended.isEmpty else { return [] }
    return suspended.sorted().filter { app in
      connections.peers(of: app).contains { hasOutdatedProgram($0.process) }
    }
  }

  /// Returns and clears the apps that received work since the last call.
  mutating func takeGivenWork() -> [AppID] {
    defer { givenWork = [] }
    return givenWork.sorted()
  }

  /// Returns a token for a program's greeting.
  mutating func makeToken(_ kind: String) -> String { launches.makeToken(kind) }

  /// Consumes the token in the greeting of an app that this agent started.
  ///
  /// Returns true if the app is to enter the foreground, false if it is to stay in the background, and nil if the token
  /// is not the expected one.
  mutating func claimLaunch(_ app: AppID, token: String?) -> Bool? {
    let isBusActivated = apps[app]?.installation?.isBusActivatable == true && token == nil
    return launches.claim(app, token: token, isAnyTokenGood: isBusActivated)
  }

  /// Stops waiting for an app's greeting; returns false if the agent expects another token or does not expect the app.
  mutating func expectNoMore(_ app: AppID, token: String) -> Bool {
    launches.claim(app, token: token, isAnyTokenGood: false) != nil
  }

  /// Asserts the invariants that hold between events.
  func checkInvariants() {
    apps.checkInvariants()
    connections.checkInvariants()
    conditions.checkInvariants()
    launches.checkInvariants(apps)
    if accountedEffects == effects.count { storedBytes.checkInvariants(apps) }
    for app in suspended {
      assert(presence(of: app) == .background, "only apps in the background are suspended")
    }
  }
}
