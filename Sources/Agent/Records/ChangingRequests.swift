import AppWire

extension AppRequest {
  /// True if the request's answer confirms that a change is on disk.
  ///
  /// While earlier changes cannot be written, the agent refuses the request before it has any effect.
  var changesRecords: Bool {
    switch self {
    case .requestAuthorization, .register, .unregister, .setCategories, .add, .removePending,
      .removeDelivered, .setBadge, .setLanguages, .submitTask, .cancelTasks, .requestLocation,
      .watchRegion, .unwatchRegion, .setLocationUpdates:
      true
    case .hello, .settings, .categories, .pending, .delivered, .badge, .setState,
      .beginBackgroundTask, .endBackgroundTask, .backgroundTime, .pendingTasks, .locationStatus,
      .watchedRegions, .regionState, .setDrawing, .contentWish:
      false
    case .control(let request): request.changesRecords
    }
  }
}

extension ControlRequest {
  fileprivate var changesRecords: Bool {
    switch self {
    case .install, .removeApp, .notify, .cancel, .changeSettings, .changeDevice, .open, .act,
      .dismiss, .setClock, .advanceClock, .setZone, .setPlace, .unregister, .removeSubscription,
      .testSubscription:
      true
    case .apps, .token, .awaitResponse, .scheduled, .nextDates, .appSettings, .center, .openCenter,
      .clock, .state, .diagnose, .moveLink, .subscriptions:
      false
    }
  }
}
