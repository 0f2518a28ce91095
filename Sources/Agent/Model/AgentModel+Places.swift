import BelfryWire

extension AgentModel {
  mutating func setPlace(_ ask: Ask, _ latitude: Double, _ longitude: Double) {
    guard let place = Place(latitude: latitude, longitude: longitude, certainty: .told) else {
      return refuse(
        ask, .invalidArgument, "no such place: use degrees, such as 48.86,2.29")
    }
    guard !regions.isToldByService else {
      return refuse(
        ask, .invalidArgument, "a location service says where the device is: stop that first")
    }
    onPlace(place)
    emit(.answer(ask, AppAnswer()))
  }

  mutating func onPlace(_ place: Place) {
    onCrossings(regions.onPlace(place, atAwake: now.awake))
    for (connection, app) in regions.following { tell(place, to: connection, of: app) }
  }

  mutating func onCrossings(_ crossings: [WatchedRegions.Crossing]) {
    for crossing in crossings {
      // What an app may not know is not told, nor used up (S1-73).
      guard crossing.isWanted, mayLocate(crossing.key.app) else {
        regions.persist(crossing, &effects)
        continue
      }
      let isLast = regions.use(crossing, &effects)
      switch crossing.key {
      case .request(let key): firePending(key, isLast: isLast)
      case .watched(let app, _): tellAll(app, .regionChanged(crossing.region, crossing.state))
      }
    }
  }

  mutating func follow(_ ask: Ask, _ app: AppID, isOn: Bool) {
    regions.setFollower(ask.connection, isOn ? app : nil)
    emit(.answer(ask, AppAnswer()))
    if isOn, let place = regions.place { tell(place, to: ask.connection, of: app) }
  }

  mutating func watchRegion(_ ask: Ask, _ app: AppID, _ region: NotificationRegion) {
    do throws(AppLinkFailure) {
      try regions.add(.watched(app, region.id), region, repeats: true, &effects)
      emit(.answer(ask, AppAnswer()))
    } catch {
      emit(.refuse(ask, error))
    }
  }

  private mutating func tell(_ place: Place, to connection: ConnectionID, of app: AppID) {
    guard mayLocate(app) else { return }
    var accuracy = 0.0
    if case .measured(let metres) = place.certainty { accuracy = metres ?? 0 }
    emit(
      .tell(
        connection,
        .place(
          latitude: place.latitude, longitude: place.longitude, accuracy: accuracy,
          unixMilliseconds: now.wall)))
  }

  mutating func settleRegions() {
    if let apps = regions.appsToAllow {
      let allowed = apps.filter { mayLocate($0) }
      regions.updateNeeds(allowed: allowed, &effects)
    }
    regions.arm(&effects)
  }
}
