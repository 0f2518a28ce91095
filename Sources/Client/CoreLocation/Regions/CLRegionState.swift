/// Where the device is in relation to a region.
public enum CLRegionState: Int, Sendable {
  /// Not known yet.
  case unknown = 0
  /// In the region.
  case inside = 1
  /// Outside of the region.
  case outside = 2
}

/// How far away a beacon is.
public enum CLProximity: Int, Sendable {
  /// Not known.
  case unknown = 0
  /// Next to the device.
  case immediate = 1
  /// A few metres away.
  case near = 2
  /// Farther away.
  case far = 3
}
