import BelfryWire
import Foundation
import System

extension AgentDaemon: AppServerListener {
  func appGreeted(_ requestID: RequestID, _ hello: AppHello, by process: ProcessIdentity) {
    handle(.appGreeted(requestID, hello, process))
  }

  func appRequested(_ requestID: RequestID, _ request: AppRequest) {
    // Check the files here, because the model reads no files.
    if let refusal = fileRefusal(request) { return carryOut(.refuse(requestID, refusal)) }
    self.request(requestID, request)
  }

  /// Returns the reason that a file of a new notification cannot be used; nil if all files can be used.
  private func fileRefusal(_ request: AppRequest) -> AppLinkFailure? {
    switch request {
    case .add(let added): return AttachmentCheck.refusal(added.content.attachments)
    case .control(.notify(let app, let added)):
      // An app that specifies a missing sound gets the default sound (client-api 3.51). A command that specifies a
      // missing sound is refused, because the name is probably a typing error.
      return AttachmentCheck.refusal(added.content.attachments)
        ?? AppID(app).flatMap { soundRefusal(added.content.sound?.name, of: $0) }
    default: return nil
    }
  }

  private func soundRefusal(_ name: String?, of app: AppID) -> AppLinkFailure? {
    guard let name else { return nil }
    let folders = SoundSearch.folders(
      of: app, bundle: bundlePath(of: app), environment: ProcessInfo.processInfo.environment)
    guard SoundSearch.file(name, in: folders) == nil else { return nil }
    return AppLinkFailure(
      .invalidArgument,
      "no sound '\(name)': sounds of \(app) are files in \(folders.joined(separator: ", "))")
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
