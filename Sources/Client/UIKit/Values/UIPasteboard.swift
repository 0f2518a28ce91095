public import Foundation

/// What was copied, within the app: it is shared with no other app on this system.
@preconcurrency @MainActor
open class UIPasteboard: NSObject {
  private static let only = UIPasteboard()

  /// The app's pasteboard.
  open class var general: UIPasteboard { only }

  /// The text that was copied.
  open var string: String?

  /// The URL that was copied.
  open var url: URL?

  /// Whether a text was copied.
  open var hasStrings: Bool { string != nil }

  /// Whether a URL was copied.
  open var hasURLs: Bool { url != nil }
}
