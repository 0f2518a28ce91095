import BelfryWire
import System

extension AgentDaemon: AppServerListener {
  func appGreeted(_ ask: Ask, _ hello: AppHello, by process: ProcessIdentity) {
    handle(.appGreeted(ask, hello, process))
  }

  func appRequested(_ ask: Ask, _ request: AppRequest) { handle(.appRequested(ask, request)) }

  func appReplied(_ question: Question, _ reply: AppReply) { handle(.appReplied(question, reply)) }

  func appDisconnected(_ connection: ConnectionID) {
    launcher?.reap()
    handle(.appDisconnected(connection))
  }
}

extension AgentDaemon: PresenterListener {
  func presenterShowed(_ key: AppNotificationID) { handle(.notificationShown(key)) }

  func presenterActed(_ key: AppNotificationID, _ action: PersonAction) {
    handle(.notificationActedOn(key, action))
  }

  func presenterAnswered(_ prompt: PromptID, isAllowed: Bool) {
    handle(.promptAnswered(prompt, isAllowed: isAllowed))
  }

  func presenterPostponed(_ prompt: PromptID) { handle(.promptPostponed(prompt)) }

  func presenterAppeared(_ kind: AgentConfiguration.PresenterKind, isNew: Bool) {
    handle(.presenterAppeared(kind, isNew: isNew))
  }
}

/// What the services of the machine report.
extension AgentDaemon {
  var systemBus: BusConnection? { systemBusFinder?.bus }

  /// Listens to the services of the machine, as far as they are there, whenever their bus is.
  func watchServices() {
    guard !clock.isManual else { return }
    let finder = ReconnectingBus(.system, on: loop, log: log) { [weak self] in
      self?.systemBusChanged($0)
    }
    systemBusFinder = finder
    finder.open()
  }

  private func systemBusChanged(_ bus: BusConnection?) {
    services = nil
    if let bus {
      do {
        services = try SystemServices(bus: bus) { [weak self] in self?.serviceReported($0) }
      } catch {
        // Only a connection that is ending takes no matches: the finder hears of that.
        log.warning("the system bus cannot be listened to", ["why": "\(error)"])
      }
    } else {
      handle(.conditionChanged(.servicesLost))
    }
    places?.use(bus, log: log.child("location"))
  }

  private func serviceReported(_ change: SystemServices.Change) {
    switch change {
    case .device(let change): handle(.conditionChanged(change))
    case .zone(let name): (clock as? MachineClock)?.setReportedZone(name)
    }
  }
}
