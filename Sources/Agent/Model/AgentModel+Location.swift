import BelfryWire

/// Who may know where the device is.
extension AgentModel {
  /// Whether an app may know the device's place now.
  func mayLocate(_ app: AppID) -> Bool {
    guard isLocationOn else { return false }
    switch apps[app]?.locationStatus {
    case .always, .whenInUse: return true
    case .notDetermined, .restricted, .denied, nil: return false
    }
  }

  /// What an app is told of its permission: where places are off for the whole device, it is denied.
  func locationStatus(of app: AppID) -> LocationStatus {
    let status = apps[app]?.locationStatus ?? .notDetermined
    return isLocationOn || status == .notDetermined ? status : .denied
  }

  /// The app asks for permission; a person decides the first time (S1-65).
  mutating func requestLocation(_ ask: Ask, _ app: AppID, always: Bool) {
    guard let record = apps[app], record.locationStatus == .notDetermined,
      let usage = record.locationUsage, !usage.isEmpty
    else {
      // Without a word on what it is for there is no question, and no access.
      return emit(.answer(ask, .locationStatus(locationStatus(of: app))))
    }
    switch policy {
    case .all: setLocation(app, always ? .always : .whenInUse)
    case .none, .types: setLocation(app, .denied)
    case .ask:
      undecidedLocation[app, default: []].append(ask)
      wantsAlways[app] = always
      // One question at a time: this one follows when the other is answered.
      if undecided[app] == nil, undecidedNotify[app] == nil { promptForLocation(app) }
      return
    }
    emit(.answer(ask, .locationStatus(locationStatus(of: app))))
  }

  mutating func promptForLocation(_ app: AppID) {
    guard let record = apps[app], undecidedLocation[app] != nil else { return }
    prompt(record, .location(usage: record.locationUsage ?? ""))
  }

  /// A person decided about an app's access to the place.
  mutating func decidedLocation(_ app: AppID, isAllowed: Bool) {
    let always = wantsAlways.removeValue(forKey: app) ?? false
    withdrawPrompt(app)
    setLocation(app, isAllowed ? (always ? .always : .whenInUse) : .denied)
    for ask in undecidedLocation.removeValue(forKey: app) ?? [] {
      emit(.answer(ask, .locationStatus(locationStatus(of: app))))
    }
  }

  mutating func setLocation(_ app: AppID, _ status: LocationStatus) {
    guard apps[app]?.locationStatus != status else { return }
    update(app) { $0.locationStatus = status }
    locationChanged(app)
  }

  /// Tells what an app may know from now on.
  mutating func locationChanged(_ app: AppID) {
    tellAll(app, .locationStatus(locationStatus(of: app)))
    regions.onPermissionChanged()
  }

  /// Switches places on or off for the whole device (S1-73).
  mutating func switchLocation(isOn: Bool) {
    guard isOn != isLocationOn else { return }
    isLocationOn = isOn
    emit(.persist(.put(.device, key: "location", Array((isOn ? "on" : "off").utf8))))
    for app in apps.keys.sorted() where apps[app]?.locationStatus != .notDetermined {
      tellAll(app, .locationStatus(locationStatus(of: app)))
    }
    regions.onPermissionChanged()
  }
}
