/// An app's permission to use the device's location.
public enum CLAuthorizationStatus: Int32, Sendable {
  /// The user has not been asked yet.
  case notDetermined = 0
  /// Location services are unavailable on this device, and the user cannot change this.
  case restricted = 1
  /// The user denied permission, or turned location services off.
  case denied = 2
  /// The app may use the location at any time.
  case authorizedAlways = 3
  /// The app may use the location while the app is in use.
  case authorizedWhenInUse = 4

  /// The name of `authorizedAlways` before iOS 8 and on macOS.
  @available(iOS, deprecated: 8.0, renamed: "authorizedAlways")
  public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

/// The accuracy of the locations that an app may receive.
public enum CLAccuracyAuthorization: Int, Sendable {
  /// The app receives locations as accurate as the device can measure.
  case fullAccuracy = 0
  /// The app receives only approximate locations.
  case reducedAccuracy = 1
}

/// The activity for which an app uses locations.
///
/// On Apple's systems, the activity determines when the system can pause updates. On this system, it has no effect.
public enum CLActivityType: Int, Sendable {
  /// An activity that no other case describes.
  case other = 1
  /// Navigation in a car.
  case automotiveNavigation = 2
  /// Fitness activities such as walking or running.
  case fitness = 3
  /// Navigation by boat, train, or plane.
  case otherNavigation = 4
  /// An activity in the air.
  case airborne = 5
}

/// The orientation of the device.
public enum CLDeviceOrientation: Int32, Sendable {
  /// The orientation is unknown.
  case unknown = 0
  /// The device is upright.
  case portrait = 1
  /// The device is in portrait orientation, but upside down.
  case portraitUpsideDown = 2
  /// The device is on its left side.
  case landscapeLeft = 3
  /// The device is on its right side.
  case landscapeRight = 4
  /// The device lies flat, with the screen facing up.
  case faceUp = 5
  /// The device lies flat, with the screen facing down.
  case faceDown = 6
}
