extension UIApplication {
  /// A kind of extension that an app may refuse.
  public struct ExtensionPointIdentifier: RawRepresentable, Hashable, Sendable {
    /// The kind's name, as on Apple's systems.
    public let rawValue: String

    /// A kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Keyboards of other apps.
    public static let keyboard = ExtensionPointIdentifier(
      rawValue: "com.apple.keyboard-service")
  }
}

/// A kind of extension, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.ExtensionPointIdentifier")
public typealias UIApplicationExtensionPointIdentifier = UIApplication.ExtensionPointIdentifier
