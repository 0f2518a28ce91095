import BelfryWire
import AppWire

/// The bytes that the records of each app take, and the total of all development apps.
///
/// Any program can register development apps under made-up IDs, so limits per app would not limit the total.
struct StoredBytes {
  private struct Record: Hashable {
    let collection: RecordCollection
    let key: UTF8Text
  }

  private var bytesByRecord: [Record: Int] = [:]
  private var bytesByApp: [AppID: Int] = [:]
  private var developmentApps: Set<AppID> = []
  /// The bytes of all development apps' records.
  private(set) var developmentTotal = 0

  /// Returns the bytes counted for a record, including its overhead in memory.
  static func bytes(ofKey key: String, value: Int) -> Int {
    key.utf8.count + value + Limits.recordOverheadBytes
  }

  /// Returns the bytes of a stored record; 0 if it does not exist.
  func bytes(_ collection: RecordCollection, key: String) -> Int {
    bytesByRecord[Record(collection: collection, key: UTF8Text(key))] ?? 0
  }

  /// Handles a change to a record.
  mutating func apply(_ change: RecordChange) {
    switch change {
    case .put(let collection, let key, let value): set(collection, key: key, value: value.count)
    case .remove(let collection, let key): set(collection, key: key, value: nil)
    }
  }

  /// Sets the size of a record's value; nil for a record that no longer exists.
  mutating func set(_ collection: RecordCollection, key: String, value: Int?) {
    guard let app = Self.app(of: collection, key: key) else { return }
    let record = Record(collection: collection, key: UTF8Text(key))
    let after = value.map { Self.bytes(ofKey: key, value: $0) }
    let change = (after ?? 0) - (bytesByRecord[record] ?? 0)
    bytesByRecord[record] = after
    let total = bytesByApp[app, default: 0] + change
    bytesByApp[app] = total == 0 ? nil : total
    if developmentApps.contains(app) { developmentTotal += change }
  }

  /// Sets whether an app is a development app, after the app was registered, installed, or removed.
  mutating func setDevelopment(_ app: AppID, _ isDevelopment: Bool) {
    guard developmentApps.contains(app) != isDevelopment else { return }
    let bytes = bytesByApp[app] ?? 0
    if isDevelopment {
      developmentApps.insert(app)
      developmentTotal += bytes
    } else {
      developmentApps.remove(app)
      developmentTotal -= bytes
    }
  }

  /// Returns the app that a record belongs to; nil for a record of the device.
  private static func app(of collection: RecordCollection, key: String) -> AppID? {
    switch collection {
    case .apps, .fetches: AppID(key)
    case .delivered, .pending, .waiting, .responses, .tasks:
      AppID(part(of: key, before: UInt8(ascii: "/")))
    case .schedule: AppID(part(of: key, before: UInt8(ascii: "\n")))
    case .regions: RegionRecord.key(key)?.app
    case .seen, .device, .cancellations, .subscriptions, .messages: nil
    }
  }

  private static func part(of key: String, before separator: UInt8) -> String {
    String(Substring(key.utf8.prefix { $0 != separator }))
  }

  /// Traps in debug builds if the totals contradict the records.
  func checkInvariants(_ apps: AppRegistry) {
    assert(developmentTotal >= 0, "the number of stored bytes is not negative")
    assert(bytesByApp.values.allSatisfy { $0 > 0 }, "an app that stores nothing is not listed")
    let total = developmentApps.reduce(0) { $0 + (bytesByApp[$1] ?? 0) }
    assert(total == developmentTotal, "the total is the sum of all development apps")
    for app in developmentApps {
      assert(apps[app]?.isDevelopment == true, "a listed app is a known development app")
    }
  }
}

extension LocalApp {
  /// True if the app exists only because a process claims to be the app: nothing installed it, and Flatpak has not
  /// confirmed it.
  var isDevelopment: Bool { installation == nil && !isFlatpak }
}

extension AgentContext {
  /// Accounts for the records that were restored at startup.
  mutating func restoreStoredBytes(_ records: RestoredRecords) {
    for collection in RecordCollection.allCases where collection != .pending {
      for (key, value) in records[collection] {
        storedBytes.set(collection, key: key, value: value.count)
      }
    }
    for (key, bytes) in records.pendingBytes {
      storedBytes.set(.pending, key: key, value: bytes)
    }
    for app in apps.all { storedBytes.setDevelopment(app.id, app.isDevelopment) }
  }

  /// Accounts for the changes to records among the effects so far.
  mutating func accountForRecords() {
    assert(accountedEffects <= effects.count, "effects are only appended")
    for effect in effects[accountedEffects...] {
      guard case .persist(let change) = effect else { continue }
      storedBytes.apply(change)
      if case .apps = change.collection, let app = AppID(change.key) {
        storedBytes.setDevelopment(app, apps[app]?.isDevelopment == true)
      }
    }
    accountedEffects = effects.count
  }

  /// Throws if an app is a development app and a record would cause the total of all development apps to exceed its
  /// limit.
  ///
  /// A record that is not larger than the one that it replaces is always permitted, so that an app can free space.
  mutating func checkRoom(
    for app: AppID, _ collection: RecordCollection, key: String, bytes: Int
  ) throws(AppLinkFailure) {
    guard apps[app]?.isDevelopment != false else { return }
    accountForRecords()
    let growth =
      StoredBytes.bytes(ofKey: key, value: bytes) - storedBytes.bytes(collection, key: key)
    guard growth > 0, storedBytes.developmentTotal + growth > developmentBytesMax else { return }
    throw AppLinkFailure(
      .storageFailed,
      "this device's development apps have reached their common limit of \(developmentBytesMax >> 20) MiB: "
        + "remove some of their notifications, or some of the apps with 'belfry app remove'")
  }

  /// Throws if an app is a development app and a change to its record would exceed the limit for all development apps.
  mutating func checkRoom(
    for app: AppID, changing change: (inout LocalApp) -> Void
  ) throws(AppLinkFailure) {
    var record = apps[app] ?? LocalApp(id: app)
    change(&record)
    guard record.isDevelopment else { return }
    try checkRoom(for: app, .apps, key: app.text, bytes: record.json.bytes.count)
  }

  /// Returns the bytes by which the development apps exceed their limit if `app` is one of them, otherwise 0.
  ///
  /// Pushes and repeating notifications can exceed the limit, because they arrive without a request that the agent
  /// could refuse.
  mutating func developmentExcess(of app: AppID) -> Int {
    guard apps[app]?.isDevelopment == true else { return 0 }
    accountForRecords()
    return max(0, storedBytes.developmentTotal - developmentBytesMax)
  }
}
