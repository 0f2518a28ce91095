/// Bounds of what is watched for the device's place.
public enum PlaceLimits {
  /// Regions watched for one app (client-api 3.54).
  public static let regionsPerApp = 20
  /// Metres of the largest region: beyond half a continent "there" means nothing.
  public static let largestRadius = 1_000_000.0
  /// Metres that a measured place is taken to be off when its source does not say.
  static let unknownAccuracy = 50.0
  /// Milliseconds that a measured crossing must last before it counts (client-api 3.54).
  public static let dwellMilliseconds: Int64 = 20_000
  /// Milliseconds without hearing it after which a beacon is out of reach: it advertises every
  /// second or less, but scans pause.
  static let beaconSilenceMilliseconds: Int64 = 30_000
}
