import AppWire

/// The work that each owner of connections has caused in the current turn of the loop, in bytes received and sent.
///
/// Answers are written at the end of a turn, so a request for a list is counted when it is received. Otherwise, an app
/// that requests long lists on many connections simultaneously would delay the requests of all other apps.
struct TurnBudget {
  private var spent: [HeldBytes.Owner: Int] = [:]

  /// True if nothing was received or sent in this turn.
  var isUntouched: Bool { spent.isEmpty }

  /// Returns true if an app or a process may make more requests in this turn.
  func hasTurn(_ owner: HeldBytes.Owner) -> Bool { (spent[owner] ?? 0) < Limits.bytesPerTurn }

  /// Counts received or sent bytes.
  mutating func spend(_ bytes: Int, of owner: HeldBytes.Owner) {
    assert(bytes > 0, "a frame has a header")
    spent[owner, default: 0] += bytes
  }

  /// Counts a request for a list, whose size is not known yet; the owner's next request waits for the next turn.
  mutating func spendRest(of owner: HeldBytes.Owner) { spend(Limits.bytesPerTurn, of: owner) }

  /// Begins the next turn.
  mutating func renew() {
    assert(!isUntouched, "a turn ends after something was received or sent")
    spent = [:]
  }
}

extension AppRequest {
  /// True if the answer to the request is a list, which can be long.
  var requestsList: Bool {
    switch self {
    case .pending, .delivered, .categories: true
    case .control(let request):
      switch request {
      case .apps, .scheduled, .nextDates, .appSettings, .center, .diagnose, .subscriptions: true
      case .install, .removeApp, .token, .notify, .awaitResponse, .cancel, .changeSettings,
        .changeDevice, .openCenter, .open, .act, .dismiss, .clock, .setClock, .advanceClock,
        .setZone, .setPlace, .moveLink, .unregister, .state, .removeSubscription,
        .testSubscription:
        false
      }
    case .hello, .requestAuthorization, .settings, .register, .unregister, .setCategories, .add,
      .removePending, .removeDelivered, .setBadge, .badge, .setState, .setLanguages,
      .beginBackgroundTask, .endBackgroundTask, .backgroundTime, .submitTask, .cancelTasks,
      .pendingTasks, .requestLocation, .locationStatus, .watchRegion, .unwatchRegion,
      .watchedRegions, .regionState, .setLocationUpdates, .setDrawing, .contentWish:
      false
    }
  }
}
