/// The results of a background fetch.
public enum UIBackgroundFetchResult: UInt, Sendable {
  /// The app fetched new data.
  case newData = 0
  /// There was no new data.
  case noData = 1
  /// The fetch of new data failed.
  case failed = 2
}

/// The permission of an app to run in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
  /// The device does not permit background activity.
  case restricted = 0
  /// The user denied background activity to the app.
  case denied = 1
  /// The app can run in the background.
  case available = 2
}
