package import AppWire
import BelfryClient

extension UNNotificationCategory {
  package var wire: AppWire.NotificationCategory {
    AppWire.NotificationCategory(
      id: identifier, actions: actions.map(\.wire),
      options: Set(Self.options.compactMap { options.contains($0.0) ? $0.1 : nil }),
      intents: intentIdentifiers,
      hiddenPreviewsPlaceholder: NotificationText(app: hiddenPreviewsBodyPlaceholder),
      summaryFormat: categorySummaryFormat)
  }

  package convenience init(_ category: AppWire.NotificationCategory) {
    self.init(
      identifier: category.id, actions: category.actions.map(UNNotificationAction.make),
      intentIdentifiers: category.intents,
      hiddenPreviewsBodyPlaceholder: category.hiddenPreviewsPlaceholder.remembered,
      categorySummaryFormat: category.summaryFormat,
      options: UNNotificationCategoryOptions(
        Self.options.compactMap { category.options.contains($0.1) ? $0.0 : nil }))
  }

  private static let options:
    [(UNNotificationCategoryOptions, AppWire.NotificationCategory.Option)] = [
      (.customDismissAction, .customDismissAction), (.allowInCarPlay, .allowInCarPlay),
      (.hiddenPreviewsShowTitle, .hiddenPreviewsShowTitle),
      (.hiddenPreviewsShowSubtitle, .hiddenPreviewsShowSubtitle),
      (.allowAnnouncement, .allowAnnouncement),
    ]
}

extension UNNotificationAction {
  package var wire: AppWire.NotificationAction {
    let input = self as? UNTextInputNotificationAction
    return AppWire.NotificationAction(
      id: identifier, title: NotificationText(app: title),
      options: Set(Self.options.compactMap { options.contains($0.0) ? $0.1 : nil }),
      icon: icon.map { ($0.isSystemImage ? "system:" : "template:") + $0.name },
      textInput: input.map {
        .init(buttonTitle: $0.textInputButtonTitle, placeholder: $0.textInputPlaceholder)
      })
  }

  /// Creates an action from the agent's wire format, with a text field if the action has one.
  package static func make(_ action: AppWire.NotificationAction) -> UNNotificationAction {
    let options = UNNotificationActionOptions(
      Self.options.compactMap { action.options.contains($0.1) ? $0.0 : nil })
    let icon = action.icon.map(UNNotificationActionIcon.init(wire:))
    guard let input = action.textInput else {
      return UNNotificationAction(
        identifier: action.id, title: action.title.remembered, options: options, icon: icon)
    }
    return UNTextInputNotificationAction(
      identifier: action.id, title: action.title.remembered, options: options, icon: icon,
      textInputButtonTitle: input.buttonTitle, textInputPlaceholder: input.placeholder)
  }

  private static let options: [(UNNotificationActionOptions, AppWire.NotificationAction.Option)] = [
    (.authenticationRequired, .authenticationRequired), (.destructive, .destructive),
    (.foreground, .foreground),
  ]
}

extension UNNotificationActionIcon {
  convenience init(wire: String) {
    let isSystemImage = wire.hasPrefix("system:")
    let name = wire.drop { $0 != ":" }.dropFirst()
    self.init(name: String(name), isSystemImage: isSystemImage)
  }
}
