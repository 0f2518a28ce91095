/// The limits of region monitoring.
public enum PlaceLimits {
  /// Regions of one app: the limit of Apple's systems (client-api 3.54).
  public static let regionsPerApp = 20
  /// The largest radius in meters: a region larger than half a continent is meaningless.
  public static let largestRadius = 1_000_000.0
  /// The accuracy in meters to assume if the source does not report one.
  static let unknownAccuracy = 50.0
  /// Milliseconds that a measured crossing must last before it counts, so that a stray fix has no effect
  /// (client-api 3.54).
  public static let dwellMilliseconds: Int64 = 20_000
  /// Milliseconds without an advertisement after which a beacon is out of range.
  ///
  /// A beacon advertises at least once per second, but scans pause.
  static let beaconSilenceMilliseconds: Int64 = 30_000
}
