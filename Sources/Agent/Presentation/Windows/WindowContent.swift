import AppWire
package import BelfryWire

/// The objects that are sent to `belfry-center`, in the device's language.
package struct WindowContent {
  /// The identifiers of the agent's own buttons; those of an app's actions have the prefix `action:`.
  enum Button: String {
    case allow, deny, open, dismiss, more, clear, clearAll, keep, turnOff
  }

  private static let actionPrefix = "action:"

  let words: DeviceWords

  package init(words: DeviceWords) {
    self.words = words
  }

  private var direction: JSONValue { words.isRightToLeft ? "rtl" : "ltr" }

  /// Returns the command that shows an item in the window with that name.
  package func show(
    _ window: String, _ item: WindowState.Item, _ drawing: Drawing? = nil
  ) -> JSONObject {
    var object: JSONObject = [
      "do": "show", "window": .string(window), "direction": direction,
    ]
    switch item {
    case .notification(let presentation, let focus):
      add(presentation, to: &object)
      var offered = presentation
      if let drawing {
        add(drawing, to: &object)
        offered.actions = drawing.actions ?? presentation.actions
      }
      object["buttons"] = .array(buttons(of: offered, closing: .dismiss, words[.close]))
      object["focus"] = .string(focus.map { Self.actionPrefix + $0 } ?? "")
    case .launch(let name, let image):
      object["app"] = .string(name)
      object["title"] = .string(name)
      object["image"] = .string(image)
      object["buttons"] = []
    case .prompt(let prompt):
      object["app"] = .string(prompt.appName)
      object["icon"] = .string(prompt.icon ?? "")
      object["title"] = .string(prompt.title(words))
      object["body"] = .string(prompt.text(words))
      object["buttons"] = [
        button(.deny, words[.dontAllow]), button(.allow, words[.allow], style: "suggested"),
      ]
    }
    return object
  }

  /// Returns the command that shows the Notification Center.
  func center(_ groups: [CenterGroup], date: (Int64) -> String) -> JSONObject {
    [
      "do": "center", "direction": direction, "title": .string(words[.notificationCenter]),
      "empty": .string(words[.noNotifications]),
      "buttons": [clearAllButton],
      "groups": .array(groups.map { group($0, date) }),
    ]
  }

  /// The button that dismisses all notifications; only a second press, on its confirmation, is reported.
  private var clearAllButton: JSONValue {
    [
      "id": .string(Button.clearAll.rawValue), "title": .string(words[.clearAll]),
      "style": "plain", "hint": .string(words[.destructiveHint]),
      "confirm": [
        "title": .string(words[.clearAllQuestion]), "cancel": .string(words[.cancel]),
      ],
    ]
  }

  private func group(_ group: CenterGroup, _ date: (Int64) -> String) -> JSONValue {
    let decisions =
      group.isProvisional
      ? [button(.keep, words[.keep]), button(.turnOff, words[.turnOff])] : []
    return [
      "id": .string(group.app.text), "app": .string(group.name),
      "icon": .string(group.icon ?? ""), "buttons": .array(decisions),
      "threads": .array(
        group.threads.map { thread in
          [
            "title": .string(title(of: thread)),
            "items": .array(thread.items.map { item($0, date($0.unixMilliseconds)) }),
          ]
        }),
    ]
  }

  /// Returns a thread's title with the number of its notifications; empty for a single notification or a notification
  /// without a thread.
  private func title(of thread: CenterGroup.Thread) -> String {
    guard !thread.id.isEmpty, thread.items.count > 1 else { return "" }
    return words.count(.notificationCount, thread.items.count)
  }

  private func item(_ presentation: Presentation, _ date: String) -> JSONValue {
    var object: JSONObject = ["id": .string(presentation.key.id), "date": .string(date)]
    add(presentation, to: &object)
    // A row has room for two actions (S1-21). The window of the notification shows all of them.
    let hasMore = presentation.actions.contains { action in
      !presentation.minimalActions.contains { $0.id.hasSameBytes(as: action.id) }
    }
    let more = hasMore ? [button(.more, words[.more])] : []
    object["buttons"] = .array(
      [button(.open, openTitle(presentation))]
        + presentation.minimalActions.map(button) + more + [button(.clear, words[.clear])])
    return .object(object)
  }

  private func add(_ presentation: Presentation, to object: inout JSONObject) {
    object["app"] = .string(presentation.appName)
    object["icon"] = .string(presentation.icon ?? "")
    object["title"] = .string(Self.cut(presentation.title))
    object["subtitle"] = .string(Self.cut(presentation.subtitle))
    object["body"] = .string(Self.cut(presentation.body))
    object["image"] = .string(presentation.image ?? "")
  }

  /// Adds the content that the app's own extension draws, which can replace the notification's text.
  private func add(_ drawing: Drawing, to object: inout JSONObject) {
    if drawing.hidesDefaultContent {
      for name in ["title", "subtitle", "body", "image"] { object[name] = "" }
    }
    object["content"] = .array(
      drawing.items.map { item in
        switch item {
        case .text(let text): ["text": .string(Self.cut(text))]
        case .picture(let path): ["picture": .string(path)]
        }
      })
  }

  private func buttons(
    of presentation: Presentation, closing: Button, _ closeTitle: String
  ) -> [JSONValue] {
    // A notification without its own actions has the same buttons as in an alert: Close and, if the app shows an action
    // button, that button (S3-20, S4-20).
    let own =
      presentation.actions.isEmpty && presentation.opening == .buttonAndClick
      ? [button(.open, openTitle(presentation, words[.view]))] : []
    let shown =
      presentation.isPersistent && !presentation.isExpanded
      ? presentation.alertActions : presentation.actions
    let more =
      shown.count < presentation.actions.count ? [button(.more, words[.more])] : []
    return shown.map(button) + own + more + [button(closing, closeTitle)]
  }

  private func openTitle(_ presentation: Presentation, _ usual: String? = nil) -> String {
    presentation.defaultTitle.isEmpty ? usual ?? words[.open] : presentation.defaultTitle
  }

  private func button(_ id: Button, _ title: String, style: String = "plain") -> JSONValue {
    ["id": .string(id.rawValue), "title": .string(title), "style": .string(style)]
  }

  private func button(_ action: Presentation.Action) -> JSONValue {
    var object: JSONObject = [
      "id": .string(Self.actionPrefix + action.id), "title": .string(action.title),
      "style": action.isDestructive ? "destructive" : "plain",
    ]
    if action.isDestructive { object["hint"] = .string(words[.destructiveHint]) }
    if let input = action.textInput {
      object["input"] = [
        "placeholder": .string(input.placeholder),
        "send": .string(input.buttonTitle.isEmpty ? words[.send] : input.buttonTitle),
      ]
    }
    return .object(object)
  }

  private static func cut(_ text: String) -> String {
    String(text.prefix(Limits.windowTextCharacters))
  }

  /// Returns the user's action on a notification for a button, or nil if the button does not belong to a notification.
  static func action(of button: String, text: String?) -> PersonAction? {
    if button.hasPrefix(actionPrefix) {
      return PersonAction(String(button.dropFirst(actionPrefix.count)), text: text)
    }
    switch Button(rawValue: button) {
    case .open: return .open
    case .dismiss, .clear: return .dismiss
    case .more, .allow, .deny, .clearAll, .keep, .turnOff, nil: return nil
    }
  }
}
