import BelfryWire
import AppWire

/// The apps known to the device, and the settings common to all of them.
struct AppRegistry {
  private var apps: [AppID: LocalApp] = [:]
  /// Apps, keyed by the program that identifies them.
  private var appsByExecutable: [String: Set<AppID>] = [:]
  /// Apps, keyed by the class of their windows.
  private var appsByWindowClass: [String: Set<AppID>] = [:]
  /// The device's languages, from its settings or, if those specify none, from the agent's environment.
  private(set) var languages: [String]
  /// True if location services are on for this device (S1-73).
  private(set) var isLocationOn = true

  /// Creates a registry without apps.
  init(languages: [String]) { self.languages = languages }

  subscript(app: AppID) -> LocalApp? { apps[app] }

  /// Returns the app with the ID that a command specifies; throws if the app is unknown.
  func known(_ text: String) throws(AppLinkFailure) -> AppID {
    guard let app = AppID(text), apps[app] != nil else {
      // A subscription's name is the last part of its app's ID.
      let ending = Array(".\(text)".utf8)
      let similar = apps.keys.filter { $0.text.utf8.suffix(ending.count).elementsEqual(ending) }
      let advice = similar.min().map { "did you mean '\($0)'?" } ?? "see 'belfry app list'"
      throw AppLinkFailure(.unknownApp, "unknown app '\(text)': \(advice)")
    }
    return app
  }

  var count: Int { apps.count }

  /// All apps, ordered by ID.
  var all: [LocalApp] { apps.values.sorted { $0.id < $1.id } }

  /// Returns the languages in which an app's strings are shown.
  func languages(of app: AppID) -> [String] { apps[app]?.languages ?? languages }

  /// Returns the installed app with this program; nil for a program that takes arguments (an interpreter, a launcher),
  /// which can run several apps.
  func installedApp(running executable: String?) -> LocalApp? {
    executable.flatMap { appsByExecutable[$0]?.min() }.flatMap { apps[$0] }
  }

  /// Returns the installed app whose windows have this class (`StartupWMClass`).
  func app(ofWindowClass name: String) -> AppID? { appsByWindowClass[name]?.min() }

  // MARK: Location permission

  /// Returns true if an app may access the device's location now.
  func mayLocate(_ app: AppID) -> Bool {
    isLocationOn && apps[app]?.mayLocate == true
  }

  /// Returns the location permission reported to an app: denied while location services are off for the device.
  func locationStatus(of app: AppID) -> LocationStatus {
    let status = apps[app]?.locationStatus ?? .notDetermined
    return isLocationOn || status == .notDetermined ? status : .denied
  }

  // MARK: Changes

  /// Adds or replaces an app, and returns the change to its record.
  mutating func put(_ record: LocalApp) -> RecordChange {
    if let known = apps[record.id] { unindex(known) }
    apps[record.id] = record
    index(record)
    return .put(.apps, key: record.id.text, record.json.bytes)
  }

  /// Changes an app, and returns the change to its record, if any.
  mutating func update(_ app: AppID, _ change: (inout LocalApp) -> Void) -> RecordChange? {
    guard let known = apps[app] else { return nil }
    var record = known
    change(&record)
    guard record != known else { return nil }
    assert(record.id == app, "an app never changes its ID")
    return put(record)
  }

  /// Removes an app, and returns the change to its record.
  mutating func remove(_ app: AppID) -> RecordChange? {
    guard let known = apps.removeValue(forKey: app) else { return nil }
    unindex(known)
    return .remove(.apps, key: app.text)
  }

  /// Sets the device's languages, and returns the change to their record.
  mutating func setLanguages(_ languages: [String]) -> RecordChange {
    self.languages = languages
    return .put(
      .device, key: DeviceSettingsChange.languagesKey, Array(languages.joined(separator: ",").utf8))
  }

  /// Turns location services on or off for the device, and returns the change to the setting's record.
  mutating func setLocation(isOn: Bool) -> RecordChange {
    isLocationOn = isOn
    return .put(.device, key: DeviceSettingsChange.locationKey, Array((isOn ? "on" : "off").utf8))
  }

  private mutating func index(_ record: LocalApp) {
    if let executable = record.installation?.provingExecutable {
      appsByExecutable[executable, default: []].insert(record.id)
    }
    if let name = record.installation?.windowClass {
      appsByWindowClass[name, default: []].insert(record.id)
    }
  }

  private mutating func unindex(_ record: LocalApp) {
    if let executable = record.installation?.provingExecutable {
      appsByExecutable[executable]?.remove(record.id)
      if appsByExecutable[executable]?.isEmpty == true { appsByExecutable[executable] = nil }
    }
    if let name = record.installation?.windowClass {
      appsByWindowClass[name]?.remove(record.id)
      if appsByWindowClass[name]?.isEmpty == true { appsByWindowClass[name] = nil }
    }
  }

  /// Traps in debug builds if records and indexes contradict each other.
  func checkInvariants() {
    for (id, record) in apps {
      assert(record.id == id, "a record is stored under its own ID")
      assert(record.badge >= 0, "a badge is 0 or more")
      guard let installation = record.installation else { continue }
      if let executable = installation.provingExecutable {
        assert(
          appsByExecutable[executable]?.contains(id) == true, "every app is found by its executable"
        )
      }
      if let name = installation.windowClass {
        assert(
          appsByWindowClass[name]?.contains(id) == true, "every app is found by its window class")
      }
    }
    for owners in appsByExecutable.values {
      assert(
        !owners.isEmpty && owners.allSatisfy { apps[$0] != nil },
        "every executable belongs to known apps")
    }
    for owners in appsByWindowClass.values {
      assert(
        !owners.isEmpty && owners.allSatisfy { apps[$0] != nil },
        "every window class belongs to known apps")
    }
  }
}
