import Foundation

extension UIColor {
  private convenience init(_ red: Int, _ green: Int, _ blue: Int) {
    self.init(
      red: CGFloat(red) / 255, green: CGFloat(green) / 255, blue: CGFloat(blue) / 255, alpha: 1)
  }

  /// Black at full opacity.
  public class var black: UIColor { UIColor(white: 0, alpha: 1) }
  /// Gray with a white level of one third.
  public class var darkGray: UIColor { UIColor(white: 1 / 3, alpha: 1) }
  /// Gray with a white level of two thirds.
  public class var lightGray: UIColor { UIColor(white: 2 / 3, alpha: 1) }
  /// White at full opacity.
  public class var white: UIColor { UIColor(white: 1, alpha: 1) }
  /// Gray with a white level of one half.
  public class var gray: UIColor { UIColor(white: 0.5, alpha: 1) }
  /// Red at full intensity.
  public class var red: UIColor { UIColor(red: 1, green: 0, blue: 0, alpha: 1) }
  /// Green at full intensity.
  public class var green: UIColor { UIColor(red: 0, green: 1, blue: 0, alpha: 1) }
  /// Blue at full intensity.
  public class var blue: UIColor { UIColor(red: 0, green: 0, blue: 1, alpha: 1) }
  /// Full-intensity green and full-intensity blue.
  public class var cyan: UIColor { UIColor(red: 0, green: 1, blue: 1, alpha: 1) }
  /// Full-intensity red and full-intensity green.
  public class var yellow: UIColor { UIColor(red: 1, green: 1, blue: 0, alpha: 1) }
  /// Full-intensity red and full-intensity blue.
  public class var magenta: UIColor { UIColor(red: 1, green: 0, blue: 1, alpha: 1) }
  /// Full-intensity red and half-intensity green.
  public class var orange: UIColor { UIColor(red: 1, green: 0.5, blue: 0, alpha: 1) }
  /// Half-intensity red and half-intensity blue.
  public class var purple: UIColor { UIColor(red: 0.5, green: 0, blue: 0.5, alpha: 1) }
  /// Red 0.6, green 0.4, and blue 0.2.
  public class var brown: UIColor { UIColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1) }
  /// A fully transparent color.
  public class var clear: UIColor { UIColor(white: 0, alpha: 0) }

  /// Red from the system's palette.
  public class var systemRed: UIColor { UIColor(255, 59, 48) }
  /// Green from the system's palette.
  public class var systemGreen: UIColor { UIColor(52, 199, 89) }
  /// Blue from the system's palette.
  public class var systemBlue: UIColor { UIColor(0, 122, 255) }
  /// Orange from the system's palette.
  public class var systemOrange: UIColor { UIColor(255, 149, 0) }
  /// Yellow from the system's palette.
  public class var systemYellow: UIColor { UIColor(255, 204, 0) }
  /// Pink from the system's palette.
  public class var systemPink: UIColor { UIColor(255, 45, 85) }
  /// Purple from the system's palette.
  public class var systemPurple: UIColor { UIColor(175, 82, 222) }
  /// Teal from the system's palette.
  public class var systemTeal: UIColor { UIColor(48, 176, 199) }
  /// Indigo from the system's palette.
  public class var systemIndigo: UIColor { UIColor(88, 86, 214) }
  /// Gray from the system's palette.
  public class var systemGray: UIColor { UIColor(142, 142, 147) }
  /// A shade of the system's gray; a higher number denotes a lighter shade.
  public class var systemGray2: UIColor { UIColor(174, 174, 178) }
  /// A shade of the system's gray; a higher number denotes a lighter shade.
  public class var systemGray3: UIColor { UIColor(199, 199, 204) }
  /// A shade of the system's gray; a higher number denotes a lighter shade.
  public class var systemGray4: UIColor { UIColor(209, 209, 214) }
  /// A shade of the system's gray; a higher number denotes a lighter shade.
  public class var systemGray5: UIColor { UIColor(229, 229, 234) }
  /// A shade of the system's gray; a higher number denotes a lighter shade.
  public class var systemGray6: UIColor { UIColor(242, 242, 247) }

  /// The color of primary text.
  public class var label: UIColor { UIColor(white: 0, alpha: 1) }
  /// The color of secondary text.
  public class var secondaryLabel: UIColor { UIColor(60, 60, 67).withAlphaComponent(0.6) }
  /// The main background color.
  public class var systemBackground: UIColor { UIColor(white: 1, alpha: 1) }
  /// The background color of content that is layered on the main background.
  public class var secondarySystemBackground: UIColor { UIColor(242, 242, 247) }
  /// The main background color of grouped content.
  public class var systemGroupedBackground: UIColor { UIColor(242, 242, 247) }
  /// The default tint color of the app's controls.
  public class var tintColor: UIColor { UIColor(0, 122, 255) }
}
