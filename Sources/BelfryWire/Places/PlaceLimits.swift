/// The bounds of region monitoring.
public enum PlaceLimits {
  /// Regions of one app: the limit of Apple's systems (client-api 3.54).
  public static let regionsPerApp = 20
  /// Metres of the largest radius: beyond half a continent a region means nothing.
  public static let largestRadius = 1_000_000.0
  /// Metres of accuracy that are assumed where the source gives none.
  static let unknownAccuracy = 50.0
  /// Milliseconds that a measured crossing must last before it counts, so that a stray fix does not
  /// (client-api 3.54).
  public static let dwellMilliseconds: Int64 = 20_000
  /// Milliseconds without an advertisement after which a beacon is out of range: it sends one each
  /// second or more often, but scans pause.
  static let beaconSilenceMilliseconds: Int64 = 30_000
}
