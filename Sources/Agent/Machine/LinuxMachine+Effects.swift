import Scheduling
import AppWire
import System

extension LinuxMachine {
  /// Carries out an effect.
  ///
  /// The records that precede the effect have already been written, or the attempt to write them has failed.
  func carryOut(_ effect: AgentEffect) {
    switch effect {
    case .persist(let change):
      switch change.collection {
      case .delivered, .apps: presenters?.windows.centerChanged()
      case .pending, .waiting, .schedule, .regions, .seen, .responses, .fetches, .tasks, .device,
        .cancellations, .subscriptions, .messages:
        break
      }
    case .readInstallation(let requestID, let path, let languages):
      handle(.installationRead(requestID, AppInstaller.read(path, languages: languages)))
    case .diagnose(let requestID, let model):
      daemon?.carryOut(.answer(requestID, .rows(diagnosis(model))))
    case .present(let presentation): show(.presented(presentation))
    case .refresh(let presentation): show(.refreshed(presentation))
    case .list(let presentation): show(.listed(presentation))
    case .draw(let key, let drawing): show(.drawn(key, drawing))
    case .closeWindow(let key): show(.windowClosed(key))
    case .showLaunchImage(let app, let name):
      show(.launchImage(app, path: name.flatMap { LaunchImageSearch.file($0, of: app) }))
    case .withdraw(let key): show(.removed(key))
    case .badge(let app, let badge): show(.badge(app, badge))
    case .sound(let key, let sound, let app):
      show(.sound(key, sound))
      presenters?.play(sound, of: app)
    case .suppressed(let key, let reason): show(.suppressed(key, reason))
    case .prompt(let prompt): self.prompt(prompt)
    case .withdrawPrompt(let prompt): show(.promptWithdrawn(prompt))
    case .showLink(let isUp): show(.link(isUp: isUp))
    case .openCenter(let requestID, let environment): openCenter(requestID, environment)
    case .replay(let kind, let events):
      presenters?.replay(events, to: kind, atUnixMilliseconds: clock.now.wall)
    case .launch(let order):
      if !order.isJoined { show(.launched(order.app.id, order.reason)) }
      launcher?.launch(order)
    case .raise(let app, let token): launcher?.raise(app, activationToken: token)
    case .end(let app): launcher?.end(app)
    case .kill(let app): launcher?.killProcesses(of: app)
    case .suspend(let app): launcher?.suspend(app)
    case .resume(let app): launcher?.resume(app)
    case .deleteAttachments(let app, nil): attachments?.deleteAll(of: app)
    case .deleteAttachments(let app, let paths?): attachments?.delete(paths, of: app)
    case .trimAttachments(let app, let used):
      attachments?.trim(app, used: used, atUnixSeconds: SystemClock.unixMilliseconds / 1_000)
    case .register(let app, let kind): receiver?.register(app, kind)
    case .unregister(let app, let kind): receiver?.unregister(app, kind)
    case .moveLink(let isOnline): isOnline ? receiver?.start() : receiver?.close()
    case .announceState(let state): receiver?.announce(state)
    case .probeGateway(let isOtherNetwork): receiver?.probe(isOtherNetwork: isOtherNetwork)
    case .acknowledge(let id): receiver?.acknowledge(id)
    case .rejectPush(let id): receiver?.reject(id)
    case .armRegions(let moment): places?.arm(atAwakeMilliseconds: moment)
    case .useLocationServices(let needs): places?.run(needs)
    case .unifiedPush(let effect): carryOut(effect)
    case .log(let entry): write(entry)
    case .persistClock, .cancelTimeout, .expectApp, .startExtension, .armSchedule,
      .armBackgroundWork, .armBackgroundTime, .moveClock, .moveZone:
      assertionFailure("the engine carries out this effect itself")
    case .answer, .refuse, .tell, .ask, .close:
      assertionFailure("the server carries out this effect")
    }
  }

  func show(_ event: PresenterEvent) {
    presenters?.show(event, atUnixMilliseconds: clock.now.wall)
  }

  private func prompt(_ prompt: Prompt) {
    show(.prompt(prompt))
    if presenters?.canAsk != true {
      let (name, word) = prompt.allowingSetting
      log.warning(
        "an app is waiting for permission: answer with 'belfry settings \(prompt.app) \(name)=\(word)'",
        ["app": prompt.app.text])
    }
  }

  private func openCenter(_ requestID: RequestID, _ environment: [String: String]) {
    do throws(AppLinkFailure) {
      try presenters?.windows.openCenter(environment)
      daemon?.carryOut(.answer(requestID, AppAnswer()))
    } catch {
      daemon?.carryOut(.refuse(requestID, error))
    }
  }

  func start(_ order: ExtensionOrder) -> Bool {
    launcher?.start(order) { [weak self] in self?.handle(.extensionEnded(token: order.token)) }
      ?? false
  }

  private func write(_ entry: LogEntry) {
    switch entry {
    case .damagedRecord(let collection, let key):
      log.warning(
        "ignoring a damaged record", ["collection": collection.rawValue, "record": key])
    case .backgroundModeMissing(let app):
      log.warning(
        "a background push cannot reach an app that is not in the foreground: add the background mode "
          + "remote-notification to its manifest",
        ["app": app.text])
    case .suspendedAppKilled(let app, let reason):
      log.info(
        "ended a suspended app, because \(reason.words): the agent starts the new program when the app next receives "
          + "work", ["app": app.text])
    case .waitingNotificationRefused(let key, let why):
      log.warning(
        "a notification that waited for permission will not be shown",
        ["app": key.app.text, "id": key.id, "why": why])
    case .notificationExpired(let key):
      log.info(
        "a notification will not be shown: its time has passed",
        ["app": key.app.text, "id": key.id])
    case .placeWithheld(let key):
      log.info(
        "an app does not receive a response to its location notification, because it has no location access: "
          + "to give it access, run 'belfry settings \(key.app) location=whenInUse' and "
          + "'belfry settings --location on'", ["app": key.app.text, "id": key.id])
    case .extensionGaveNothing(let app, let executable, let silence):
      log.warning(
        "a service extension returned nothing, so its push is shown unchanged: "
          + "\(silence.problem); \(silence.advice)",
        ["app": app.text, "executable": executable])
    case .contentExtensionEnded(let app, let executable):
      log.warning(
        "a content extension exited before it showed anything: check whether it crashes, or lacks "
          + "@main", ["app": app.text, "executable": executable])
    case .pushValuesIgnored(let app, let keys, let why):
      let names = keys.map { String($0.unicodeScalars.prefix(80)) }.joined(separator: ", ")
      log.warning(
        "ignoring values of a push, and delivering the rest",
        ["app": app.text, "keys": names, "why": why])
    case .pushUnreadable(let app, let why):
      log.warning(
        "a push is not shown, because its payload cannot be read", ["app": app.text, "why": why])
    case .locationUsageMissing(let app):
      log.warning(
        "an app requests the location without a usage description, so the user is not asked: "
          + LocalApp.locationUsageAdvice, ["app": app.text])
    }
  }
}

extension OutdatedProgram {
  fileprivate var words: String {
    switch self {
    case .installedAgain: "it was installed again"
    case .fileReplaced: "its program was replaced or deleted"
    }
  }
}
