/// The notifications to show on the desktop and the notifications that the server has.
///
/// This type determines the calls that reconcile the two. It does no I/O: each event returns the calls to make.
struct DesktopNotificationState {
  /// An item on the desktop: a notification or a prompt.
  enum Item: Hashable {
    case notification(Presentation)
    /// A notification in the server's list, without a banner.
    case quiet(Presentation)
    case prompt(Prompt)

    /// True if the server keeps the item on screen until the user acts, because it was sent without a timeout.
    fileprivate var stays: Bool {
      switch self {
      case .notification(let presentation): presentation.stays
      case .quiet: false
      case .prompt: true
      }
    }
  }

  /// The key of an item.
  enum Key: Hashable {
    case notification(AppNotificationID)
    case prompt(PromptID)
  }

  /// A call to the server.
  enum Call: Hashable {
    /// Shows an item: as a new one if the number is 0, otherwise replacing the item with that number.
    case notify(Key, Item, replacing: UInt32)
    case close(UInt32)
  }

  /// An action of the user.
  enum UserAction: Hashable {
    case acted(AppNotificationID, PersonAction)
    case answered(PromptID, isAllowed: Bool)
    case postponed(PromptID)
    /// Shows the notification in a window, with the text field of an action.
    case opensWindow(Presentation, focus: String?)
  }

  private struct DisplaySlot {
    /// The item to show; nil once the item is to be removed.
    var wanted: Item?
    /// True if an answer from the server is pending.
    var isCalling = false
    /// True if `wanted` has changed since the call.
    var isStale = false
    /// The number that the server assigned; 0 if none.
    var number: UInt32 = 0
  }

  private var places: [Key: DisplaySlot] = [:]
  private var keys: [UInt32: Key] = [:]
  private var tokens: [UInt32: String] = [:]
  private(set) var isServerThere = false
  /// True if an item waits for a server.
  var hasWaiting: Bool { !isServerThere && places.values.contains { $0.wanted != nil } }

  /// The numbers of the items that the server has, in ascending order.
  var numbers: [UInt32] { places.values.map(\.number).filter { $0 != 0 }.sorted() }

  // MARK: - Requests

  /// Shows an item, replacing an item with the same key.
  mutating func show(_ key: Key, _ item: Item) -> [Call] {
    var place = places[key] ?? DisplaySlot()
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

  /// Updates an item if it is still shown.
  mutating func refresh(_ key: Key, _ item: Item) -> [Call] {
    places[key]?.wanted == nil ? [] : show(key, item)
  }

  /// Removes an item.
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

  // MARK: - Events from the server

  /// Handles the server's answer to a call: the item has this number.
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

  /// Handles a call that the server refused or did not answer.
  ///
  /// The item is not shown until the item or the server changes.
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

  /// Retries an item that the server refused, if the item is unchanged and still wanted.
  mutating func retry(_ key: Key) -> [Call] {
    guard let place = places[key], let wanted = place.wanted, !place.isCalling, place.number == 0
    else { return [] }
    return show(key, wanted)
  }

  /// Shows all items on a new server, which can differ from the previous server.
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
      place = DisplaySlot(wanted: wanted, isCalling: true)
      places[key] = place
      calls.append(.notify(key, wanted, replacing: 0))
    }
    return calls
  }

  /// Handles the loss of the server; the items wait for the next server.
  ///
  /// `keepsList` is true if the server moved banners to a list without reporting the move. Notifications that were
  /// already shown are then not shown again.
  mutating func serverLost(keepsList: Bool = false) {
    isServerThere = false
    keys = [:]
    tokens = [:]
    for (key, place) in places {
      let wasSeen = keepsList && place.number != 0 && !place.isCalling
      if wasSeen, case .notification(let presentation) = place.wanted, !presentation.stays {
        places[key] = nil
      } else {
        places[key] = place.wanted.map { DisplaySlot(wanted: $0) }
      }
    }
  }

  /// Stores the activation token, which arrives before its action and allows the app to enter the foreground.
  mutating func activationToken(_ number: UInt32, _ token: String) {
    if keys[number] != nil { tokens[number] = token }
  }

  /// Handles a button that the user pressed; `hasWindow` is true if a window can show a text field.
  mutating func actionInvoked(
    _ number: UInt32, _ action: String, text: String? = nil, hasWindow: Bool = false
  ) -> (UserAction?, [Call]) {
    guard let key = keys[number], let item = places[key]?.wanted else { return (nil, []) }
    let token = tokens.removeValue(forKey: number)
    switch item {
    case .notification(let presentation), .quiet(let presentation):
      if hasWindow, let focus = Self.windowFocus(action, text: text, presentation) {
        // The server closes the notification after the press. The app is not notified of the press.
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

  /// Returns the focus of the window that must handle a pressed button: the action whose text field the window shows,
  /// or a nil action if the window shows all buttons.
  ///
  /// Returns nil if the button needs no window.
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

  /// Handles a notification that the server removed from the screen, with the reason for the removal.
  ///
  /// The reasons are 1 for expired, 2 for dismissed by the user, 3 for closed by the agent, and 4 for unknown. Only a
  /// dismissal is an action of the user; an expired notification is still in the Notification Center. An item without a
  /// timeout cannot expire, so reason 1 then also means a dismissal, unless `reportsDismissals` is true, which means that
  /// the server uses reason 2 for every dismissal.
  mutating func closed(
    _ number: UInt32, reason: UInt32, reportsDismissals: Bool = true
  ) -> UserAction? {
    guard let key = keys.removeValue(forKey: number) else { return nil }
    tokens[number] = nil
    guard let place = places[key] else { return nil }
    if place.isCalling {
      // The item was closed while it was being replaced. The answer to the replacing call contains the new number.
      places[key]?.number = 0
      return nil
    }
    assert(place.wanted != nil, "an item that is not wanted has no number")
    places[key] = nil
    let isDismissal =
      reason == 2 || reason == 1 && !reportsDismissals && place.wanted?.stays == true
    guard isDismissal else { return nil }
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
