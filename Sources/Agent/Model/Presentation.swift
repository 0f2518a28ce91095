package import BelfryWire
import AppWire

/// A notification as the user sees it: its text is localized, and the app's switches and the setting for previews are
/// applied.
package struct Presentation: Hashable, Sendable {
  /// A button.
  struct Action: Hashable, Sendable {
    /// The action's identifier, which a response contains.
    var id: String
    /// The title of the button.
    var title: String
    /// True if the action is destructive; a presenter marks the action if it can.
    var isDestructive: Bool
    /// True if the action requires an unlocked screen.
    var needsAuthentication: Bool
    /// The text field, if the action has one.
    var textInput: NotificationAction.TextInput?
  }

  /// An attachment file.
  struct Attachment: Hashable, Sendable {
    /// The app's name for the attachment.
    var id: String
    /// The absolute path of the file.
    var path: String
    /// The uniform type identifier, if the app provided one.
    var type: String?

    /// Creates the visible part of an attachment.
    init(_ attachment: NotificationAttachment) {
      id = attachment.id
      path = attachment.path
      type = attachment.type
    }

    /// The attachment as printed in lines of JSON.
    var json: JSONObject {
      ["id": .string(id), "path": .string(path), "type": type.map(JSONValue.string) ?? .null]
    }
  }

  /// The way that the user opens the app from a notification on screen.
  enum Opening: Hashable, Sendable {
    /// By a button and by a click on the notification.
    case buttonAndClick
    /// Only by a click: an `NSUserNotification` without `hasActionButton`.
    case click
    /// Not from the screen, only from the Notification Center: `hasAction` is false, or `action-loc-key` is null
    /// (S3-20).
    case none
  }

  /// The kind of trigger, as the JSON presenter prints it.
  enum Origin: String, Hashable, Sendable {
    case push, interval, calendar, location, now
  }

  /// The notification's key.
  package var key: AppNotificationID
  /// The app's name to show to the user.
  var appName: String
  /// The ID of the app's desktop file, if it has one.
  var desktopEntry: String?
  /// A themed icon's name or an absolute path.
  var icon: String?
  /// The localized title.
  var title: String
  /// The localized subtitle.
  var subtitle: String
  /// The localized body.
  package var body: String
  /// The badge to show with the notification.
  var badge: Int64?
  /// The sound to play, if any.
  var sound: NotificationSound?
  /// The category's identifier; empty if there is no category.
  var category: String
  /// All buttons, in order, for a window with enough room; on a locked screen, only the minimal buttons (S1-21).
  var actions: [Action]
  /// The buttons of a banner, a row of the Notification Center, and a locked screen, in order (S1-27, S1-28).
  var minimalActions: [Action]
  /// True if the notification stays until the user acts, instead of disappearing automatically.
  var isPersistent: Bool
  /// The title of the default action; empty to use the presenter's own title.
  var defaultTitle: String
  /// The way that the user opens the app from the notification on screen.
  var opening: Opening
  /// The identifier that groups notifications.
  var thread: String
  /// The degree to which the notification may interrupt the user.
  var interruptionLevel: InterruptionLevel
  /// The app's own data.
  package var userInfo: JSONObject
  /// The kind of trigger that caused the notification to appear.
  var origin: Origin
  /// The path of a picture to show, if an attachment is a picture.
  var image: String?
  /// The notification's attachments.
  var attachments: [Attachment] = []
  /// True if a content extension of the app draws the notification in its window.
  package var isDrawnByApp = false
  /// True if the notification's window shows all actions because the user requested them.
  var isExpanded = false
  /// True if the notification replaces an earlier one that might be on screen.
  package var isUpdate: Bool
  /// The time when the notification arrived, in milliseconds since 1970.
  var unixMilliseconds: Int64
}

extension Presentation {
  /// True if the notification stays on screen until the user acts: an alert or an urgent notification.
  var stays: Bool {
    isPersistent || interruptionLevel == .timeSensitive || interruptionLevel == .critical
  }

  /// The buttons of a modal alert, which has room for four buttons of a category (S1-21).
  var alertActions: [Action] {
    category.isEmpty ? actions : Array(actions.prefix(Limits.alertActionsShown))
  }

  /// A function that finds a string in the app's language files.
  typealias TextLookup = (NotificationText) -> String

  /// The conditions that hide text.
  struct Privacy: Hashable {
    var isLocked: Bool
    var previews: NotificationSettings.Previews

    var hidesTexts: Bool {
      previews == .never || (previews == .whenAuthenticated && isLocked)
    }
  }

  /// Creates the presentation of a delivered notification.
  init(
    _ notification: RetainedNotification, of app: LocalApp, effects: Routing.Effects,
    privacy: Privacy, threadCount: Int, isUpdate: Bool,
    words: DeviceWords = .english, lookup: TextLookup
  ) {
    let content = notification.outline
    let category = app.category(content.category)
    key = AppNotificationID(app: app.id, id: notification.id)
    appName = app.displayName
    desktopEntry = app.installation?.desktopFile == nil ? nil : app.id.text
    icon = content.icon.isEmpty ? app.installation?.icon : content.icon
    title = lookup(content.title)
    subtitle = lookup(content.subtitle)
    body = lookup(content.body)
    badge = effects.badge ? content.iconBadge : nil
    sound = effects.sound ? content.sound : nil
    self.category = content.category
    let offered = content.offeredActions(of: category)
    minimalActions = offered.minimal.map { Action($0, lookup) }
    actions = privacy.isLocked ? minimalActions : offered.all.map { Action($0, lookup) }
    defaultTitle = lookup(content.actionTitle)
    opening =
      content.hasAction ? .buttonAndClick : content.generation == .desktop ? .click : .none
    // An app that handles dismissals waits for the user's answer, so the notification stays on screen.
    isPersistent = app.switches.alertStyle == .alert || content.tellsDismissal
    thread = content.thread
    interruptionLevel = content.interruptionLevel
    // A push's data is parsed only if the data is shown.
    userInfo = privacy.hidesTexts ? [:] : notification.userInfo
    origin = Origin(notification.trigger)
    image = content.attachments.first { Self.isPicture($0) }?.path
    attachments = content.attachments.map(Attachment.init)
    isDrawnByApp = app.contentExtension(of: content.category) != nil
    self.isUpdate = isUpdate
    unixMilliseconds = notification.unixMilliseconds
    if privacy.hidesTexts { hideTexts(category, threadCount: threadCount, words, lookup) }
  }

  /// Hides text (client-api 3.39): the placeholder replaces the body; the title and subtitle are shown only if the
  /// category allows it.
  private mutating func hideTexts(
    _ category: NotificationCategory?, threadCount: Int, _ words: DeviceWords,
    _ lookup: TextLookup
  ) {
    let placeholder = category.map { lookup($0.hiddenPreviewsPlaceholder) } ?? ""
    body =
      placeholder.isEmpty
      ? words[.hiddenPreview]
      : placeholder.split(separator: "%u", omittingEmptySubsequences: false)
        .joined(separator: String(threadCount))
    if category?.options.contains(.hiddenPreviewsShowTitle) != true { title = "" }
    if category?.options.contains(.hiddenPreviewsShowSubtitle) != true { subtitle = "" }
    image = nil
    attachments = []
    isDrawnByApp = false
  }

  private static func isPicture(_ attachment: NotificationAttachment) -> Bool {
    if let type = attachment.type {
      return ["public.png", "public.jpeg", "com.compuserve.gif", "public.image"].contains(type)
    }
    let suffixes = [".png", ".jpg", ".jpeg", ".gif"]
    return suffixes.contains { attachment.path.lowercased().hasSuffix($0) }
  }
}

extension Presentation.Action {
  init(_ action: NotificationAction, _ lookup: Presentation.TextLookup) {
    id = action.id
    title = lookup(action.title)
    isDestructive = action.options.contains(.destructive)
    needsAuthentication = action.options.contains(.authenticationRequired)
    textInput = action.textInput
  }
}

extension Presentation.Origin {
  /// Creates the origin from the kind of a trigger.
  init(_ trigger: NotificationTrigger?) {
    switch trigger {
    case nil: self = .now
    case .push: self = .push
    case .interval: self = .interval
    case .calendar, .date: self = .calendar
    case .region: self = .location
    }
  }
}

extension NotificationContent {
  /// The number for the app's icon: a negative number removes the badge, as 0 does; nil leaves the badge unchanged.
  package var iconBadge: Int64? { badge.map { max(0, $0) } }
}

extension NotificationContent {
  /// Returns the actions to show with the notification: all of them, and those for a small area.
  ///
  /// A category of the older interface has its own actions for a small area. In a large area, it shows four actions
  /// (S1-27), whereas a newer category shows ten (client-api 3.28).
  func offeredActions(
    of category: NotificationCategory?
  ) -> (all: [NotificationAction], minimal: [NotificationAction]) {
    let own = actions ?? category?.actions ?? []
    let small = actions ?? category?.minimalActions ?? own
    let isOlder = actions == nil && category?.minimalActions != nil
    return (
      Array(own.prefix(isOlder ? Limits.alertActionsShown : Limits.actionsShown)),
      Array(small.prefix(Limits.minimalActionsShown))
    )
  }
}
