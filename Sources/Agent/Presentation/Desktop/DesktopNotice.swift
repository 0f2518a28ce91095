import BelfryWire

/// The arguments of `org.freedesktop.Notifications.Notify` for one presentation, as far as the
/// server can show it (linux-parts 1).
struct DesktopNotice: Hashable {
  /// What the server said it can do.
  struct Capabilities: Hashable {
    var names: Set<String> = []

    var hasActions: Bool { names.contains("actions") }
    var hasMarkup: Bool { names.contains("body-markup") }
    var hasBody: Bool { names.contains("body") || names.isEmpty }
    var hasInlineReply: Bool { names.contains("inline-reply") }
  }

  /// A click on the notification itself, by the specification.
  static let defaultKey = "default"
  /// The key of KDE's text field.
  static let replyKey = "inline-reply"
  /// The action key of an alert without buttons of its own, and what puts it away (S4-20).
  static let openKey = "belfry:open"
  static let closeKey = "belfry:close"
  /// A hint of our own: the keys of those actions that destroy something, which the specification has
  /// no word for.
  static let destructiveHint = "x-belfry-destructive-actions"

  var appName: String
  var icon: String
  var summary: String
  var body: String
  /// Keys and labels in turn.
  var actions: [String]
  var hints: [(String, BusValue)]
  /// Milliseconds; -1 is the server's choice, 0 is never.
  var expireMilliseconds: Int32

  /// The call's arguments.
  func arguments(replacing id: UInt32) -> [BusValue] {
    [
      .string(appName), .uint32(id), .string(icon), .string(summary), .string(body),
      .strings(actions), .vardict(hints), .int32(expireMilliseconds),
    ]
  }

  init(_ presentation: Presentation, _ capabilities: Capabilities) {
    appName = presentation.appName
    icon = presentation.icon ?? ""
    let title = presentation.title.isEmpty ? presentation.appName : presentation.title
    let lines = [presentation.subtitle, presentation.body].filter { !$0.isEmpty }
    if capabilities.hasBody {
      summary = title
      let text = lines.joined(separator: "\n")
      body = capabilities.hasMarkup ? Self.escaped(text) : text
    } else {
      summary = ([title] + lines).joined(separator: " – ")
      body = ""
    }
    actions = []
    hints = [
      ("urgency", .byte(Self.urgency(presentation.interruptionLevel))),
      ("desktop-entry", .string(presentation.desktopEntry ?? presentation.key.app.text)),
      // The agent plays sounds itself: servers play few formats or none.
      ("suppress-sound", .bool(true)),
    ]
    if let image = presentation.image { hints.append(("image-path", .string(image))) }
    let isUrgent =
      presentation.interruptionLevel == .timeSensitive
      || presentation.interruptionLevel == .critical
    expireMilliseconds = isUrgent || presentation.isPersistent ? 0 : -1
    if capabilities.hasActions { addActions(presentation, capabilities) }
  }

  private mutating func addActions(_ presentation: Presentation, _ capabilities: Capabilities) {
    let own = presentation.defaultTitle
    actions = [Self.defaultKey, own.isEmpty ? "Open" : own]
    if presentation.isPersistent, presentation.actions.isEmpty {
      // Servers draw no button for a click: an alert has two that say what they do.
      actions += [Self.closeKey, "Close", Self.openKey, own.isEmpty ? "View" : own]
    }
    // A banner is a minimal interface, an alert has room (S1-21, S1-27).
    let shown =
      presentation.isPersistent ? presentation.actions : presentation.minimalActions
    var hasReply = false
    var destructive: [String] = []
    for action in shown.prefix(
      presentation.isPersistent ? Limits.alertActionsShown : Limits.minimalActionsShown)
    {
      var key = Self.key(of: action.id)
      if let input = action.textInput, capabilities.hasInlineReply, !hasReply {
        hasReply = true
        key = Self.replyKey
        if !input.placeholder.isEmpty {
          hints.append(("x-kde-reply-placeholder-text", .string(input.placeholder)))
        }
        if !input.buttonTitle.isEmpty {
          hints.append(("x-kde-reply-submit-button-text", .string(input.buttonTitle)))
        }
      }
      actions += [key, action.title]
      if action.isDestructive { destructive.append(key) }
    }
    if !destructive.isEmpty { hints.append((Self.destructiveHint, .strings(destructive))) }
  }

  /// An action's key: its own identifier, unless that means something to servers.
  static func key(of id: String) -> String {
    id == defaultKey || id == replyKey || id.hasPrefix("action:") || id.hasPrefix("belfry:")
      ? "action:\(id)" : id
  }

  /// What a key stands for.
  static func action(of key: String, in presentation: Presentation) -> String? {
    switch key {
    case defaultKey, openKey: return NotificationResponse.defaultAction
    case closeKey: return NotificationResponse.dismissAction
    case replyKey: return presentation.actions.first { $0.textInput != nil }?.id
    default:
      return (presentation.actions + presentation.minimalActions)
        .first { Self.key(of: $0.id) == key }?.id
    }
  }

  private static func urgency(_ level: InterruptionLevel) -> UInt8 {
    switch level {
    case .passive: 0
    case .active, .timeSensitive: 1
    case .critical: 2
    }
  }

  /// The three characters that the specification's markup gives a meaning to.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  static func == (one: DesktopNotice, other: DesktopNotice) -> Bool {
    one.arguments(replacing: 0) == other.arguments(replacing: 0)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(arguments(replacing: 0)) }
}

extension DesktopNotice {
  /// The key of a prompt's first button.
  static let allowKey = "allow"
  /// The key of a prompt's second button.
  static let denyKey = "deny"

  /// A question that stays until it is answered (linux-parts 17).
  init(_ prompt: Prompt, _ capabilities: Capabilities) {
    appName = prompt.appName
    icon = prompt.icon ?? ""
    let text: String
    switch prompt.subject {
    case .notifications:
      summary = "\"\(prompt.appName)\" would like to send you notifications"
      text = "Notifications may include alerts, sounds and icon badges."
    case .location(let usage):
      summary =
        prompt.wantsAlways
        ? "Allow \"\(prompt.appName)\" to always use your location?"
        : "Allow \"\(prompt.appName)\" to use your location?"
      text = usage
    }
    body = capabilities.hasMarkup ? Self.escaped(text) : text
    actions = [Self.allowKey, "Allow", Self.denyKey, "Don't Allow"]
    hints = [
      ("urgency", .byte(2)), ("resident", .bool(true)),
      ("desktop-entry", .string(prompt.app.text)), ("suppress-sound", .bool(true)),
    ]
    expireMilliseconds = 0
  }
}
