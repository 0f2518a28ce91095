/// What should stand on the desktop and what the server has: calls that follow from the difference.
///
/// Knows no bus: each event gives the calls to make.
struct DesktopNotificationState {
  /// What stands there: a notification, or a question to the person.
  enum Item: Hashable {
    case notification(Presentation)
    /// A notification that stands in the server's list, without a banner.
    case quiet(Presentation)
    case prompt(Prompt)
  }

  /// Its name among the others.
  enum Key: Hashable {
    case notification(AppNotificationID)
    case prompt(PromptID)
  }

  /// A call to the server.
  enum Call: Hashable {
    /// Show it; 0 is anew, else in place of that number.
    case notify(Key, Item, replacing: UInt32)
    case close(UInt32)
  }

  /// What the person did.
  enum UserAction: Hashable {
    case acted(AppNotificationID, PersonAction)
    case answered(PromptID, isAllowed: Bool)
    case postponed(PromptID)
    /// To be shown in a window, with the text field of an action.
    case opensWindow(Presentation, focus: String?)
  }

  private struct Place {
    /// nil once it is to go.
    var wanted: Item?
    /// What the server was last asked to show, while the answer is awaited.
    var isCalling = false
    /// Whether `wanted` changed since the call.
    var isStale = false
    /// The server's number; 0 when it has none.
    var number: UInt32 = 0
  }

  private var places: [Key: Place] = [:]
  private var keys: [UInt32: Key] = [:]
  private var tokens: [UInt32: String] = [:]
  private(set) var isServerThere = false

  // MARK: - What is wanted

  /// Shows an item, or another one in its place.
  mutating func show(_ key: Key, _ item: Item) -> [Call] {
    var place = places[key] ?? Place()
    place.wanted = item
    defer { places[key] = place }
    guard isServerThere else { return [] }
    guard !place.isCalling else {
      place.isStale = true
      return []
    }
    place.isCalling = true
    return [.notify(key, item, replacing: place.number)]
  }

  /// Shows an item in another form, where it still stands.
  mutating func refresh(_ key: Key, _ item: Item) -> [Call] {
    places[key]?.wanted == nil ? [] : show(key, item)
  }

  /// Takes an item away.
  mutating func remove(_ key: Key) -> [Call] {
    guard var place = places[key] else { return [] }
    guard !place.isCalling else {
      place.wanted = nil
      place.isStale = true
      places[key] = place
      return []
    }
    forget(key)
    return place.number == 0 ? [] : [.close(place.number)]
  }

  // MARK: - What the server says

  /// The server answered a call: the item has this number.
  mutating func notified(_ key: Key, number: UInt32) -> [Call] {
    guard var place = places[key], place.isCalling else { return [] }
    place.isCalling = false
    if place.number != number {
      keys[place.number] = nil
      place.number = number
    }
    keys[number] = key
    let wasStale = place.isStale
    place.isStale = false
    guard let wanted = place.wanted else {
      places[key] = place
      forget(key)
      return [.close(number)]
    }
    guard wasStale else {
      places[key] = place
      return []
    }
    place.isCalling = true
    places[key] = place
    return [.notify(key, wanted, replacing: number)]
  }

  /// The server refused or did not answer: the item is dropped, and tried again when it changes or
  /// the server does.
  mutating func failed(_ key: Key) -> [Call] {
    guard var place = places[key], place.isCalling else { return [] }
    place.isCalling = false
    place.isStale = false
    guard place.wanted != nil else {
      forget(key)
      return []
    }
    places[key] = place
    return []
  }

  /// Asks again for what the server refused, if it is still wanted and nothing else was asked since.
  mutating func retry(_ key: Key) -> [Call] {
    guard let place = places[key], let wanted = place.wanted, !place.isCalling, place.number == 0
    else { return [] }
    return show(key, wanted)
  }

  /// A server is there, perhaps another one than before: all that is wanted is shown to it.
  mutating func serverAppeared() -> [Call] {
    isServerThere = true
    keys = [:]
    tokens = [:]
    var calls: [Call] = []
    for (key, var place) in places {
      guard let wanted = place.wanted else {
        places[key] = nil
        continue
      }
      place = Place(wanted: wanted, isCalling: true)
      places[key] = place
      calls.append(.notify(key, wanted, replacing: 0))
    }
    return calls
  }

  /// The server is gone; what is wanted waits for the next one.
  mutating func serverLost() {
    isServerThere = false
    keys = [:]
    tokens = [:]
    for (key, place) in places {
      places[key] = place.wanted.map { Place(wanted: $0) }
    }
  }

  /// A token that lets the app come to the front; it comes before the action.
  mutating func activationToken(_ number: UInt32, _ token: String) {
    if keys[number] != nil { tokens[number] = token }
  }

  /// The person pressed something; `hasWindow` tells whether a window can ask for a text.
  mutating func actionInvoked(
    _ number: UInt32, _ action: String, text: String? = nil, hasWindow: Bool = false
  ) -> (UserAction?, [Call]) {
    guard let key = keys[number], let item = places[key]?.wanted else { return (nil, []) }
    let token = tokens.removeValue(forKey: number)
    switch item {
    case .notification(let presentation), .quiet(let presentation):
      if hasWindow, let focus = Self.windowFocus(action, text: text, presentation) {
        // The server closes what was pressed: no word of that reaches the app.
        return (.opensWindow(presentation, focus: focus.id), remove(key))
      }
      guard let id = DesktopNotice.action(of: action, in: presentation) else { return (nil, []) }
      let calls = remove(key)
      let action = PersonAction(id, text: text, activationToken: token)
      return (.acted(presentation.key, action), calls)
    case .prompt(let prompt):
      guard action == DesktopNotice.allowKey || action == DesktopNotice.denyKey else {
        return (nil, [])
      }
      let calls = remove(key)
      return (.answered(prompt.id, isAllowed: action == DesktopNotice.allowKey), calls)
    }
  }

  /// Whether a window shows what was pressed, and the action whose text field it asks for; nil where
  /// the server did it all.
  static func windowFocus(
    _ action: String, text: String?, _ presentation: Presentation
  ) -> (id: String?, Void)? {
    if action == DesktopNotice.moreKey { return (nil, ()) }
    guard text == nil, let id = DesktopNotice.action(of: action, in: presentation),
      (presentation.actions + presentation.minimalActions)
        .contains(where: { $0.id == id && $0.textInput != nil })
    else { return nil }
    return (id, ())
  }

  /// The server took it off the screen: 1 expired, 2 dismissed, 3 by our call, 4 unknown.
  ///
  /// Only 2 is the person's doing; an expired one still stands in the centre.
  mutating func closed(_ number: UInt32, reason: UInt32) -> UserAction? {
    guard let key = keys.removeValue(forKey: number) else { return nil }
    tokens[number] = nil
    guard let place = places[key] else { return nil }
    if place.isCalling {
      // It went while its replacement was under way: the answer brings the new number.
      places[key]?.number = 0
      return nil
    }
    places[key] = nil
    guard reason == 2 else { return nil }
    switch key {
    case .notification(let name): return .acted(name, .dismiss)
    case .prompt(let id): return .postponed(id)
    }
  }

  private mutating func forget(_ key: Key) {
    guard let place = places.removeValue(forKey: key) else { return }
    keys[place.number] = nil
    tokens[place.number] = nil
  }
}
