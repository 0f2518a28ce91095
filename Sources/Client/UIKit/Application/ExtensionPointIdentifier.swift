extension UIApplication {
  /// The identifier of a kind of extension that an app can reject.
  public struct ExtensionPointIdentifier: RawRepresentable, Hashable, Sendable {
    /// The identifier string, as on Apple's systems.
    public let rawValue: String

    /// Creates an identifier from its string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The identifier of third-party keyboards.
    public static let keyboard = ExtensionPointIdentifier(
      rawValue: "com.apple.keyboard-service")
  }
}

/// The name of `UIApplication.ExtensionPointIdentifier` before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIApplication.ExtensionPointIdentifier")
public typealias UIApplicationExtensionPointIdentifier = UIApplication.ExtensionPointIdentifier
