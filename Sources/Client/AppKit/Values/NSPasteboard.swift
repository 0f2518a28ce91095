public import Foundation

/// What was copied, within the app: it is shared with no other app on this system.
@preconcurrency @MainActor
open class NSPasteboard: NSObject {
  /// The kinds of what was copied.
  public struct PasteboardType: RawRepresentable, Hashable, Sendable {
    /// The kind's name.
    public let rawValue: String

    /// A kind by its name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// A kind by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Plain text.
    public static let string = PasteboardType("public.utf8-plain-text")
  }

  private static let only = NSPasteboard()
  private var texts: [PasteboardType: String] = [:]

  /// The app's pasteboard.
  open class var general: NSPasteboard { only }

  /// How often it was cleared.
  open private(set) var changeCount = 0

  /// Empties it; returns how often that was done.
  @discardableResult
  open func clearContents() -> Int {
    texts = [:]
    changeCount += 1
    return changeCount
  }

  /// Copies a text; returns true.
  @discardableResult
  open func setString(_ string: String, forType dataType: PasteboardType) -> Bool {
    texts[dataType] = string
    return true
  }

  /// The text that was copied.
  open func string(forType dataType: PasteboardType) -> String? { texts[dataType] }
}
