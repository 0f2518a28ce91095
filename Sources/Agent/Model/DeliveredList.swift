import BelfryWire

/// The notification centre: what was delivered and is still there, oldest first.
struct DeliveredList: Sendable {
  /// One entry.
  struct Entry: Hashable, Sendable {
    var key: AppNotificationID
    var notification: DeliveredNotification
    /// Order of delivery on this device.
    var order: Int64
    /// Whether it stands in the list that a person sees; what was only shown as a banner does not.
    var isListed: Bool
    /// Whether a presenter has it on screen or had.
    var isShown: Bool
  }

  private var entries: [AppNotificationID: Entry] = [:]
  private var nextOrder: Int64 = 1

  /// Puts a notification in, in place of an earlier one of the same name; gives the entry.
  mutating func put(
    _ key: AppNotificationID, _ notification: DeliveredNotification, isListed: Bool
  ) -> Entry {
    let entry = Entry(
      key: key, notification: notification, order: nextOrder, isListed: isListed, isShown: false)
    nextOrder += 1
    entries[key] = entry
    return entry
  }

  /// Puts a kept entry back.
  mutating func restore(_ entry: Entry) {
    entries[entry.key] = entry
    nextOrder = max(nextOrder, entry.order + 1)
  }

  /// Marks an entry as seen on screen; nil when there is none or it was marked.
  mutating func markShown(_ key: AppNotificationID) -> Entry? {
    guard let entry = entries[key], !entry.isShown else { return nil }
    entries[key]?.isShown = true
    return entries[key]
  }

  subscript(key: AppNotificationID) -> Entry? { entries[key] }

  /// Takes an entry out.
  mutating func remove(_ key: AppNotificationID) -> Entry? { entries.removeValue(forKey: key) }

  /// Entries of one app, or of all, oldest first.
  func of(_ app: AppID?) -> [Entry] {
    entries.values.filter { app == nil || $0.key.app == app }.sorted { $0.order < $1.order }
  }

  /// Those of an app that exceed its bound, oldest first.
  func excess(of app: AppID, limit: Int) -> [Entry] {
    let own = of(app)
    return own.count > limit ? Array(own.prefix(own.count - limit)) : []
  }

  /// The keys under which a notification's own name stands, for commands that leave out the app.
  func keys(named id: String) -> [AppNotificationID] {
    entries.keys.filter { $0.id == id }.sorted { $0.app < $1.app }
  }
}

extension DeliveredList.Entry {
  /// The entry as it is kept on disk: the notification's own frame with two marks.
  var record: [UInt8] {
    guard var frame = try? AppFrame(decoding: notification.encoded) else { return [] }
    frame.object["app"] = .string(key.app.text)
    frame.object["order"] = .integer(order)
    frame.object["listed"] = .bool(isListed)
    frame.object["shown"] = .bool(isShown)
    return frame.encoded
  }

  /// Reads what `record` made; nil when it is damaged.
  init?(record: [UInt8]) {
    guard let frame = try? AppFrame(decoding: record),
      let notification = try? DeliveredNotification(decoding: record),
      let app = frame.object["app"]?.stringValue.flatMap(AppID.init)
    else { return nil }
    self.init(
      key: AppNotificationID(app: app, id: notification.request.id), notification: notification,
      order: frame.object["order"]?.integerValue ?? 0,
      isListed: frame.object["listed"]?.boolValue ?? true,
      isShown: frame.object["shown"]?.boolValue ?? true)
  }
}
