extension LinuxMachine: PresenterListener {
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

  func presenterAppeared(_ kind: PresenterKind, isNew: Bool) {
    handle(.presenterAppeared(kind, isNew: isNew))
  }
}
