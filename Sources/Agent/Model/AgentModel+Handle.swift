import BelfryWire

extension AgentModel {
  /// Decides what follows from an event; `takeEffects` has it.
  mutating func handle(_ event: AgentEvent, at now: AgentTime) {
    self.now = now
    switch event {
    case .recordsRestored(let records): onRecordsRestored(records)
    case .identityReplaced: forgetTokens()
    case .started: onStarted()
    case .recordsPersisted: pendingRequests.onRecordsPersisted()
    case .appGreeted(let ask, let hello, let process): greeted(ask, hello, by: process)
    case .appRequested(let ask, let request): asked(ask, request, atUnixMilliseconds: now.wall)
    case .appReplied(let question, let reply):
      emit(.cancelTimeout(question))
      replied(question, reply)
    case .questionTimedOut(let question): replied(question, nil)
    case .appDisconnected(let connection):
      closed(connection)
      regions.setFollower(connection, nil)
    case .installationRead(let ask, .success(let record)): install(ask, record)
    case .installationRead(let ask, .failure(let failure)): emit(.refuse(ask, failure))
    case .promptAnswered(let id, let isAllowed):
      if let app = prompts[id]?.app {
        decided(app, isAllowed: isAllowed, atUnixMilliseconds: now.wall)
      }
    case .promptPostponed(let id): if let app = prompts[id]?.app { postponed(app) }
    case .notificationActedOn(let key, let action):
      responded(key, action: action.id, text: action.text)
    case .notificationShown(let key): shown(key)
    case .presenterAppeared(let kind, let isNew): onPresenterAppeared(kind, isNew: isNew)
    case .pushReceived(let push): pushed(push, atUnixMilliseconds: now.wall)
    case .registrationSucceeded(let app, let kind, let token): registered(app, kind, token: token)
    case .registrationRefused(let app, let kind, let message):
      registrationRefused(app, kind, message: message)
    case .linkChanged(let isUp):
      isLinkUp = isUp
      emit(.showLink(isUp: isUp))
    case .conditionChanged(let change): onConditionChanged(change)
    case .focusedWindowChanged(let window): looked(at: window)
    case .scheduleDue: scheduled.onWakeUp()
    case .clockWasSet: scheduled.onClockSet(at: now.moment, &effects)
    case .clockMoved: scheduled.onClockMoved(at: now.moment, &effects)
    case .zonesChanged(let zones):
      if let ask = scheduled.onZonesChanged(to: zones, at: now.moment, &effects) {
        emit(.answer(ask, .rows([clockRow])))
      }
    case .backgroundWorkDue: armedBackground = nil
    case .located(let place): onPlace(place)
    case .locationServiceEnded: regions.onServiceEnded()
    case .beaconHeard(let beacon): onCrossings(regions.onBeacon(beacon, atAwake: now.awake))
    case .regionsDue: onCrossings(regions.onTimePassed(atAwake: now.awake))
    case .appExpected(let app, let token): appExpected(app, token: token)
    case .appLaunchFailed(let app, let token): appExpected(app, token: token)
    case .extensionFailed(let token), .extensionTimedOut(let token): extensionEnded(token, nil)
    case .extensionTimeEnds(let token): extensionTimeEnds(token)
    }
    guard hasStarted else { return }
    settleSchedule()
    settleBackgroundWork()
    settleRegions()
    checkInvariants()
  }

  func checkInvariants() {
    scheduled.checkInvariants()
    pendingRequests.checkInvariants()
    regions.checkInvariants()
  }

  private mutating func onStarted() {
    hasStarted = true
    resume()
    for record in apps.values.sorted(by: { $0.id < $1.id }) {
      for kind in TokenKind.allCases where record.registrations[kind] != nil {
        emit(.register(record.id, kind))
      }
    }
  }

  private mutating func onPresenterAppeared(
    _ kind: AgentConfiguration.PresenterKind, isNew: Bool
  ) {
    var events: [PresenterEvent] = []
    if isNew {
      events += unseen().map(PresenterEvent.presented)
      events += prompts.values.sorted { $0.id.number < $1.id.number }.map(PresenterEvent.prompt)
    }
    for record in apps.values.sorted(by: { $0.id < $1.id }) where record.badge > 0 {
      events.append(.badge(record.id, record.badge))
    }
    emit(.replay(kind, events))
  }

  private mutating func onConditionChanged(_ change: DeviceChange) {
    switch change {
    case .batteryLow(let isLow): self.change { $0.isBatteryLow = isLow }
    case .powerSaver(let isOn): self.change { $0.isPowerSaver = isOn }
    case .metered(let isMetered): self.change { $0.isMetered = isMetered }
    case .sessionLocked(let isLocked):
      self.change {
        $0.isLocked = isLocked
        $0.isLockedBySession = isLocked
      }
    case .sessionEnded:
      // What a command has locked is not a session's.
      guard conditions.isLockedBySession else { return }
      self.change {
        $0.isLocked = false
        $0.isLockedBySession = false
      }
    case .asleep(let isAsleep):
      guard isAsleep != conditions.isAsleep else { return }
      self.change { $0.isAsleep = isAsleep }
      guard !isAsleep else { return }
      emit(.probeGateway(isOtherNetwork: false))
      // What came due meanwhile need not wait for the kernel's alarm.
      scheduled.onWakeUp()
    case .desktopQuiet(let isQuiet): self.change { $0.isDesktopQuiet = isQuiet }
    case .online(let isOtherNetwork): emit(.probeGateway(isOtherNetwork: isOtherNetwork))
    case .servicesLost:
      // What nobody tells any more holds nothing back. A locked screen stays locked, for all that is
      // known: hidden texts are not shown because a service failed.
      onConditionChanged(.asleep(false))
      self.change {
        $0.isBatteryLow = false
        $0.isPowerSaver = false
        $0.isMetered = false
      }
    }
  }

  private mutating func settleBackgroundWork() {
    if let next = nextBackground(atUnixMilliseconds: now.wall), next <= now.wall {
      releaseBackground(atUnixMilliseconds: now.wall)
    }
    let next = nextBackground(atUnixMilliseconds: now.wall)
    guard next != armedBackground else { return }
    armedBackground = next
    emit(.armBackgroundWork(atUnixMilliseconds: next))
  }
}
