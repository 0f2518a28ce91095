public import Foundation

/// The pasteboard of the app.
///
/// On this system, it is not shared with other apps.
@preconcurrency @MainActor
open class NSPasteboard: NSObject {
  /// The types of pasteboard data.
  public struct PasteboardType: RawRepresentable, Hashable, Sendable {
    /// The name of the type, as on Apple's systems.
    public let rawValue: String

    /// Creates a type from its name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Creates a type from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The type of plain text.
    public static let string = PasteboardType("public.utf8-plain-text")
  }

  private static let only = NSPasteboard()
  private var texts: [PasteboardType: String] = [:]

  /// The pasteboard of the app.
  open class var general: NSPasteboard { only }

  /// The number of times that the pasteboard was cleared.
  open private(set) var changeCount = 0

  /// Clears the pasteboard.
  ///
  /// Returns the number of times that the pasteboard was cleared.
  @discardableResult
  open func clearContents() -> Int {
    texts = [:]
    changeCount += 1
    return changeCount
  }

  /// Copies a string to the pasteboard.
  ///
  /// Returns true, because copying always succeeds.
  @discardableResult
  open func setString(_ string: String, forType dataType: PasteboardType) -> Bool {
    texts[dataType] = string
    return true
  }

  /// Returns the copied string of the given type.
  open func string(forType dataType: PasteboardType) -> String? { texts[dataType] }
}
