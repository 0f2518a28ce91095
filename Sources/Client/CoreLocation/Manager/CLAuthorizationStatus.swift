/// What the user allows an app to know about the device's position.
public enum CLAuthorizationStatus: Int32, Sendable {
  /// The user has not been asked yet.
  case notDetermined = 0
  /// Location cannot be used on this device, and the user cannot change that.
  case restricted = 1
  /// The user said no, or has switched location services off.
  case denied = 2
  /// Allowed at any time.
  case authorizedAlways = 3
  /// Allowed while the app is in use.
  case authorizedWhenInUse = 4

  /// The name of "always" before iOS 8 and on macOS.
  @available(iOS, deprecated: 8.0, renamed: "authorizedAlways")
  public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

/// Whether an app sees precise positions.
public enum CLAccuracyAuthorization: Int, Sendable {
  /// As precise as the device can be.
  case fullAccuracy = 0
  /// Coarse positions only.
  case reducedAccuracy = 1
}

/// What an app does with positions, so that the system knows when it may pause.
public enum CLActivityType: Int, Sendable {
  /// None of the others.
  case other = 1
  /// Navigation by car.
  case automotiveNavigation = 2
  /// Walking or running.
  case fitness = 3
  /// By boat, train or plane.
  case otherNavigation = 4
  /// In the air.
  case airborne = 5
}

/// Which way up the device is held.
public enum CLDeviceOrientation: Int32, Sendable {
  /// Not known.
  case unknown = 0
  /// Upright.
  case portrait = 1
  /// Upright, upside down.
  case portraitUpsideDown = 2
  /// On its left side.
  case landscapeLeft = 3
  /// On its right side.
  case landscapeRight = 4
  /// Lying on its back.
  case faceUp = 5
  /// Lying on its face.
  case faceDown = 6
}
