/// The results of a background fetch.
public enum UIBackgroundFetchResult: UInt, Sendable {
  /// The app fetched new data.
  case newData = 0
  /// No new data was available.
  case noData = 1
  /// The fetch of new data failed.
  case failed = 2
}

/// An app's permission to run in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
  /// The device does not permit background activity.
  case restricted = 0
  /// The user denied background activity to the app.
  case denied = 1
  /// The app can run in the background.
  case available = 2
}
