/// The types of pushes that this module handles.
public struct PKPushType: RawRepresentable, Hashable, Sendable {
  /// The name of the type, as on Apple's systems.
  public var rawValue: String

  /// Creates a type from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Pushes for incoming voice-over-IP calls, with the topic suffix `.voip`.
  public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")

  /// Pushes that update a complication on a watch face.
  @available(iOS, deprecated: 13.0, message: "Use WidgetKit's pushes on Apple's systems")
  public static let complication = PKPushType(rawValue: "PKPushTypeComplication")

  /// Pushes that report a change in the files of a file provider.
  public static let fileProvider = PKPushType(rawValue: "PKPushTypeFileProvider")
}
