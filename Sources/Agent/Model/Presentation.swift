import BelfryWire

/// A notification as shown to a person, with localised texts, after switches and hidden previews were applied.
struct Presentation: Hashable, Sendable {
  /// A button.
  struct Action: Hashable, Sendable {
    /// The action's identifier, which a response names.
    var id: String
    /// The text on it.
    var title: String
    /// Whether it destroys something, to be marked if the presenter can.
    var isDestructive: Bool
    /// Whether it requires an unlocked screen.
    var needsAuthentication: Bool
    /// The text field, if it has one.
    var textInput: NotificationAction.TextInput?
  }

  /// A file.
  struct Attachment: Hashable, Sendable {
    /// The app's name for it.
    var id: String
    /// Where it lies, absolute.
    var path: String
    /// Its uniform type identifier, as far as the app named one.
    var type: String?

    /// What is to be seen of an attachment.
    init(_ attachment: NotificationAttachment) {
      id = attachment.id
      path = attachment.path
      type = attachment.type
    }

    /// Its members in lines of JSON.
    var json: JSONObject {
      ["id": .string(id), "path": .string(path), "type": type.map(JSONValue.string) ?? .null]
    }
  }

  /// How a notification on the screen opens its app.
  enum Opening: Hashable, Sendable {
    /// By a button, and by a click on it.
    case buttonAndClick
    /// Only by a click: an `NSUserNotification` without `hasActionButton`.
    case click
    /// Not at all, only from the Notification Center: `hasAction` is false, or `action-loc-key` null (S3-20).
    case none
  }

  /// The kind of trigger, as the JSON presenter prints it.
  enum Origin: String, Hashable, Sendable {
    case push, interval, calendar, location, now
  }

  /// The notification's key.
  var key: AppNotificationID
  /// The app's name for people.
  var appName: String
  /// The desktop file's id, where the app has one.
  var desktopEntry: String?
  /// A themed icon's name or an absolute path.
  var icon: String?
  /// Found texts.
  var title: String
  /// Found texts.
  var subtitle: String
  /// Found texts.
  var body: String
  /// The badge to show with it.
  var badge: Int64?
  /// The sound to play, if any.
  var sound: NotificationSound?
  /// The category's identifier; empty for none.
  var category: String
  /// All buttons, in order: those of a window that has room; on a locked screen the minimal ones (S1-21).
  var actions: [Action]
  /// The buttons of a banner, a row of the Notification Center and a locked screen, in order (S1-27, S1-28).
  var minimalActions: [Action]
  /// Whether it stays until the person acts, instead of disappearing by itself.
  var isPersistent: Bool
  /// The title of the default action; empty for the presenter's own.
  var defaultTitle: String
  /// How the notification on the screen opens its app.
  var opening: Opening
  /// The identifier that groups notifications.
  var thread: String
  /// How much it may interrupt.
  var interruptionLevel: InterruptionLevel
  /// The app's own data.
  var userInfo: JSONObject
  /// The kind of trigger that made it appear.
  var origin: Origin
  /// The path of a picture to show, when an attachment is one.
  var image: String?
  /// The files that belong to it.
  var attachments: [Attachment] = []
  /// Whether a content extension of the app shows it in its window.
  var isDrawnByApp = false
  /// Whether its window shows all actions, because the user asked for them.
  var isExpanded = false
  /// Whether it replaces an earlier one that may be on screen.
  var isUpdate: Bool
  /// The time, in milliseconds since 1970.
  var unixMilliseconds: Int64
}

extension Presentation {
  /// Whether it stays on the screen until the person acts: an alert, and what is urgent.
  var stays: Bool {
    isPersistent || interruptionLevel == .timeSensitive || interruptionLevel == .critical
  }

  /// The buttons of a modal alert, which has room for four of a category (S1-21).
  var alertActions: [Action] {
    category.isEmpty ? actions : Array(actions.prefix(Limits.alertActionsShown))
  }

  /// A function that finds a text in the app's language files.
  typealias TextLookup = (NotificationText) -> String

  /// The conditions that hide texts.
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
    icon = app.installation?.icon
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
    // An app that handles dismissals waits for the person's answer.
    isPersistent = app.switches.alertStyle == .alert || content.tellsDismissal
    thread = content.thread
    interruptionLevel = content.interruptionLevel
    // A push's data is read only where it is shown.
    userInfo = privacy.hidesTexts ? [:] : notification.userInfo
    origin = Origin(notification.trigger)
    image = content.attachments.first { Self.isPicture($0) }?.path
    attachments = content.attachments.map(Attachment.init)
    isDrawnByApp = app.contentExtension(of: content.category) != nil
    self.isUpdate = isUpdate
    unixMilliseconds = notification.unixMilliseconds
    if privacy.hidesTexts { hideTexts(category, threadCount: threadCount, words, lookup) }
  }

  /// Hides texts (client-api 3.39): the placeholder replaces the body; title and subtitle are shown only if the
  /// category allows that.
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
  /// The kind of a trigger.
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
  /// The number for the app's icon: a negative one removes it, as 0 does; nil leaves it.
  var iconBadge: Int64? { badge.map { max(0, $0) } }
}

extension NotificationContent {
  /// The actions to show with it, all of them and those of a small place.
  ///
  /// A category of the older interface has its own for a small place; it shows four elsewhere (S1-27), a newer one ten
  /// (client-api 3.28).
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
