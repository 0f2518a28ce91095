public import Foundation

/// A color.
///
/// It stores its components; nothing is drawn with it on this system.
open class UIColor: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  let components: (red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat)

  /// Creates a color from red, green, and blue components, each from 0 to 1.
  public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    components = (red, green, blue, alpha)
    super.init()
  }

  /// Creates a shade of gray, from 0 (black) to 1 (white).
  public convenience init(white: CGFloat, alpha: CGFloat) {
    self.init(red: white, green: white, blue: white, alpha: alpha)
  }

  /// Creates a color from hue, saturation, and brightness, each from 0 to 1.
  public convenience init(
    hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat
  ) {
    let sector = (hue - hue.rounded(.down)) * 6
    func channel(_ offset: CGFloat) -> CGFloat {
      let position = (offset + sector).truncatingRemainder(dividingBy: 6)
      return brightness - brightness * saturation * max(0, min(position, 4 - position, 1))
    }
    self.init(red: channel(5), green: channel(3), blue: channel(1), alpha: alpha)
  }

  /// Returns nil, because this system has no asset catalogs.
  public convenience init?(named name: String) { nil }

  /// Returns the same color with another opacity.
  open func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
    UIColor(
      red: components.red, green: components.green, blue: components.blue, alpha: alpha)
  }

  /// Returns whether the other color has the same components.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? UIColor).map { $0.components == components } ?? false
  }

  /// The hash value of the components.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(components.red)
    hasher.combine(components.green)
    hasher.combine(components.blue)
    hasher.combine(components.alpha)
    return hasher.finalize()
  }

  /// Returns the same object, because colors are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
