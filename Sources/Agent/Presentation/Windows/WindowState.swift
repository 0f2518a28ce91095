/// The open windows of `belfry-center`: notifications whose buttons the desktop's server does not draw, and questions
/// that cannot be answered on that server.
///
/// This type does not communicate with the program: each event returns the calls to make.
package struct WindowState {
  /// The state of the desktop's notification server, as far as it is known.
  enum Server: Hashable {
    /// The server has not been queried yet.
    case unknown
    case absent
    case present(ServerFeatures)
  }

  /// The content of a window.
  package enum Item: Hashable {
    /// A notification, with the action whose text field the user requested.
    case notification(Presentation, focus: String?)
    case prompt(Prompt)
    /// An app that is being started, with its name and the image that is shown during the start.
    case launch(name: String, image: String)  // text: compared by tests only
  }

  /// The identity of a window.
  enum Key: Hashable {
    case notification(AppNotificationID)
    case prompt(PromptID)
    case launch(AppID)
  }

  /// A call to the program.
  enum Call: Hashable {
    case show(Key, Item)
    case close(Key)
  }

  private var server = Server.unknown
  private var windows: [Key: Item] = [:]
  /// The drawings of content extensions in open windows.
  private var drawings: [AppNotificationID: Drawing] = [:]
  /// The open questions, whether or not a window shows them.
  private var prompts: [PromptID: Prompt] = [:]
  /// Notifications that arrived before the server was known.
  private var undecided: [AppNotificationID: Presentation] = [:]

  /// True if no window is open.
  var isEmpty: Bool { windows.isEmpty }

  /// Returns the content of a window, or nil if the window is not open.
  subscript(key: Key) -> Item? { windows[key] }

  /// Returns a content extension's drawing of a notification; nil while the notification's text is hidden.
  func drawing(of presentation: Presentation) -> Drawing? {
    presentation.isDrawnByApp ? drawings[presentation.key] : nil
  }

  /// Handles a new notification server, or the absence of a server.
  mutating func serverChanged(_ server: Server) -> [Call] {
    self.server = server
    guard server != .unknown else { return [] }
    let waiting = undecided.values.sorted { $0.key.id < $1.key.id }
    undecided = [:]
    return waiting.flatMap { presented($0) }
      + prompts.values.sorted { $0.id.number < $1.id.number }.flatMap { asked($0) }
  }

  /// Shows a notification, in a window if the server's features are not sufficient.
  mutating func presented(_ presentation: Presentation) -> [Call] {
    let key = Key.notification(presentation.key)
    // A notification that replaces another one updates the existing window.
    if windows[key] != nil { return show(key, .notification(presentation, focus: nil)) }
    switch server {
    case .unknown:
      undecided[presentation.key] = presentation
      return []
    case .absent:
      return presentation.isPersistent ? show(key, .notification(presentation, focus: nil)) : []
    case .present(let features):
      guard ButtonPlacement(presentation, features, hasWindow: true).opensWindow else { return [] }
      return show(key, .notification(presentation, focus: nil))
    }
  }

  /// Updates the text of a notification.
  mutating func refreshed(_ presentation: Presentation) -> [Call] {
    if undecided[presentation.key] != nil { undecided[presentation.key] = presentation }
    guard case .notification(let before, let focus)? = windows[.notification(presentation.key)]
    else { return [] }
    var presentation = presentation
    presentation.isExpanded = before.isExpanded
    return show(.notification(presentation.key), .notification(presentation, focus: focus))
  }

  /// Shows a content extension's new drawing.
  mutating func drew(_ key: AppNotificationID, _ drawing: Drawing) -> [Call] {
    guard let item = windows[.notification(key)] else { return [] }
    drawings[key] = drawing
    return [.show(.notification(key), item)]
  }

  /// Handles the user's request for all buttons of a notification, or for the text field of one action.
  mutating func requested(_ presentation: Presentation, focus: String?) -> [Call] {
    var presentation = presentation
    presentation.isExpanded = true
    return show(.notification(presentation.key), .notification(presentation, focus: focus))
  }

  /// Asks the user a question, in a window if the server's features are not sufficient.
  mutating func asked(_ prompt: Prompt) -> [Call] {
    prompts[prompt.id] = prompt
    let features: ServerFeatures?
    switch server {
    case .unknown: return []
    case .absent: features = nil
    case .present(let known): features = known
    }
    guard windows[.prompt(prompt.id)] == nil,
      ButtonPlacement.opensWindow(forQuestionsOn: features)
    else { return [] }
    return show(.prompt(prompt.id), .prompt(prompt))
  }

  /// Shows the launch image of an app that is being started.
  mutating func launching(_ app: AppID, name: String, image: String) -> [Call] {
    show(.launch(app), .launch(name: name, image: image))
  }

  /// Closes the launch image of an app that has started or is no longer expected.
  mutating func launched(_ app: AppID) -> [Call] { close(.launch(app)) }

  /// Handles the removal of a notification.
  mutating func removed(_ key: AppNotificationID) -> [Call] {
    undecided[key] = nil
    return close(.notification(key))
  }

  /// Handles a question that was withdrawn or answered.
  mutating func withdrawn(_ prompt: PromptID) -> [Call] {
    prompts[prompt] = nil
    return close(.prompt(prompt))
  }

  /// Handles a window that the program closed; returns its content.
  mutating func closed(_ key: Key) -> Item? {
    forgetDrawing(of: key)
    return windows.removeValue(forKey: key)
  }

  /// Handles the exit of the program; returns the content of its windows.
  mutating func ended() -> [Item] {
    defer {
      windows = [:]
      drawings = [:]
    }
    return Array(windows.values)
  }

  private mutating func show(_ key: Key, _ item: Item) -> [Call] {
    windows[key] = item
    return [.show(key, item)]
  }

  private mutating func close(_ key: Key) -> [Call] {
    forgetDrawing(of: key)
    return windows.removeValue(forKey: key) == nil ? [] : [.close(key)]
  }

  private mutating func forgetDrawing(of key: Key) {
    if case .notification(let name) = key { drawings[name] = nil }
  }

  /// Traps in debug builds if windows and their contents contradict each other.
  func checkInvariants() {
    for (key, item) in windows {
      switch (key, item) {
      case (.notification(let name), .notification(let presentation, _)):
        assert(presentation.key == name, "a window shows its own notification")
      case (.prompt(let id), .prompt(let prompt)):
        assert(prompt.id == id, "a window shows its own prompt")
        assert(prompts[id] != nil, "a prompt window belongs to an open prompt")
      case (.launch, .launch): break
      case (.notification, _), (.prompt, _), (.launch, _):
        assertionFailure("a window's content does not match its key")
      }
    }
    for key in drawings.keys {
      assert(windows[.notification(key)] != nil, "every drawing belongs to a window")
    }
    assert(
      server == .unknown || undecided.isEmpty,
      "no notification is undecided once the server is known")
  }
}
