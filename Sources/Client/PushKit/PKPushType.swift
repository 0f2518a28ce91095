/// What a push of this module is for.
public struct PKPushType: RawRepresentable, Hashable, Sendable {
  /// The type's name, as on Apple's systems.
  public var rawValue: String

  /// A type from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A call that comes in.
  public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")

  /// Something new for a complication of a watch face.
  @available(iOS, deprecated: 13.0, message: "Use WidgetKit's pushes on Apple's systems")
  public static let complication = PKPushType(rawValue: "PKPushTypeComplication")

  /// A change in the files of a file provider.
  public static let fileProvider = PKPushType(rawValue: "PKPushTypeFileProvider")
}
