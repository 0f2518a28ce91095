/// Which windows of `belfry-center` stand: notifications whose buttons the desktop's server does not
/// draw, and questions that cannot be answered there.
///
/// Knows no program: each event gives the calls to make.
struct WindowState {
  /// What is known of the desktop's notification server.
  enum Server: Hashable {
    /// It was not asked yet.
    case unknown
    case absent
    case present(ServerFeatures)
  }

  /// What a window shows.
  enum Item: Hashable {
    /// With the action whose text field the person asked for.
    case notification(Presentation, focus: String?)
    case prompt(Prompt)
    /// An app that is being started, by its name and the image that it shows meanwhile.
    case launch(name: String, image: String)  // text: compared by tests only
  }

  /// Its name among the others.
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
  /// What content extensions show in windows that stand.
  private var drawings: [AppNotificationID: Drawing] = [:]
  /// Questions that are open, in a window or not.
  private var prompts: [PromptID: Prompt] = [:]
  /// Notifications that came before the server was known.
  private var undecided: [AppNotificationID: Presentation] = [:]

  /// Whether no window stands.
  var isEmpty: Bool { windows.isEmpty }

  /// What a window shows; nil when there is none of that name.
  subscript(key: Key) -> Item? { windows[key] }

  /// What a content extension shows of a notification; nil while its texts are hidden.
  func drawing(of presentation: Presentation) -> Drawing? {
    presentation.isDrawnByApp ? drawings[presentation.key] : nil
  }

  /// Another server is there, or none.
  mutating func serverChanged(_ server: Server) -> [Call] {
    self.server = server
    guard server != .unknown else { return [] }
    let waiting = undecided.values.sorted { $0.key.id < $1.key.id }
    undecided = [:]
    return waiting.flatMap { presented($0) }
      + prompts.values.sorted { $0.id.number < $1.id.number }.flatMap { asked($0) }
  }

  /// A notification is shown: in a window, too, where the server does not do.
  mutating func presented(_ presentation: Presentation) -> [Call] {
    let key = Key.notification(presentation.key)
    // One that replaces another says what it says now.
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

  /// A notification reads otherwise now.
  mutating func refreshed(_ presentation: Presentation) -> [Call] {
    if undecided[presentation.key] != nil { undecided[presentation.key] = presentation }
    guard case .notification(let before, let focus)? = windows[.notification(presentation.key)]
    else { return [] }
    var presentation = presentation
    presentation.isExpanded = before.isExpanded
    return show(.notification(presentation.key), .notification(presentation, focus: focus))
  }

  /// A content extension shows something else of a notification.
  mutating func drew(_ key: AppNotificationID, _ drawing: Drawing) -> [Call] {
    guard let item = windows[.notification(key)] else { return [] }
    drawings[key] = drawing
    return [.show(.notification(key), item)]
  }

  /// The person asked for all buttons of a notification, or for the text field of one.
  mutating func requested(_ presentation: Presentation, focus: String?) -> [Call] {
    var presentation = presentation
    presentation.isExpanded = true
    return show(.notification(presentation.key), .notification(presentation, focus: focus))
  }

  /// A person is asked something: in a window, too, where the server does not do.
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

  /// An app is being started behind an image.
  mutating func launching(_ app: AppID, name: String, image: String) -> [Call] {
    show(.launch(app), .launch(name: name, image: image))
  }

  /// An app was started, or is waited for no longer.
  mutating func launched(_ app: AppID) -> [Call] { close(.launch(app)) }

  /// A notification is gone.
  mutating func removed(_ key: AppNotificationID) -> [Call] {
    undecided[key] = nil
    return close(.notification(key))
  }

  /// A question is withdrawn or answered.
  mutating func withdrawn(_ prompt: PromptID) -> [Call] {
    prompts[prompt] = nil
    return close(.prompt(prompt))
  }

  /// A window is gone by itself; gives what it showed.
  mutating func closed(_ key: Key) -> Item? {
    forgetDrawing(of: key)
    return windows.removeValue(forKey: key)
  }

  /// The program has ended; gives what its windows showed.
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

  /// Traps in debug builds when windows and what they show contradict each other.
  func checkInvariants() {
    for (key, item) in windows {
      switch (key, item) {
      case (.notification(let name), .notification(let presentation, _)):
        assert(presentation.key == name, "a window shows its own notification")
      case (.prompt(let id), .prompt(let prompt)):
        assert(prompt.id == id, "a window shows its own question")
        assert(prompts[id] != nil, "a question with a window is open")
      case (.launch, .launch): break
      case (.notification, _), (.prompt, _), (.launch, _):
        assertionFailure("a window shows what it is named for")
      }
    }
    for key in drawings.keys {
      assert(windows[.notification(key)] != nil, "a drawing has its window")
    }
    assert(server == .unknown || undecided.isEmpty, "what waits for the server is decided with it")
  }
}
