public import Foundation

/// The pasteboard of the app.
///
/// On this system, it is not shared with other apps.
@preconcurrency @MainActor
open class UIPasteboard: NSObject {
  private static let only = UIPasteboard()

  /// The pasteboard of the app.
  open class var general: UIPasteboard { only }

  /// The text on the pasteboard.
  open var string: String?

  /// The URL on the pasteboard.
  open var url: URL?

  /// A Boolean value that indicates whether the pasteboard contains text.
  open var hasStrings: Bool { string != nil }

  /// A Boolean value that indicates whether the pasteboard contains a URL.
  open var hasURLs: Bool { url != nil }
}
