public import Foundation

/// A screen.
///
/// Nothing is drawn on this system, so every screen has an empty area.
@preconcurrency @MainActor
open class UIScreen: NSObject {
  private static let only = UIScreen()

  /// The only screen, whose area is empty because nothing is drawn.
  open class var main: UIScreen { only }

  /// An array that contains only the main screen.
  open class var screens: [UIScreen] { [only] }

  /// The area of the screen in points; always empty.
  open var bounds: CGRect { .zero }

  /// The area of the screen in pixels; always empty.
  open var nativeBounds: CGRect { .zero }

  /// The number of pixels per point; always 1.
  open var scale: CGFloat { 1 }

  /// The number of physical pixels per point; always 1.
  open var nativeScale: CGFloat { 1 }

  /// The brightness of the screen, from 0 to 1; stored, but has no effect.
  open var brightness: CGFloat = 1
}
