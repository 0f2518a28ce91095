/// What came of a fetch in the background.
public enum UIBackgroundFetchResult: UInt, Sendable {
  /// There was something new.
  case newData = 0
  /// There was nothing new.
  case noData = 1
  /// It could not be found out.
  case failed = 2
}

/// Whether the app may be woken in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
  /// Not on this device.
  case restricted = 0
  /// The user does not want it.
  case denied = 1
  /// It may.
  case available = 2
}
