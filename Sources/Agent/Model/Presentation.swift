import BelfryWire

/// A notification as a person is to see it: texts found, switches and hidden previews applied.
struct Presentation: Hashable, Sendable {
  /// A button.
  struct Action: Hashable, Sendable {
    /// What a response names.
    var id: String
    /// The text on it.
    var title: String
    /// Destroys something: to be marked where the server can.
    var isDestructive: Bool
    /// Waits for the unlocked screen.
    var needsAuthentication: Bool
    /// Asks for a text.
    var textInput: NotificationAction.TextInput?
  }

  /// Where it comes from, by the words of the JSON presenter.
  enum Origin: String, Hashable, Sendable {
    case push, interval, calendar, location, now
  }

  /// Whose it is, and its name.
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
  /// The number that goes on the icon with it.
  var badge: Int64?
  /// Whether it sounds, and how.
  var sound: NotificationSound?
  /// The category's identifier; empty is none.
  var category: String
  /// Buttons where there is room, in order.
  var actions: [Action]
  /// Buttons where there is little, in order (S1-28).
  var minimalActions: [Action]
  /// Stays until the person does something, instead of going away by itself.
  var isPersistent: Bool
  /// The text of the default action; empty is the presenter's own word.
  var defaultTitle: String
  /// Groups notifications.
  var thread: String
  /// How much it may interrupt.
  var interruptionLevel: InterruptionLevel
  /// The app's own data.
  var userInfo: JSONObject
  /// What made it appear.
  var origin: Origin
  /// The path of a picture to show, when an attachment is one.
  var image: String?
  /// It stands in place of an earlier one that may be on screen.
  var isUpdate: Bool
  /// When, in milliseconds since 1970.
  var unixMilliseconds: Int64
}

extension Presentation {
  /// Finds a text in the app's language files.
  typealias TextLookup = (NotificationText) -> String

  /// What hides texts.
  struct Privacy: Hashable {
    var isLocked: Bool
    var previews: NotificationSettings.Previews

    var hidesTexts: Bool {
      previews == .never || (previews == .whenAuthenticated && isLocked)
    }
  }

  /// Makes the presentation of a delivered notification.
  init(
    _ notification: DeliveredNotification, of app: LocalApp, effects: Routing.Effects,
    privacy: Privacy, threadCount: Int, isUpdate: Bool,
    words: DeviceWords = .english, lookup: TextLookup
  ) {
    let content = notification.request.content
    let category = app.category(content.category)
    key = AppNotificationID(app: app.id, id: notification.request.id)
    appName = app.displayName
    desktopEntry = app.installation?.desktopFile == nil ? nil : app.id.text
    icon = app.installation?.icon
    title = lookup(content.title)
    subtitle = lookup(content.subtitle)
    body = lookup(content.body)
    badge = effects.badge ? content.badge : nil
    sound = effects.sound ? content.sound : nil
    self.category = content.category
    let actions = (content.actions ?? category?.actions ?? []).map { Action($0, lookup) }
    self.actions = Array(actions.prefix(Limits.actionsShown))
    minimalActions = Array(
      (content.actions == nil
        ? category?.minimalActions?.map { Action($0, lookup) } ?? actions : actions)
        .prefix(Limits.minimalActionsShown))
    defaultTitle = lookup(content.actionTitle)
    // A question of the app waits for its answer.
    isPersistent = app.switches.alertStyle == .alert || content.tellsDismissal
    thread = content.thread
    interruptionLevel = content.interruptionLevel
    userInfo = content.userInfo
    origin = Origin(notification.request.trigger)
    image = content.attachments.first { Self.isPicture($0) }?.path
    self.isUpdate = isUpdate
    unixMilliseconds = notification.unixMilliseconds
    if privacy.hidesTexts { hideTexts(category, threadCount: threadCount, words, lookup) }
  }

  /// Client-api 3.39: the body gives way to the placeholder, title and subtitle unless the category
  /// lets them stand.
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
    userInfo = [:]
    image = nil
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
  fileprivate init(_ action: NotificationAction, _ lookup: Presentation.TextLookup) {
    id = action.id
    title = lookup(action.title)
    isDestructive = action.options.contains(.destructive)
    needsAuthentication = action.options.contains(.authenticationRequired)
    textInput = action.textInput
  }
}

extension Presentation.Origin {
  /// The word for a trigger.
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
