import BelfryWire
import Storage
import System

/// The device's place: what apps and commands ask of it, and what follows from it.
extension AgentDaemon {
  /// Takes in the regions that were watched before.
  func startLocation() throws(StorageFailure) {
    let places = RegionMonitor(on: loop, listener: self)
    self.places = places
    let damaged = places.start(try records.load(.regions))
    for key in damaged {
      log.warning("a damaged region is dropped", ["record": key])
      model.emit(.keep(.remove(.regions, key: key)))
    }
    listenForPlaces(on: systemBus)
  }

  /// The location services of the system bus; without one, places are told by a command alone.
  func listenForPlaces(on bus: BusConnection?) {
    guard let places else { return }
    places.service?.close()
    places.beacons?.close()
    places.service = nil
    places.beacons = nil
    // A manual clock's device is where a command puts it.
    guard !clock.isManual, let bus else { return }
    do {
      let log = log.child("location")
      places.service = try GeoClueService(bus: bus, on: loop, log: log) { [weak places] place in
        places?.placed(place)
      }
      places.beacons = try BeaconScanner(bus: bus, log: log) { [weak places] beacon in
        places?.heard(beacon)
      }
    } catch {
      log.warning("the machine's location services cannot be used", ["why": "\(error)"])
    }
  }

  // MARK: - Notifications that wait for a crossing

  /// Adds a request with a region; gives why it cannot be.
  func watch(
    _ key: AppNotificationID, _ region: NotificationRegion, repeats: Bool
  ) throws(AppLinkFailure) {
    for change in try places?.add(.request(key), region, repeats: repeats) ?? [] {
      model.emit(.keep(change))
    }
  }

  /// Takes requests out that wait for a crossing; gives those that did.
  func unwatch(_ keys: [AppNotificationID]) -> [AppNotificationID] {
    let waiting = keys.filter { places?.region(of: .request($0)) != nil }
    for change in places?.remove(waiting.map(RegionKey.request)) ?? [] { model.emit(.keep(change)) }
    return waiting
  }

  /// The names under which requests wait for a crossing.
  func waitingForPlaces(of app: String?) -> [AppNotificationID] {
    (places?.keys(of: nil) ?? []).compactMap { key in
      guard case .request(let name) = key, app == nil || name.app.text == app else { return nil }
      return name
    }
  }

  // MARK: - What is asked

  /// What an app asks about places; false when it is none of that.
  func placeAsked(_ ask: Ask, _ app: AppID, _ request: AppRequest) -> Bool {
    guard let places else { return false }
    switch request {
    case .watchRegion(let region):
      do throws(AppLinkFailure) {
        for change in try places.add(.watched(app, region.id), region, repeats: true) {
          model.emit(.keep(change))
        }
        model.emit(.answer(ask, AppAnswer()))
      } catch {
        model.emit(.refuse(ask, error))
      }
    case .unwatchRegion(let id):
      for change in places.remove([.watched(app, id)]) { model.emit(.keep(change)) }
      model.emit(.answer(ask, AppAnswer()))
    case .watchedRegions:
      let regions = places.keys(of: app).compactMap { key -> NotificationRegion? in
        guard case .watched = key else { return nil }
        return places.region(of: key)
      }
      model.emit(.answer(ask, .regions(regions)))
    case .regionState(let id):
      let isKnown = mayLocate(app)
      model.emit(
        .answer(ask, .regionState(isKnown ? places.state(of: .watched(app, id)) : .unknown)))
    case .setLocationUpdates(let isOn):
      places.followers[ask.connection] = isOn ? app : nil
      model.emit(.answer(ask, AppAnswer()))
      if isOn, let place = places.place { tell(place, to: ask.connection, of: app) }
    default: return false
    }
    return true
  }

  /// What a command asks about places; false when it is none of that.
  func placeControlled(_ ask: Ask, _ request: ControlRequest) -> Bool {
    guard case .setPlace(let latitude, let longitude) = request else { return false }
    guard let place = Place(latitude: latitude, longitude: longitude, certainty: .exact) else {
      model.emit(
        .refuse(
          ask, AppLinkFailure(.invalidArgument, "no such place: use degrees, such as 48.86,2.29")))
      return true
    }
    guard places?.service?.isTelling != true else {
      model.emit(
        .refuse(
          ask,
          AppLinkFailure(
            .invalidArgument, "a location service says where the device is: stop that first")))
      return true
    }
    places?.placed(place)
    model.emit(.answer(ask, AppAnswer()))
    return true
  }

  private func tell(_ place: Place, to connection: ConnectionID, of app: AppID) {
    guard mayLocate(app) else { return }
    var accuracy = 0.0
    if case .measured(let metres) = place.certainty { accuracy = metres ?? 0 }
    model.emit(
      .tell(
        connection,
        .place(
          latitude: place.latitude, longitude: place.longitude, accuracy: accuracy,
          unixMilliseconds: clock.now.wall)))
  }
}

extension AgentDaemon: LocationListener {
  func mayLocate(_ app: AppID) -> Bool { model.mayLocate(app) }

  func regionCrossed(
    _ key: RegionKey, _ region: NotificationRegion, _ state: RegionState,
    _ changes: [RecordChange]
  ) {
    for change in changes { model.emit(.keep(change)) }
    switch key {
    case .request(let name):
      let isLast = places?.region(of: key) == nil
      fireAtPlace(name, isLast: isLast)
    case .watched(let app, _): model.tellAll(app, .regionChanged(region, state))
    }
    flush()
  }

  func regionsChanged(_ changes: [RecordChange]) {
    for change in changes { model.emit(.keep(change)) }
    flush()
  }

  func placed(_ place: Place) {
    for (connection, app) in places?.followers ?? [:] { tell(place, to: connection, of: app) }
    flush()
  }
}
