/// The state of the device relative to a region.
public enum CLRegionState: Int, Sendable {
  /// The state is not known yet.
  case unknown = 0
  /// The device is inside the region.
  case inside = 1
  /// The device is outside the region.
  case outside = 2
}

/// The proximity of a beacon.
public enum CLProximity: Int, Sendable {
  /// The proximity is unknown.
  case unknown = 0
  /// The beacon is next to the device.
  case immediate = 1
  /// The beacon is a few meters away.
  case near = 2
  /// The beacon is far away.
  case far = 3
}
