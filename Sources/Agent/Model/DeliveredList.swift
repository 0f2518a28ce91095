import BelfryWire
package import AppWire

/// The delivered notifications that are still in the Notification Center.
package struct DeliveredList: Sendable {
  /// An entry of the list.
  package struct Entry: Hashable, Sendable {
    package let key: AppNotificationID
    package let retained: RetainedNotification
    /// The position in the order of delivery on this device, which distinguishes entries with the same identifier.
    package let order: Int64
    /// The size of the entry's record in bytes.
    var bytes = 0
    /// True if the notification is in the list that the user sees; false if it was only shown as a banner.
    package var isListed: Bool
    /// True if a presenter shows the notification or has shown it.
    var isShown: Bool
    /// True if the notification is shown in the list only, without a banner.
    var isListOnly = false
    /// True if the notification was passed to presenters in this run of the agent.
    var isPresented = false
    /// True if an earlier notification with the same identifier might still be on screen.
    var coversEarlier = false
    /// True if an earlier notification with the same identifier might still be in a desktop's own list.
    var coversListed = false

    /// True if the notification still has to be presented: no decision was made yet, or the notification might not have
    /// reached a screen.
    package var needsPresentation: Bool { !isShown && !isListOnly }

    /// The notification as apps read it from the list.
    package var notification: DeliveredNotification {
      var notification = retained.notification
      notification.isPresented = !isListOnly
      return notification
    }

    /// True if the notification, or an earlier one with the same identifier, might still be on a screen or in a list.
    var mayStandSomewhere: Bool {
      isShown || isPresented || isListed || isListOnly || coversEarlier || coversListed
    }
  }

  private var entries: [AppID: [UTF8Text: Entry]] = [:]
  private var nextOrder: Int64 = 1

  subscript(key: AppNotificationID) -> Entry? { entries[key.app]?[UTF8Text(key.id)] }

  /// Returns the entry with this key if it has the given order, that is, if no later entry has replaced it.
  func entry(_ key: AppNotificationID, order: Int64) -> Entry? {
    self[key].flatMap { $0.order == order ? $0 : nil }
  }

  /// The entries of all apps, oldest first.
  var all: [Entry] { entries.values.flatMap(\.values).sorted { $0.order < $1.order } }

  /// Returns the entries of one app, oldest first.
  func of(_ app: AppID) -> [Entry] {
    (entries[app] ?? [:]).values.sorted { $0.order < $1.order }
  }

  /// Returns the oldest entries of an app that must be removed to keep the app within its limits and to free `freed`
  /// bytes.
  ///
  /// The newest entry is never included.
  func excess(of app: AppID, limit: Int, bytes: Int, freeing freed: Int = 0) -> [Entry] {
    let own = entries[app] ?? [:]
    var count = own.count
    var total = own.values.reduce(0) { $0 + $1.bytes }
    let bytes = min(bytes, total - freed)
    guard count > limit || total > bytes else { return [] }
    var excess: [Entry] = []
    for entry in of(app).dropLast() where count > limit || total > bytes {
      excess.append(entry)
      count -= 1
      total -= entry.bytes
    }
    return excess
  }

  /// Returns the keys with this identifier in any app, for commands that specify no app.
  func keys(named id: String) -> [AppNotificationID] {
    entries.values.compactMap { $0[UTF8Text(id)]?.key }.sorted { $0.app < $1.app }
  }

  /// Adds a notification that has not been shown, replacing an earlier one with the same identifier.
  mutating func put(_ key: AppNotificationID, _ retained: RetainedNotification) -> Entry {
    assert(
      key.id.hasSameBytes(as: retained.id), "a notification is stored under its own identifier")
    var entry = Entry(
      key: key, retained: retained, order: nextOrder, isListed: false, isShown: false)
    if let earlier = self[key] {
      entry.coversEarlier = earlier.isShown || earlier.isPresented || earlier.coversEarlier
      entry.coversListed = earlier.isListOnly || earlier.coversListed
    }
    nextOrder += 1
    entries[key.app, default: [:]][UTF8Text(key.id)] = entry
    return entry
  }

  /// Restores a stored entry.
  mutating func restore(_ entry: Entry) {
    entries[entry.key.app, default: [:]][UTF8Text(entry.key.id)] = entry
    reserve(order: entry.order)
  }

  /// Ensures that no later entry gets this order, which is still referenced outside the list.
  mutating func reserve(order: Int64) {
    // The order in a damaged record must not use up the numbers of later entries.
    guard order < .max / 2 else { return }
    nextOrder = max(nextOrder, order + 1)
  }

  /// Changes an entry and returns it; nil if the entry does not exist.
  mutating func update(_ key: AppNotificationID, _ change: (inout Entry) -> Void) -> Entry? {
    guard var entry = self[key] else { return nil }
    change(&entry)
    entries[key.app]?[UTF8Text(key.id)] = entry
    return entry
  }

  /// Removes and returns an entry.
  mutating func remove(_ key: AppNotificationID) -> Entry? {
    guard let entry = entries[key.app]?.removeValue(forKey: UTF8Text(key.id)) else { return nil }
    if entries[key.app]?.isEmpty == true { entries[key.app] = nil }
    return entry
  }

  /// Traps in debug builds if an entry is in the wrong place.
  func checkInvariants(_ apps: AppRegistry) {
    for (app, own) in entries {
      assert(apps[app] != nil, "delivered notifications belong to known apps")
      assert(!own.isEmpty, "an app without notifications is not listed")
      for (id, entry) in own {
        assert(
          entry.key == AppNotificationID(app: app, id: id.string),
          "every entry is stored under its own identifier")
        assert(
          entry.order < nextOrder || entry.order >= .max / 2,
          "an entry's order is less than the next order, unless its record is damaged")
      }
    }
  }
}

extension DeliveredList.Entry {
  /// The entry as stored on disk.
  var record: [UInt8] {
    var frame = retained.frame
    frame.object["app"] = .string(key.app.text)
    frame.object["order"] = .integer(order)
    frame.object["listed"] = .bool(isListed)
    frame.object["shown"] = .bool(isShown)
    frame.object["quiet"] = isListOnly ? true : nil
    return frame.encoded
  }

  /// Reads a stored entry; nil if it is damaged.
  package init?(record: [UInt8]) {
    guard let frame = try? AppFrame(decoding: record),
      let retained = RetainedNotification(frame: frame),
      let app = frame.object["app"]?.stringValue.flatMap(AppID.init)
    else { return nil }
    self.init(
      key: AppNotificationID(app: app, id: retained.id), retained: retained,
      order: frame.object["order"]?.integerValue ?? 0,
      isListed: frame.object["listed"]?.boolValue ?? true,
      isShown: frame.object["shown"]?.boolValue ?? true,
      isListOnly: frame.object["quiet"]?.boolValue ?? false)
    bytes = record.count
  }
}
