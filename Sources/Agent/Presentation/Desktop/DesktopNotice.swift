import BelfryWire
import AppWire

/// The arguments of `org.freedesktop.Notifications.Notify` for one presentation, limited to the content that the server
/// can show (linux-parts 1).
package struct DesktopNotice: Hashable {
  /// The action key for a click on the notification itself, as defined by the specification.
  static let defaultKey = "default"
  /// The key of KDE's text field.
  static let replyKey = "inline-reply"
  /// The key of the action that opens an alert without its own buttons, and of the action that closes it (S4-20).
  static let openKey = "belfry:open"
  static let closeKey = "belfry:close"
  /// A Belfry-specific hint: the keys of destructive actions, for which the specification has no hint.
  static let destructiveHint = "x-belfry-destructive-actions"
  /// The prefix of the line that lists the destructive actions below the text.
  static let destructiveSign = "⚠ "
  /// The key of the button that opens the window with all buttons.
  static let moreKey = "belfry:more"

  var appName: String
  var icon: String
  var summary: String
  var body: String
  /// Alternating keys and labels.
  var actions: [String]
  var hints: [(String, BusValue)]
  /// The timeout in milliseconds; -1 for the server's default, 0 for no timeout.
  var expireMilliseconds: Int32

  /// Returns the call's arguments.
  func arguments(replacing id: UInt32) -> [BusValue] {
    [
      .string(appName), .uint32(id), .string(icon), .string(summary), .string(body),
      .strings(actions), .vardict(hints), .int32(expireMilliseconds),
    ]
  }

  /// Creates the arguments for a notification.
  ///
  /// If `isQuiet` is true, the notification is added to the server's list without a banner. `hasWindow` is true if
  /// `belfry-center` can show the notification's buttons, and `isDesktopQuiet` is true if the server's do-not-disturb
  /// mode is on.
  package init(
    _ presentation: Presentation, _ server: ServerFeatures, words: DeviceWords = .english,
    isQuiet: Bool = false, hasWindow: Bool = false, isDesktopQuiet: Bool = false
  ) {
    appName = presentation.appName
    icon = presentation.icon ?? ""
    let title = Self.title(presentation, server)
    let lines = [presentation.subtitle, presentation.body].filter { !$0.isEmpty }
    if server.hasBody {
      summary = title
      let text = lines.joined(separator: "\n")
      body = server.hasMarkup ? Self.escaped(text) : text
    } else {
      summary = ([title] + lines).joined(separator: " – ")
      body = ""
    }
    actions = []
    let stays = !isQuiet && presentation.stays
    var urgency = isQuiet ? 0 : Self.urgency(presentation.interruptionLevel)
    // With do-not-disturb on, do not raise the urgency: the notification is added to the list like any other.
    if stays, server.staysByUrgency, !isDesktopQuiet, presentation.interruptionLevel != .passive {
      urgency = 2
    }
    hints = [
      ("urgency", .byte(urgency)),
      ("desktop-entry", .string(presentation.desktopEntry ?? presentation.key.app.text)),
      // The agent plays sounds itself, because servers play few formats or none.
      ("suppress-sound", .bool(true)),
    ]
    if server.listsResidentOnly { hints.append(("resident", .bool(true))) }
    if let image = presentation.image { hints.append(("image-path", .string(image))) }
    expireMilliseconds = stays ? 0 : -1
    if server.buttons != .none {
      let placement = ButtonPlacement(presentation, server, hasWindow: hasWindow)
      addActions(presentation, server, placement, words)
      markDestructiveActions(placement.withServer.filter(\.isDestructive).map(\.title), server)
    }
  }

  /// Returns the title, prefixed with the app's name if the server does not show the name.
  private static func title(_ presentation: Presentation, _ server: ServerFeatures) -> String {
    guard !presentation.title.isEmpty else { return presentation.appName }
    guard !server.showsAppName, !presentation.title.hasSameBytes(as: presentation.appName) else {
      return presentation.title
    }
    return "\(presentation.appName): \(presentation.title)"
  }

  private mutating func addActions(
    _ presentation: Presentation, _ server: ServerFeatures, _ placement: ButtonPlacement,
    _ words: DeviceWords
  ) {
    let own = presentation.defaultTitle
    if presentation.opening != .none {
      actions = [Self.defaultKey, own.isEmpty ? words[.open] : own]
    }
    if presentation.isPersistent, presentation.actions.isEmpty {
      // Servers draw no button for a click, so an alert without its own actions gets labeled buttons.
      actions += [Self.closeKey, words[.close]]
      if presentation.opening == .buttonAndClick {
        actions += [Self.openKey, own.isEmpty ? words[.view] : own]
      }
    }
    var hasReply = false
    var destructive: [String] = []
    for action in placement.withServer {
      var key = Self.key(of: action.id)
      if let input = action.textInput, server.hasInlineReply, !hasReply {
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
    if placement.hasMore { actions += [Self.moreKey, words[.more]] }
    if !destructive.isEmpty { hints.append((Self.destructiveHint, .strings(destructive))) }
  }

  /// Lists the destructive actions in a line below the text.
  ///
  /// No server has a style for destructive actions, and the titles of buttons must remain as the app wrote them.
  private mutating func markDestructiveActions(_ titles: [String], _ server: ServerFeatures) {
    guard !titles.isEmpty, server.hasBody else { return }
    let line = Self.destructiveSign + titles.joined(separator: ", ")
    body += (body.isEmpty ? "" : "\n") + (server.hasMarkup ? Self.escaped(line) : line)
  }

  /// Returns an action's key: its own identifier, unless the identifier has a special meaning for servers.
  static func key(of id: String) -> String {
    id == defaultKey || id == replyKey || id.hasPrefix("action:") || id.hasPrefix("belfry:")
      ? "action:\(id)" : id
  }

  /// Returns the identifier of the action that a key represents.
  static func action(of key: String, in presentation: Presentation) -> String? {
    switch key {
    case defaultKey, openKey: return NotificationResponse.defaultAction
    case closeKey: return NotificationResponse.dismissAction
    case replyKey: return presentation.actions.first { $0.textInput != nil }?.id
    case moreKey: return nil
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

  /// Escapes the three characters with a special meaning in the specification's markup.
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

  package static func == (one: DesktopNotice, other: DesktopNotice) -> Bool {
    one.arguments(replacing: 0) == other.arguments(replacing: 0)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(arguments(replacing: 0)) }
}

extension DesktopNotice {
  /// The key of a prompt's first button.
  static let allowKey = "allow"
  /// The key of a prompt's second button.
  static let denyKey = "deny"

  /// Creates the arguments for a question that remains on screen until it is answered (linux-parts 17).
  init(_ prompt: Prompt, _ server: ServerFeatures, words: DeviceWords = .english) {
    appName = prompt.appName
    icon = prompt.icon ?? ""
    summary = prompt.title(words)
    let text = prompt.text(words)
    body = server.hasMarkup ? Self.escaped(text) : text
    actions = [Self.allowKey, words[.allow], Self.denyKey, words[.dontAllow]]
    hints = [
      ("urgency", .byte(2)), ("resident", .bool(true)),
      ("desktop-entry", .string(prompt.app.text)), ("suppress-sound", .bool(true)),
    ]
    expireMilliseconds = 0
  }
}

extension Prompt {
  /// Returns the question, with the app's name.
  func title(_ words: DeviceWords) -> String {
    switch subject {
    case .notifications: words.text(.askNotifications, appName)
    case .location: words.text(wantsAlways ? .askLocationAlways : .askLocation, appName)
    }
  }

  /// Returns the text below the question.
  func text(_ words: DeviceWords) -> String {
    switch subject {
    case .notifications: words[.askNotificationsBody]
    case .location(let usage): usage
    }
  }
}
