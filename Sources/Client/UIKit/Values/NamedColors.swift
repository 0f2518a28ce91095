import Foundation

extension UIColor {
  private convenience init(_ red: Int, _ green: Int, _ blue: Int) {
    self.init(
      red: CGFloat(red) / 255, green: CGFloat(green) / 255, blue: CGFloat(blue) / 255, alpha: 1)
  }

  /// Black.
  public class var black: UIColor { UIColor(white: 0, alpha: 1) }
  /// A third of white.
  public class var darkGray: UIColor { UIColor(white: 1 / 3, alpha: 1) }
  /// Two thirds of white.
  public class var lightGray: UIColor { UIColor(white: 2 / 3, alpha: 1) }
  /// White.
  public class var white: UIColor { UIColor(white: 1, alpha: 1) }
  /// Half of white.
  public class var gray: UIColor { UIColor(white: 0.5, alpha: 1) }
  /// Red.
  public class var red: UIColor { UIColor(red: 1, green: 0, blue: 0, alpha: 1) }
  /// Green.
  public class var green: UIColor { UIColor(red: 0, green: 1, blue: 0, alpha: 1) }
  /// Blue.
  public class var blue: UIColor { UIColor(red: 0, green: 0, blue: 1, alpha: 1) }
  /// Cyan.
  public class var cyan: UIColor { UIColor(red: 0, green: 1, blue: 1, alpha: 1) }
  /// Yellow.
  public class var yellow: UIColor { UIColor(red: 1, green: 1, blue: 0, alpha: 1) }
  /// Magenta.
  public class var magenta: UIColor { UIColor(red: 1, green: 0, blue: 1, alpha: 1) }
  /// Orange.
  public class var orange: UIColor { UIColor(red: 1, green: 0.5, blue: 0, alpha: 1) }
  /// Purple.
  public class var purple: UIColor { UIColor(red: 0.5, green: 0, blue: 0.5, alpha: 1) }
  /// Brown.
  public class var brown: UIColor { UIColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1) }
  /// Nothing.
  public class var clear: UIColor { UIColor(white: 0, alpha: 0) }

  /// The system's red.
  public class var systemRed: UIColor { UIColor(255, 59, 48) }
  /// The system's green.
  public class var systemGreen: UIColor { UIColor(52, 199, 89) }
  /// The system's blue.
  public class var systemBlue: UIColor { UIColor(0, 122, 255) }
  /// The system's orange.
  public class var systemOrange: UIColor { UIColor(255, 149, 0) }
  /// The system's yellow.
  public class var systemYellow: UIColor { UIColor(255, 204, 0) }
  /// The system's pink.
  public class var systemPink: UIColor { UIColor(255, 45, 85) }
  /// The system's purple.
  public class var systemPurple: UIColor { UIColor(175, 82, 222) }
  /// The system's teal.
  public class var systemTeal: UIColor { UIColor(48, 176, 199) }
  /// The system's indigo.
  public class var systemIndigo: UIColor { UIColor(88, 86, 214) }
  /// The system's grey.
  public class var systemGray: UIColor { UIColor(142, 142, 147) }
  /// The system's grey, lighter step by step.
  public class var systemGray2: UIColor { UIColor(174, 174, 178) }
  /// The system's grey, lighter step by step.
  public class var systemGray3: UIColor { UIColor(199, 199, 204) }
  /// The system's grey, lighter step by step.
  public class var systemGray4: UIColor { UIColor(209, 209, 214) }
  /// The system's grey, lighter step by step.
  public class var systemGray5: UIColor { UIColor(229, 229, 234) }
  /// The system's grey, lighter step by step.
  public class var systemGray6: UIColor { UIColor(242, 242, 247) }

  /// The colour of text.
  public class var label: UIColor { UIColor(white: 0, alpha: 1) }
  /// The colour of less important text.
  public class var secondaryLabel: UIColor { UIColor(60, 60, 67).withAlphaComponent(0.6) }
  /// The colour behind everything.
  public class var systemBackground: UIColor { UIColor(white: 1, alpha: 1) }
  /// The colour behind groups.
  public class var secondarySystemBackground: UIColor { UIColor(242, 242, 247) }
  /// The colour behind grouped content.
  public class var systemGroupedBackground: UIColor { UIColor(242, 242, 247) }
  /// The colour that the app's controls have.
  public class var tintColor: UIColor { UIColor(0, 122, 255) }
}
