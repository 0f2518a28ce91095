import AppWire
import Foundation
import UserNotifications

extension UIUserNotificationCategory {
  /// The category in the agent's wire format; nil if the category has no identifier, because no notification could
  /// refer to it.
  var wire: AppWire.NotificationCategory? {
    guard let identifier else { return nil }
    return AppWire.NotificationCategory(
      id: identifier, actions: (actions(for: .default) ?? actions(for: .minimal) ?? []).map(\.wire),
      // Always present: the agent recognizes a category of this API by its minimal actions (S1-27, S1-28).
      minimalActions: (actions(for: .minimal) ?? []).map(\.wire))
  }

  convenience init(_ category: AppWire.NotificationCategory) {
    var fields = Fields()
    fields.identifier = category.id
    fields.actions[UIUserNotificationActionContext.default.rawValue] = category.actions.map {
      UIUserNotificationAction($0)
    }
    fields.actions[UIUserNotificationActionContext.minimal.rawValue] =
      category.minimalActions?.map { UIUserNotificationAction($0) }
    self.init(fields)
  }
}

extension UIUserNotificationAction {
  var wire: AppWire.NotificationAction {
    var options: Set<AppWire.NotificationAction.Option> = []
    if activationMode == .foreground { options.insert(.foreground) }
    // An action that opens the app requires an unlocked device even without this option.
    if isAuthenticationRequired { options.insert(.authenticationRequired) }
    if isDestructive { options.insert(.destructive) }
    let button = parameters[UIUserNotificationTextInputActionButtonTitleKey] as? String
    return AppWire.NotificationAction(
      id: identifier ?? "", title: NotificationText(app: title ?? ""), options: options,
      textInput: behavior == .textInput ? .init(buttonTitle: button ?? "") : nil)
  }

  nonisolated convenience init(_ action: AppWire.NotificationAction) {
    var fields = UserNotificationActionFields()
    fields.identifier = action.id
    fields.title = action.title.remembered
    fields.activationMode = action.options.contains(.foreground) ? .foreground : .background
    fields.isAuthenticationRequired = action.options.contains(.authenticationRequired)
    fields.isDestructive = action.options.contains(.destructive)
    if let input = action.textInput {
      fields.behavior = .textInput
      if !input.buttonTitle.isEmpty {
        fields.parameters[UIUserNotificationTextInputActionButtonTitleKey] = input.buttonTitle
      }
    }
    self.init(fields)
  }
}
