/// The orientations of the app on the screen.
public enum UIInterfaceOrientation: Int, Sendable {
  /// The orientation is unknown, as it always is on this system.
  case unknown = 0
  /// The device is upright.
  case portrait = 1
  /// The device is upside down.
  case portraitUpsideDown = 2
  /// Landscape, with the device's bottom edge on the right.
  case landscapeRight = 3
  /// Landscape, with the device's bottom edge on the left.
  case landscapeLeft = 4
}

/// The orientations that the app supports; unused on this system.
public struct UIInterfaceOrientationMask: OptionSet, Sendable {
  /// The raw bits of the set, as on Apple's systems.
  public let rawValue: UInt

  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The device is upright.
  public static let portrait = UIInterfaceOrientationMask(rawValue: 1 << 1)
  /// The device is upside down.
  public static let portraitUpsideDown = UIInterfaceOrientationMask(rawValue: 1 << 2)
  /// Landscape, with the device's bottom edge on the right.
  public static let landscapeRight = UIInterfaceOrientationMask(rawValue: 1 << 3)
  /// Landscape, with the device's bottom edge on the left.
  public static let landscapeLeft = UIInterfaceOrientationMask(rawValue: 1 << 4)
  /// Both landscape orientations, left and right.
  public static let landscape: UIInterfaceOrientationMask = [.landscapeLeft, .landscapeRight]
  /// All four orientations of the device.
  public static let all: UIInterfaceOrientationMask = [
    .portrait, .landscape, .portraitUpsideDown,
  ]
  /// All orientations except upside down.
  public static let allButUpsideDown: UIInterfaceOrientationMask = [.portrait, .landscape]
}
