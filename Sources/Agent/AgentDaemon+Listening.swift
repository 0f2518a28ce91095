import BelfryWire
import System

extension AgentDaemon: AppServerListener {
  func appGreeted(_ ask: Ask, _ hello: AppHello, by process: ProcessIdentity) {
    handle(.appGreeted(ask, hello, process))
  }

  func appRequested(_ ask: Ask, _ request: AppRequest) {
    // Check the files here, because the model reads no files.
    if case .add(let added) = request,
      let refusal = AttachmentCheck.refusal(added.content.attachments)
    {
      return carryOut(.refuse(ask, refusal))
    }
    guard !request.changesRecords || isUpToDate() else {
      return carryOut(.refuse(ask, .diskRefuses))
    }
    handle(.appRequested(ask, request))
  }

  func appReplied(_ question: Question, _ reply: AppReply) { handle(.appReplied(question, reply)) }

  func app(of connection: ConnectionID) -> AppID? { app(ofConnection: connection) }

  func appDisconnected(_ connection: ConnectionID) {
    launcher?.reap()
    handle(.appDisconnected(connection))
  }
}

extension AgentDaemon: PresenterListener {
  func presenterShowed(_ key: AppNotificationID) { handle(.notificationShown(key)) }

  func presenterWindow(_ key: AppNotificationID, isOpen: Bool) {
    handle(.notificationWindow(key, isOpen: isOpen))
  }

  func presenterActed(_ key: AppNotificationID, _ action: PersonAction) {
    handle(.notificationActedOn(key, action))
  }

  func presenterAnswered(_ prompt: PromptID, isAllowed: Bool) {
    handle(.promptAnswered(prompt, isAllowed: isAllowed))
  }

  func presenterPostponed(_ prompt: PromptID) { handle(.promptPostponed(prompt)) }

  func presenterDecided(_ app: AppID, keepsNotifications: Bool) {
    handle(.provisionalDecided(app, isKept: keepsNotifications))
  }

  func presenterAppeared(_ kind: AgentConfiguration.PresenterKind, isNew: Bool) {
    handle(.presenterAppeared(kind, isNew: isNew))
  }
}
