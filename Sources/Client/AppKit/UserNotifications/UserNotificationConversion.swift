import BelfryClient
import AppWire
import Foundation
import UserNotifications

extension UserNotificationFields {
  /// The ID of the action button in messages to the agent.
  static let buttonAction = "belfry.action"
  /// The ID of the reply button in messages to the agent.
  static let replyAction = "belfry.reply"

  /// Returns the notification in the agent's wire format.
  ///
  /// - Throws: `UserInfoCoding.Unsuitable` if `userInfo` contains a value that a property list cannot represent.
  func wire(now: Bool) throws(UserInfoCoding.Unsuitable) -> AppWire.NotificationRequest {
    var content = NotificationContent()
    content.generation = .desktop
    content.title = .init(app: title ?? "")
    content.subtitle = .init(app: subtitle ?? "")
    content.body = .init(app: informativeText ?? "")
    content.sound = soundName.map {
      NotificationSound(name: $0 == NSUserNotificationDefaultSoundName ? nil : $0)
    }
    content.actionTitle = .init(app: actionButtonTitle)
    content.hasAction = hasActionButton
    content.actions = actions
    (content.userInfo, content.archive) = try UserInfoCoding.encode(userInfo ?? [:])
    return AppWire.NotificationRequest(
      id: agentIdentifier, content: content, trigger: now ? nil : trigger)
  }

  private var actions: [AppWire.NotificationAction]? {
    var actions: [AppWire.NotificationAction] = []
    if hasReplyButton {
      actions.append(
        .init(
          id: Self.replyAction, title: .init(app: actionButtonTitle),
          textInput: .init(placeholder: responsePlaceholder ?? "")))
    } else if hasActionButton, !actionButtonTitle.isEmpty {
      actions.append(
        .init(id: Self.buttonAction, title: .init(app: actionButtonTitle), options: [.foreground]))
    }
    for action in additionalActions ?? [] {
      actions.append(
        .init(
          id: action.identifier ?? "", title: .init(app: action.title ?? ""),
          options: [.foreground]))
    }
    return actions.isEmpty ? nil : actions
  }

  private var trigger: AppWire.NotificationTrigger? {
    guard let deliveryDate else { return nil }
    // The time zone applies only to repetitions, because the first delivery date is an absolute time.
    var interval = deliveryRepeatInterval
    if let deliveryTimeZone, interval?.timeZone == nil { interval?.timeZone = deliveryTimeZone }
    return .date(
      unixMilliseconds: deliveryDate.unixMilliseconds, zone: nil,
      recurrence: interval.map { .components(MatchingComponents($0)) },
      recurrenceCalendar: deliveryRepeatInterval?.calendar?.name)
  }

  /// Creates the fields of a notification from the agent's wire format.
  init(_ request: AppWire.NotificationRequest) {
    self.init()
    hiddenIdentifier = request.id
    identifier = request.id.hasPrefix(Self.hiddenPrefix) ? nil : request.id
    let content = request.content
    title = content.title.isEmpty ? nil : content.title.remembered
    subtitle = content.subtitle.isEmpty ? nil : content.subtitle.remembered
    informativeText = content.body.isEmpty ? nil : content.body.remembered
    soundName = content.sound.map { $0.name ?? NSUserNotificationDefaultSoundName }
    actionButtonTitle = content.actionTitle.remembered
    hasActionButton = content.hasAction
    let further = (content.actions ?? []).filter {
      $0.id != Self.buttonAction && $0.id != Self.replyAction
    }
    if !further.isEmpty {
      additionalActions = further.map {
        NSUserNotificationAction(identifier: $0.id, title: $0.title.remembered)
      }
    }
    let reply = content.actions?.first { $0.id == Self.replyAction }
    hasReplyButton = reply != nil
    responsePlaceholder = reply?.textInput?.placeholder
    let data = UserInfoCoding.decode(content.userInfo, archive: content.archive)
    if !data.isEmpty { userInfo = data as? [String: Any] }
    if case .date(let moment, _, let recurrence, _) = request.trigger {
      deliveryDate = Date(unixMilliseconds: moment)
      if case .components(let components)? = recurrence {
        deliveryRepeatInterval = DateComponents(components)
        deliveryTimeZone = deliveryRepeatInterval?.timeZone
      }
    }
  }

  /// Creates the fields of a delivered notification.
  init(_ delivered: DeliveredNotification) {
    self.init(delivered.request)
    actualDeliveryDate = Date(unixMilliseconds: delivered.unixMilliseconds)
    isPresented = delivered.isPresented
    if let payload = delivered.payload {
      isRemote = true
      userInfo = UserInfoCoding.payload(payload) as? [String: Any]
    }
  }

  /// Creates the fields of a notification that the user responded to.
  init(_ response: AppWire.NotificationResponse) {
    self.init(response.notification)
    self.response = response.text
    switch response.action {
    case NotificationResponse.defaultAction: activationType = .contentsClicked
    case NotificationResponse.dismissAction: activationType = .none
    case Self.buttonAction: activationType = .actionButtonClicked
    case Self.replyAction: activationType = .replied
    default:
      activationType = .additionalActionClicked
      additionalActivationAction = additionalActions?.first { $0.identifier == response.action }
    }
  }
}
