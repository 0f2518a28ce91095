public import Foundation

/// A screen as a value: this system draws nothing, so every screen is empty.
@preconcurrency @MainActor
open class UIScreen: NSObject {
  private static let only = UIScreen()

  /// The screen.
  open class var main: UIScreen { only }

  /// All screens.
  open class var screens: [UIScreen] { [only] }

  /// Its area: empty.
  open var bounds: CGRect { .zero }

  /// Its area in pixels: empty.
  open var nativeBounds: CGRect { .zero }

  /// Pixels a point.
  open var scale: CGFloat { 1 }

  /// Pixels a point.
  open var nativeScale: CGFloat { 1 }

  /// From 0 to 1; stored, without effect.
  open var brightness: CGFloat = 1
}
