import AppWire

/// The permissions of apps, and the prompts that ask the user for them.
///
/// Each prompt has an identity, which the answer must contain. An answer that is late, repeated, or for another prompt
/// has no effect.
struct Permissions {
  private let policy: GrantPolicy
  /// The dialogues with the user, keyed by the app that each dialogue is about.
  private var dialogues: [AppID: PermissionDialogue] = [:]
  private var nextWaitingNumber: Int64 = 1
  private var nextPrompt: UInt64 = 1

  /// Creates permissions without open prompts; `policy` may answer instead of the user.
  init(policy: GrantPolicy) { self.policy = policy }

  /// The open prompts, oldest first.
  var openPrompts: [Prompt] {
    dialogues.values.compactMap(\.prompt).sorted { $0.id.number < $1.id.number }
  }

  /// Apps with older interfaces whose own notifications, in the schedule or in the list, wait for a decision.
  var appsWithKeptNotifications: Set<AppID> {
    Set(dialogues.filter { $0.value.own == .kept }.keys)
  }

  /// Returns the dialogue about an app, which is empty if nothing is open.
  private func dialogue(_ app: AppID) -> PermissionDialogue { dialogues[app] ?? .init() }

  /// Changes the dialogue about an app; an empty dialogue is not kept.
  private mutating func change<Value>(
    _ app: AppID, _ body: (inout PermissionDialogue) -> Value
  ) -> Value {
    var dialogue = dialogues.removeValue(forKey: app) ?? PermissionDialogue()
    let value = body(&dialogue)
    if dialogue != PermissionDialogue() { dialogues[app] = dialogue }
    return value
  }

  /// Returns true if the decision about an app's notifications is still open.
  func isUndecided(_ app: AppID) -> Bool {
    dialogues[app]?.isUndecided == true
  }

  /// Returns true if the user dismissed the question about an app whose notifications are kept.
  func isPostponed(_ app: AppID) -> Bool { dialogues[app]?.own == .postponed }

  /// Returns the commands' notifications of one app, or of all apps, that wait for permission: by app, oldest first.
  func waitingNotifications(of app: String?) -> [WaitingNotification] {
    guard let app else { return dialogues.keys.sorted().flatMap { dialogue($0).waiting } }
    return AppID(app).map { dialogue($0).waiting } ?? []
  }

  /// Returns the attachments of notifications that wait for a decision about an app.
  func attachments(of app: AppID) -> [NotificationAttachment] {
    dialogue(app).waiting.flatMap(\.request.content.attachments)
  }

  // MARK: - Start

  /// Restores the stored records.
  mutating func restore(_ records: RestoredRecords, _ context: inout AgentContext) {
    for (key, value) in records[.waiting] {
      guard let waiting = WaitingNotification(key: key, record: value),
        context.apps[waiting.app] != nil
      else {
        context.emit(.log(.damagedRecord(.waiting, key: key)))
        continue
      }
      change(waiting.app) { $0.waiting.append(waiting) }
      nextWaitingNumber = max(nextWaitingNumber, waiting.number + 1)
    }
    for app in dialogues.keys { change(app) { $0.waiting.sort { $0.number < $1.number } } }
  }

  /// After a start, repeats the questions about apps whose notifications wait; returns the notifications that the user
  /// has since decided about.
  mutating func resume(_ context: inout AgentContext) -> [WaitingNotification] {
    var decided: [WaitingNotification] = []
    for app in dialogues.filter({ !$0.value.waiting.isEmpty }).keys.sorted() {
      let isDecided =
        context.apps[app]?.status != .notDetermined
        || requestAuthorization(app, Self.commandOptions, &context)
      if isDecided {
        decided += removeWaiting(of: app, &context)
      } else {
        promptNext(app, &context)
      }
    }
    return decided
  }

  /// The options that a command requests on behalf of an app that never asked.
  private static let commandOptions: Set<AuthorizationOption> = [.alert, .sound, .badge]

  /// Removes the notifications that wait for a decision about an app, together with their records, and returns them.
  private mutating func removeWaiting(
    of app: AppID, _ context: inout AgentContext
  ) -> [WaitingNotification] {
    let waiting = change(app) { dialogue in
      defer { dialogue.waiting = [] }
      return dialogue.waiting
    }
    for one in waiting { context.emit(.persist(.remove(.waiting, key: one.recordKey))) }
    return waiting
  }

  // MARK: - Requests

  /// Handles an app's request for permission to notify.
  ///
  /// Returns the notifications that waited for permission, if the user no longer has to be asked.
  mutating func onAuthorizationRequest(
    _ requestID: RequestID, _ app: AppID, _ options: Set<AuthorizationOption>, replacesTypes: Bool,
    _ context: inout AgentContext
  ) -> [WaitingNotification] {
    let before = context.settings(of: app)
    var released: [WaitingNotification] = []
    if requestAuthorization(app, options, replacesTypes: replacesTypes, &context) {
      answerAuthorization(requestID, app, &context)
      if context.apps[app]?.status != .notDetermined, !dialogue(app).waiting.isEmpty {
        released = removeWaiting(of: app, &context)
        withdrawUnlessAwaited(app, &context)
      }
    } else {
      guard hasRoom(for: requestID, in: dialogue(app).requests, &context) else { return [] }
      change(app) { $0.requests.append(requestID) }
      promptNext(app, &context)
    }
    tellSettings(app, before, &context)
    return released
  }

  /// Removes the notifications that wait for permission and have the given identifier, because a newer notification
  /// replaces them or a command cancels them.
  ///
  /// Returns false if no waiting notification has that identifier.
  @discardableResult
  mutating func removeWaiting(
    _ key: AppNotificationID, _ context: inout AgentContext
  ) -> Bool {
    guard dialogue(key.app).waiting.contains(where: { $0.key == key }) else { return false }
    removeReplaced(by: key, &context)
    withdrawUnlessAwaited(key.app, &context)
    return true
  }

  /// Removes waiting notifications with this key and answers their commands.
  private mutating func removeReplaced(by key: AppNotificationID, _ context: inout AgentContext) {
    for one in dialogue(key.app).waiting where one.key == key {
      context.emit(.persist(.remove(.waiting, key: one.recordKey)))
      context.release(one.request.content.attachments, of: key.app)
      context.confirm(one.requestID)
    }
    change(key.app) { $0.waiting.removeAll { $0.key == key } }
    assert(
      !dialogue(key.app).waiting.contains { $0.key == key },
      "a removed notification no longer waits")
  }

  /// Returns true if another request of an app may wait for the user's decision; otherwise refuses the request.
  private func hasRoom(
    for requestID: RequestID, in requests: [RequestID], _ context: inout AgentContext
  ) -> Bool {
    guard requests.count >= Limits.waitingRequestsPerApp else { return true }
    context.refuse(
      requestID, .invalidArgument,
      "\(Limits.waitingRequestsPerApp) requests of the app are waiting for the user's decision: wait for the answers"
    )
    return false
  }

  /// Throws if too many notifications from commands wait for the user's decision about an app.
  func checkRoom(for waiting: WaitingNotification) throws(AppLinkFailure) {
    let others = dialogue(waiting.app).waiting
    guard
      others.count < Limits.waitingNotificationsPerApp
        || others.contains(where: { $0.key == waiting.key })
    else {
      throw AppLinkFailure(
        .invalidArgument,
        "\(others.count) notifications of \(waiting.app) are waiting for the user's permission: use 'belfry settings "
          + "\(waiting.app) notifications=on'")
    }
  }

  /// Handles a command's notification for an app; returns the notification if it may be added now.
  mutating func onNotifyRequest(
    _ waiting: WaitingNotification, _ context: inout AgentContext
  ) -> WaitingNotification? {
    guard context.apps[waiting.app]?.needsCommandOptions == true else { return waiting }
    let before = context.settings(of: waiting.app)
    let isDecided = requestAuthorization(waiting.app, Self.commandOptions, &context)
    tellSettings(waiting.app, before, &context)
    guard !isDecided else { return waiting }
    var waiting = waiting
    waiting.number = nextWaitingNumber
    nextWaitingNumber += 1
    removeReplaced(by: waiting.key, &context)
    change(waiting.app) { $0.waiting.append(waiting) }
    context.emit(.persist(.put(.waiting, key: waiting.recordKey, waiting.record)))
    promptNext(waiting.app, &context)
    return nil
  }

  /// Returns true if an app may show or schedule the content.
  ///
  /// For a notification of an older interface, the method asks the user if necessary, and also returns true before the
  /// user has decided.
  mutating func mayAdd(
    _ content: NotificationContent, of app: AppID, _ context: inout AgentContext
  ) -> Bool {
    // An app that was removed might still be connected.
    guard content.generation != .userNotification, !content.isEmpty, context.apps[app] != nil else {
      return context.settings(of: app).status.allows
    }
    onOlderNotification(app, content.generation, &context)
    return context.settings(of: app).status != .denied
  }

  /// Handles an app that shows or schedules a notification through an older interface, which does not require the app
  /// to request permission first.
  ///
  /// If the decision has not been made yet, the user is asked about the app, and the app's notifications are kept until
  /// the answer arrives.
  ///
  /// An app that registered without types is silent, and the user is not asked (S1-5).
  mutating func onOlderNotification(
    _ app: AppID, _ generation: NotificationGeneration, _ context: inout AgentContext
  ) {
    let before = context.settings(of: app)
    if generation == .local, context.apps[app]?.isSilent == true { return }
    guard before.status == .notDetermined || context.apps[app]?.requested.isEmpty == true else {
      return
    }
    var isDecided = true
    if isUndecided(app) {
      isDecided = false
    } else {
      context.update(app) {
        isDecided = $0.requestAuthorization(with: generation, policy: policy) == .answered
      }
    }
    if !isDecided {
      change(app) { $0.own = .kept }
      promptNext(app, &context)
    }
    tellSettings(app, before, &context)
  }

  /// Handles the removal of an app's last kept notification: withdraws the prompt unless requests still wait for its
  /// answer.
  mutating func onNothingKept(_ app: AppID, _ context: inout AgentContext) {
    guard dialogue(app).own == .kept else { return }
    change(app) { $0.own = .none }
    withdrawUnlessAwaited(app, &context)
  }

  /// Requests permission for the app; returns false if the user must decide.
  private func requestAuthorization(
    _ app: AppID, _ options: Set<AuthorizationOption>, replacesTypes: Bool = false,
    _ context: inout AgentContext
  ) -> Bool {
    var isDecided = true
    context.update(app) {
      isDecided =
        $0.requestAuthorization(options, replacesTypes: replacesTypes, policy: policy) == .answered
    }
    return isDecided
  }

  /// Handles an app's request for location permission; the user is asked the first time (S1-65).
  mutating func onLocationRequest(
    _ requestID: RequestID, _ app: AppID, always: Bool, _ context: inout AgentContext
  ) {
    guard let record = context.apps[app], record.locationStatus == .notDetermined else {
      return answerLocation(requestID, app, &context)
    }
    guard record.locationUsage?.isEmpty == false else {
      // Without a usage description, there is neither a prompt nor access (S1-65).
      if !dialogue(app).lacksLocationUsage { context.emit(.log(.locationUsageMissing(app))) }
      change(app) { $0.lacksLocationUsage = true }
      return answerLocation(requestID, app, &context)
    }
    switch policy {
    case .all: setLocation(app, always ? .always : .whenInUse, &context)
    case .none, .types: setLocation(app, .denied, &context)
    case .ask:
      guard hasRoom(for: requestID, in: dialogue(app).locationRequests, &context) else { return }
      change(app) { $0.locationRequests.append(requestID) }
      // Do not change an open prompt, so that the answer applies to the text that the user has read.
      if case .location? = dialogue(app).prompt?.subject { return }
      change(app) { $0.wantsAlways = always }
      return promptNext(app, &context)
    }
    answerLocation(requestID, app, &context)
  }

  /// Returns true if an app requested the location without a usage description.
  func lacksLocationUsage(_ app: LocalApp) -> Bool {
    dialogue(app.id).lacksLocationUsage && app.locationUsage?.isEmpty != false
      && app.locationStatus == .notDetermined
  }

  // MARK: - Answers

  /// Handles the answer to a prompt; returns the notifications that waited for the answer.
  mutating func onAnswer(
    _ id: PromptID, isAllowed: Bool, _ context: inout AgentContext
  ) -> [WaitingNotification] {
    guard let prompt = openPrompt(id) else { return [] }
    assert(dialogue(prompt.app).prompt == prompt, "an answered prompt is its app's open prompt")
    var released: [WaitingNotification] = []
    switch prompt.subject {
    case .notifications:
      context.update(prompt.app) { $0.decideAuthorization(isAllowed: isAllowed) }
      released = onNotificationsDecided(prompt.app, &context)
      context.tell(prompt.app, .settings(context.settings(of: prompt.app)))
    case .location:
      let status: LocationStatus = prompt.wantsAlways ? .always : .whenInUse
      setLocation(prompt.app, isAllowed ? status : .denied, &context)
      onLocationDecided(prompt.app, &context)
    }
    promptNext(prompt.app, &context)
    return released
  }

  /// Dismisses a prompt without a decision; the app's next request asks again.
  mutating func onPostponed(_ id: PromptID, _ context: inout AgentContext) {
    guard let prompt = openPrompt(id) else { return }
    switch prompt.subject {
    case .notifications:
      let keeps = dialogue(prompt.app).own == .kept
      for waiting in onNotificationsDecided(prompt.app, &context) {
        context.release(waiting.request.content.attachments, of: waiting.app)
        context.refuse(
          waiting.requestID, .notificationsNotAllowed,
          "the user dismissed the question without an answer: ask again")
      }
      if keeps { change(prompt.app) { $0.own = .postponed } }
    case .location: onLocationDecided(prompt.app, &context)
    }
    promptNext(prompt.app, &context)
  }

  private func openPrompt(_ id: PromptID) -> Prompt? {
    dialogues.values.lazy.compactMap(\.prompt).first { $0.id == id }
  }

  /// Withdraws the prompt about notifications, answers the requests that waited for the decision, and returns the
  /// notifications that waited for it.
  private mutating func onNotificationsDecided(
    _ app: AppID, _ context: inout AgentContext
  ) -> [WaitingNotification] {
    withdrawPrompt(app, about: .notifications, &context)
    let requests = change(app) { dialogue in
      defer { dialogue.requests = [] }
      dialogue.own = .none
      return dialogue.requests
    }
    for requestID in requests { answerAuthorization(requestID, app, &context) }
    return removeWaiting(of: app, &context)
  }

  /// Withdraws the prompt about location and answers the requests that waited for it.
  private mutating func onLocationDecided(_ app: AppID, _ context: inout AgentContext) {
    withdrawPrompt(app, about: .location(usage: ""), &context)
    let requests = change(app) { dialogue in
      defer { dialogue.locationRequests = [] }
      dialogue.wantsAlways = false
      return dialogue.locationRequests
    }
    for requestID in requests { answerLocation(requestID, app, &context) }
  }

  private func answerAuthorization(
    _ requestID: RequestID, _ app: AppID, _ context: inout AgentContext
  ) {
    let settings = context.settings(of: app)
    context.answer(requestID, .settings(settings, granted: settings.status.allows))
  }

  private func answerLocation(_ requestID: RequestID, _ app: AppID, _ context: inout AgentContext) {
    context.answer(requestID, .locationStatus(context.apps.locationStatus(of: app)))
  }

  // MARK: - Prompts

  /// Shows an app's next prompt, unless a prompt is open.
  private mutating func promptNext(_ app: AppID, _ context: inout AgentContext) {
    guard dialogue(app).prompt == nil, let record = context.apps[app],
      let subject = dialogue(app).nextSubject(locationUsage: record.locationUsage ?? "")
    else { return }
    // Keep the question open for the notifications that were stored earlier, because the requesting process might exit
    // before the answer arrives.
    if subject == .notifications, dialogue(app).own == .postponed {
      change(app) { $0.own = record.status == .notDetermined ? .kept : .none }
    }
    let prompt = Prompt(
      id: PromptID(number: nextPrompt), app: app, appName: record.displayName,
      icon: record.installation?.icon, subject: subject,
      wantsAlways: subject != .notifications && dialogue(app).wantsAlways)
    nextPrompt += 1
    change(app) { $0.prompt = prompt }
    assert(dialogue(app).isAwaited, "something waits for the answer to a new prompt")
    context.emit(.prompt(prompt))
  }

  private mutating func withdrawPrompt(
    _ app: AppID, about subject: Prompt.Subject, _ context: inout AgentContext
  ) {
    guard let prompt = dialogue(app).prompt, prompt.subject.isSameDecision(as: subject) else {
      return
    }
    change(app) { $0.prompt = nil }
    context.emit(.withdrawPrompt(prompt))
  }

  /// Withdraws an app's prompt if no request waits for it, and shows the next prompt.
  private mutating func withdrawUnlessAwaited(_ app: AppID, _ context: inout AgentContext) {
    guard let prompt = dialogue(app).prompt else { return }
    if !dialogue(app).isAwaited { withdrawPrompt(app, about: prompt.subject, &context) }
    assert(
      dialogue(app).prompt == nil || dialogue(app).isAwaited,
      "something waits for every prompt's answer")
    promptNext(app, &context)
  }

  // MARK: - Settings

  /// Applies changes to an app's settings: all of them, or none if one is invalid.
  ///
  /// Returns the notifications that waited for a decision, if the changes make that decision.
  mutating func onSettingsChange(
    _ app: AppID, _ changes: [String: String], _ context: inout AgentContext
  ) throws(AppLinkFailure) -> [WaitingNotification] {
    guard var record = context.apps[app] else { return [] }
    try record.applySettings(changes)
    let before = context.settings(of: app)
    let status = context.apps.locationStatus(of: app)
    context.update(app) { $0 = record }
    tellSettings(app, before, &context)
    if context.apps.locationStatus(of: app) != status { tellLocation(app, &context) }
    // The change also answers an open prompt about the same decision.
    var released: [WaitingNotification] = []
    if changes["notifications"] != nil { released = onNotificationsDecided(app, &context) }
    if changes["location"] != nil { onLocationDecided(app, &context) }
    promptNext(app, &context)
    return released
  }

  // MARK: - Disconnection and removal

  /// Drops the waiting requests of a lost connection, and withdraws a prompt that nothing else waits for.
  mutating func onDisconnected(
    _ connection: ConnectionID, _ app: AppID?, _ context: inout AgentContext
  ) {
    for app in dialogues.keys {
      change(app) { dialogue in
        dialogue.waiting = dialogue.waiting.map {
          $0.requestID.connection == connection ? $0.unanswered : $0
        }
      }
    }
    guard let app else { return }
    change(app) { $0.remove(connection) }
    withdrawUnlessAwaited(app, &context)
  }

  /// Withdraws the prompts of a removed app, and fails the requests that wait for a decision.
  mutating func onAppRemoved(_ app: AppID, _ context: inout AgentContext) {
    let waiting = removeWaiting(of: app, &context)
    guard let dialogue = dialogues.removeValue(forKey: app) else { return }
    if let prompt = dialogue.prompt { context.emit(.withdrawPrompt(prompt)) }
    let asks = dialogue.requests + waiting.map(\.requestID) + dialogue.locationRequests
    for requestID in asks { context.refuse(requestID, .unknownApp, "\(app) was removed") }
  }

  /// Asserts that the prompts and the waiting requests are consistent.
  func checkInvariants(_ context: AgentContext) {
    for (app, dialogue) in dialogues {
      dialogue.checkInvariants(of: app)
      assert(dialogue != PermissionDialogue(), "an empty dialogue is not kept")
      assert(
        context.apps[app] != nil || dialogue.prompt == nil && dialogue.own != .postponed,
        "prompts and postponed notifications belong to known apps")
      assert(
        dialogue.own != .kept || context.apps[app]?.status == .notDetermined,
        "an app with kept notifications has no permission decision")
      assert(
        dialogue.prompt.map { $0.id.number < nextPrompt } ?? true,
        "a prompt's number is less than the next number")
      assert(
        dialogue.waiting.allSatisfy { $0.number > 0 && $0.number < nextWaitingNumber },
        "every waiting notification has an assigned number")
      assert(policy == .ask || dialogue.prompt == nil, "prompts are open only under the ask policy")
    }
  }
}
