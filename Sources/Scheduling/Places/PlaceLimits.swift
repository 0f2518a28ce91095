/// The limits of region monitoring.
public enum PlaceLimits {
  /// The maximum number of regions per app, as on Apple's systems (client-api 3.54).
  public static let regionsPerApp = 20
  /// The maximum radius in meters: a region larger than half a continent is not useful.
  public static let largestRadius = 1_000_000.0
  /// The accuracy, in meters, that is assumed if the source does not report the accuracy.
  static let unknownAccuracy = 50.0
  /// The time, in milliseconds, for which a measured crossing must last before it counts.
  ///
  /// A stray position fix therefore has no effect (client-api 3.54).
  public static let dwellMilliseconds: Int64 = 20_000
  /// The time, in milliseconds, without an advertisement after which a beacon counts as out of range.
  ///
  /// A beacon advertises at least once per second, but scanning is intermittent.
  static let beaconSilenceMilliseconds: Int64 = 30_000
}
