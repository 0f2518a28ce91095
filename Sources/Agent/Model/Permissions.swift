import BelfryWire

/// The permissions of apps, and the prompts that ask the user for them.
///
/// Each prompt has an identity, which the answer must contain. An answer that is late, repeated or for another prompt
/// has no effect.
struct Permissions {
  private let policy: GrantPolicy
  /// The open prompt of each app; each app has at most one.
  private var prompts: [AppID: Prompt] = [:]
  /// Requests that wait for a decision about notifications, oldest first.
  private var notificationAsks: [AppID: [RequestID]] = [:]
  /// Notifications from commands that wait for the same decision, oldest first; each has its own record.
  private var waitingNotifications: [AppID: [WaitingNotification]] = [:]
  private var nextWaitingNumber: Int64 = 1
  /// Apps with older interfaces whose own notifications wait for the same decision, in the schedule or in the list.
  private(set) var appsWithKeptNotifications: Set<AppID> = []
  /// Apps whose own notifications waited for an answer when the user dismissed the question; they also wait for the
  /// next question.
  private var appsWithPostponedNotifications: Set<AppID> = []
  /// Requests that wait for a decision about location, oldest first.
  private var locationAsks: [AppID: [RequestID]] = [:]
  /// Apps that also requested location in the background.
  private var wantAlways: Set<AppID> = []
  /// Apps that requested the location without a usage description in this run of the agent.
  private var appsWithoutLocationUsage: Set<AppID> = []
  private var nextPrompt: UInt64 = 1

  /// Creates permissions without open prompts; `policy` may answer instead of the user.
  init(policy: GrantPolicy) { self.policy = policy }

  /// The open prompts, oldest first.
  var openPrompts: [Prompt] { prompts.values.sorted { $0.id.number < $1.id.number } }

  /// Returns true if the decision about an app's notifications is still open.
  func isUndecided(_ app: AppID) -> Bool {
    notificationAsks[app] != nil || waitingNotifications[app] != nil
      || appsWithKeptNotifications.contains(app)
  }

  /// Returns true if the user dismissed the question about an app whose notifications are kept.
  func isPostponed(_ app: AppID) -> Bool { appsWithPostponedNotifications.contains(app) }

  /// Returns the attachments of notifications that wait for a decision about an app.
  func attachments(of app: AppID) -> [NotificationAttachment] {
    (waitingNotifications[app] ?? []).flatMap(\.request.content.attachments)
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
      waitingNotifications[waiting.app, default: []].append(waiting)
      nextWaitingNumber = max(nextWaitingNumber, waiting.number + 1)
    }
    for app in waitingNotifications.keys {
      waitingNotifications[app]?.sort { $0.number < $1.number }
    }
  }

  /// After a start, asks again about apps whose notifications wait; returns the notifications that the user has decided
  /// about since.
  mutating func resume(_ context: inout AgentContext) -> [WaitingNotification] {
    var decided: [WaitingNotification] = []
    for app in waitingNotifications.keys.sorted() {
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

  /// Returns the notifications that wait for a decision about an app, and removes them with their records.
  private mutating func removeWaiting(
    of app: AppID, _ context: inout AgentContext
  ) -> [WaitingNotification] {
    let waiting = waitingNotifications.removeValue(forKey: app) ?? []
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
      if context.apps[app]?.status != .notDetermined, waitingNotifications[app] != nil {
        released = removeWaiting(of: app, &context)
        withdrawUnlessAwaited(app, &context)
      }
    } else {
      guard hasRoom(for: requestID, in: notificationAsks[app], &context) else { return [] }
      notificationAsks[app, default: []].append(requestID)
      promptNext(app, &context)
    }
    tellSettings(app, before, &context)
    return released
  }

  /// Removes the notifications with an identifier that wait for permission, because a newer one replaces them or a
  /// command cancels them.
  ///
  /// Returns false if none waits.
  @discardableResult
  mutating func removeWaiting(
    _ key: AppNotificationID, _ context: inout AgentContext
  ) -> Bool {
    guard waitingNotifications[key.app]?.contains(where: { $0.key == key }) == true else {
      return false
    }
    let others = removeReplaced(by: key, &context)
    assert(!others.contains { $0.key == key }, "a removed notification no longer waits")
    waitingNotifications[key.app] = others.isEmpty ? nil : others
    withdrawUnlessAwaited(key.app, &context)
    return true
  }

  /// Removes waiting notifications with this key and answers their commands; returns the app's other waiting
  /// notifications.
  private func removeReplaced(
    by key: AppNotificationID, _ context: inout AgentContext
  ) -> [WaitingNotification] {
    let waiting = waitingNotifications[key.app] ?? []
    for one in waiting where one.key == key {
      context.emit(.persist(.remove(.waiting, key: one.recordKey)))
      context.release(one.request.content.attachments, of: key.app)
      context.confirm(one.requestID)
    }
    return waiting.filter { $0.key != key }
  }

  /// Returns true if another request of an app may wait for the user's decision; otherwise refuses the request.
  private func hasRoom(
    for requestID: RequestID, in asks: [RequestID]?, _ context: inout AgentContext
  ) -> Bool {
    guard (asks?.count ?? 0) >= Limits.waitingRequestsPerApp else { return true }
    context.refuse(
      requestID, .invalidArgument,
      "\(Limits.waitingRequestsPerApp) requests of the app are waiting for the user's decision: wait for the answers"
    )
    return false
  }

  /// Throws if too many notifications from commands wait for the user's decision about an app.
  func checkRoom(for waiting: WaitingNotification) throws(AppLinkFailure) {
    let others = waitingNotifications[waiting.app] ?? []
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
    guard context.apps[waiting.app]?.status == .notDetermined else { return waiting }
    let before = context.settings(of: waiting.app)
    let isDecided = requestAuthorization(waiting.app, Self.commandOptions, &context)
    tellSettings(waiting.app, before, &context)
    guard !isDecided else { return waiting }
    var waiting = waiting
    waiting.number = nextWaitingNumber
    nextWaitingNumber += 1
    let others = removeReplaced(by: waiting.key, &context)
    waitingNotifications[waiting.app] = others + [waiting]
    context.emit(.persist(.put(.waiting, key: waiting.recordKey, waiting.record)))
    promptNext(waiting.app, &context)
    return nil
  }

  /// Returns true if an app may show or schedule the content.
  ///
  /// For a notification of an older interface, the method also returns true before the user has decided; the user is
  /// then asked.
  mutating func mayAdd(
    _ content: NotificationContent, of app: AppID, _ context: inout AgentContext
  ) -> Bool {
    // An app that was removed may still be connected.
    guard content.generation != .userNotification, !content.isEmpty, context.apps[app] != nil else {
      return context.settings(of: app).status.allows
    }
    onOlderNotification(app, content.generation, &context)
    return context.settings(of: app).status != .denied
  }

  /// Handles an app that shows or schedules a notification through an older interface, which need not have requested
  /// permission.
  ///
  /// The user is asked about the app unless the decision has been made, and the app's notifications are kept until the
  /// answer arrives.
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
      appsWithKeptNotifications.insert(app)
      appsWithPostponedNotifications.remove(app)
      promptNext(app, &context)
    }
    tellSettings(app, before, &context)
  }

  /// Handles the event that none of an app's notifications are kept anymore, so that only the app's requests still wait
  /// for a decision.
  mutating func onNothingKept(_ app: AppID, _ context: inout AgentContext) {
    guard appsWithKeptNotifications.remove(app) != nil else { return }
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
      if appsWithoutLocationUsage.insert(app).inserted {
        context.emit(.log(.locationUsageMissing(app)))
      }
      return answerLocation(requestID, app, &context)
    }
    switch policy {
    case .all: setLocation(app, always ? .always : .whenInUse, &context)
    case .none, .types: setLocation(app, .denied, &context)
    case .ask:
      guard hasRoom(for: requestID, in: locationAsks[app], &context) else { return }
      locationAsks[app, default: []].append(requestID)
      // Do not change an open prompt, so that the answer applies to the text that the user has read.
      if case .location? = prompts[app]?.subject { return }
      if always { wantAlways.insert(app) } else { wantAlways.remove(app) }
      return promptNext(app, &context)
    }
    answerLocation(requestID, app, &context)
  }

  /// Returns true if an app requested the location without a usage description.
  func lacksLocationUsage(_ app: LocalApp) -> Bool {
    appsWithoutLocationUsage.contains(app.id) && app.locationUsage?.isEmpty != false
      && app.locationStatus == .notDetermined
  }

  // MARK: - Answers

  /// Handles the answer to a prompt; returns the notifications that waited for the answer.
  mutating func onAnswer(
    _ id: PromptID, isAllowed: Bool, _ context: inout AgentContext
  ) -> [WaitingNotification] {
    guard let prompt = openPrompt(id) else { return [] }
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
      let keeps = appsWithKeptNotifications.contains(prompt.app)
      for waiting in onNotificationsDecided(prompt.app, &context) {
        context.release(waiting.request.content.attachments, of: waiting.app)
        context.refuse(
          waiting.requestID, .notificationsNotAllowed,
          "the user dismissed the question without an answer: ask again")
      }
      if keeps { appsWithPostponedNotifications.insert(prompt.app) }
    case .location: onLocationDecided(prompt.app, &context)
    }
    promptNext(prompt.app, &context)
  }

  private func openPrompt(_ id: PromptID) -> Prompt? { prompts.values.first { $0.id == id } }

  /// Withdraws the prompt about notifications, answers the requests that waited for the decision, and returns the
  /// notifications that waited for it.
  private mutating func onNotificationsDecided(
    _ app: AppID, _ context: inout AgentContext
  ) -> [WaitingNotification] {
    withdrawPrompt(app, about: .notifications, &context)
    appsWithKeptNotifications.remove(app)
    appsWithPostponedNotifications.remove(app)
    for requestID in notificationAsks.removeValue(forKey: app) ?? [] {
      answerAuthorization(requestID, app, &context)
    }
    return removeWaiting(of: app, &context)
  }

  /// Withdraws the prompt about location and answers the requests that waited for it.
  private mutating func onLocationDecided(_ app: AppID, _ context: inout AgentContext) {
    withdrawPrompt(app, about: .location(usage: ""), &context)
    wantAlways.remove(app)
    for requestID in locationAsks.removeValue(forKey: app) ?? [] {
      answerLocation(requestID, app, &context)
    }
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
    guard prompts[app] == nil, let record = context.apps[app] else { return }
    let subject: Prompt.Subject
    if isUndecided(app) {
      subject = .notifications
      // The requesting process may exit before the answer arrives. The question then remains open for the notifications
      // that were stored earlier.
      if appsWithPostponedNotifications.remove(app) != nil, record.status == .notDetermined {
        appsWithKeptNotifications.insert(app)
      }
    } else if locationAsks[app] != nil {
      subject = .location(usage: record.locationUsage ?? "")
    } else {
      return
    }
    let prompt = Prompt(
      id: PromptID(number: nextPrompt), app: app, appName: record.displayName,
      icon: record.installation?.icon, subject: subject,
      wantsAlways: subject != .notifications && wantAlways.contains(app))
    nextPrompt += 1
    prompts[app] = prompt
    context.emit(.prompt(prompt))
  }

  private mutating func withdrawPrompt(
    _ app: AppID, about subject: Prompt.Subject, _ context: inout AgentContext
  ) {
    guard let prompt = prompts[app], prompt.subject.isSameDecision(as: subject) else { return }
    prompts[app] = nil
    context.emit(.withdrawPrompt(prompt))
  }

  /// Withdraws an app's prompt if no request waits for it, and shows the next prompt.
  private mutating func withdrawUnlessAwaited(_ app: AppID, _ context: inout AgentContext) {
    switch prompts[app]?.subject {
    case nil: return
    case .notifications:
      if !isUndecided(app) { withdrawPrompt(app, about: .notifications, &context) }
    case .location:
      if locationAsks[app] == nil { withdrawPrompt(app, about: .location(usage: ""), &context) }
    }
    promptNext(app, &context)
  }

  // MARK: - Settings

  /// Changes an app's settings, or none of the settings if one change is invalid; returns the notifications that waited
  /// for that decision.
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

  /// Adds an option that a command requests on behalf of an app that is not installed, and notifies the app.
  func request(_ option: AuthorizationOption, for app: AppID, _ context: inout AgentContext) {
    guard let record = context.apps[app], record.installation == nil else { return }
    let before = context.settings(of: app)
    context.update(app) { $0.asked.insert(option) }
    tellSettings(app, before, &context)
  }

  /// Sets an app's location permission, and notifies the app.
  func setLocation(_ app: AppID, _ status: LocationStatus, _ context: inout AgentContext) {
    guard context.apps[app]?.locationStatus != status else { return }
    context.update(app) { $0.locationStatus = status }
    tellLocation(app, &context)
  }

  /// Turns location services on or off for the device (S1-73).
  func setLocation(isOn: Bool, _ context: inout AgentContext) {
    guard isOn != context.apps.isLocationOn else { return }
    context.setLocation(isOn: isOn)
    for app in context.apps.all where app.locationStatus != .notDetermined {
      tellLocation(app.id, &context)
    }
  }

  private func tellSettings(
    _ app: AppID, _ before: NotificationSettings, _ context: inout AgentContext
  ) {
    let settings = context.settings(of: app)
    if settings != before { context.tell(app, .settings(settings)) }
  }

  private func tellLocation(_ app: AppID, _ context: inout AgentContext) {
    context.tell(app, .locationStatus(context.apps.locationStatus(of: app)))
  }

  // MARK: - Disconnection and removal

  /// Drops the waiting requests of a lost connection, and withdraws a prompt that nothing else waits for.
  mutating func onDisconnected(
    _ connection: ConnectionID, _ app: AppID?, _ context: inout AgentContext
  ) {
    // A command's notification is shown even if the command's connection is closed.
    for app in waitingNotifications.keys {
      waitingNotifications[app] = waitingNotifications[app]?.map { waiting in
        guard waiting.requestID.connection == connection else { return waiting }
        return waiting.unanswered
      }
    }
    guard let app else { return }
    Self.remove(connection, from: &notificationAsks, of: app)
    Self.remove(connection, from: &locationAsks, of: app)
    if locationAsks[app] == nil { wantAlways.remove(app) }
    withdrawUnlessAwaited(app, &context)
  }

  private static func remove(
    _ connection: ConnectionID, from asks: inout [AppID: [RequestID]], of app: AppID
  ) {
    asks[app]?.removeAll { $0.connection == connection }
    if asks[app]?.isEmpty == true { asks[app] = nil }
  }

  /// Withdraws the prompts of a removed app, and fails the requests that wait for a decision.
  mutating func onAppRemoved(_ app: AppID, _ context: inout AgentContext) {
    if let prompt = prompts.removeValue(forKey: app) { context.emit(.withdrawPrompt(prompt)) }
    var asks = notificationAsks.removeValue(forKey: app) ?? []
    asks += removeWaiting(of: app, &context).map(\.requestID)
    asks += locationAsks.removeValue(forKey: app) ?? []
    wantAlways.remove(app)
    appsWithKeptNotifications.remove(app)
    appsWithPostponedNotifications.remove(app)
    appsWithoutLocationUsage.remove(app)
    for requestID in asks { context.refuse(requestID, .unknownApp, "\(app) was removed") }
  }

  /// Asserts that prompts and waiting requests agree.
  func checkInvariants(_ context: AgentContext) {
    for (app, prompt) in prompts {
      assert(prompt.app == app, "a prompt is listed under its own app")
      assert(prompt.id.number < nextPrompt, "a prompt's number is less than the next number")
      assert(context.apps[app] != nil, "prompts and postponed notifications belong to known apps")
      switch prompt.subject {
      case .notifications: assert(isUndecided(app), "something waits for every prompt's answer")
      case .location: assert(locationAsks[app] != nil, "something waits for every prompt's answer")
      }
    }
    for (app, asks) in notificationAsks {
      assert(
        prompts[app] != nil && !asks.isEmpty, "waiting authorization requests have an open prompt")
    }
    for (app, waiting) in waitingNotifications {
      assert(prompts[app] != nil && !waiting.isEmpty, "waiting notifications have an open prompt")
      assert(
        waiting.allSatisfy { $0.number > 0 && $0.number < nextWaitingNumber },
        "every waiting notification has an assigned number")
    }
    for app in appsWithKeptNotifications {
      assert(prompts[app] != nil, "kept notifications have an open prompt")
      assert(
        context.apps[app]?.status == .notDetermined,
        "an app with kept notifications has no permission decision")
    }
    for app in appsWithPostponedNotifications {
      assert(context.apps[app] != nil, "prompts and postponed notifications belong to known apps")
      assert(
        !appsWithKeptNotifications.contains(app),
        "an app's notifications are not both kept and postponed")
    }
    for (app, asks) in locationAsks {
      assert(prompts[app] != nil && !asks.isEmpty, "waiting location requests have an open prompt")
    }
    assert(policy == .ask || prompts.isEmpty, "prompts are open only under the ask policy")
  }
}

extension Prompt.Subject {
  /// Returns true if both are about the same decision, regardless of their text.
  func isSameDecision(as other: Prompt.Subject) -> Bool {
    switch (self, other) {
    case (.notifications, .notifications), (.location, .location): true
    case (.notifications, .location), (.location, .notifications): false
    }
  }
}
