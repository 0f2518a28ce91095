/// An APNs environment: sandbox or production.
///
/// The two environments share neither tokens nor channels.
public enum Environment: UInt8, CaseIterable, Sendable {
  case sandbox = 0
  case production = 1

  /// The environment's name in options and files.
  public var name: String { self == .sandbox ? "sandbox" : "production" }

  /// Creates the environment with this name.
  ///
  /// Returns `nil` for an unknown name.
  public init?(name: String) {
    switch name {
    case "sandbox": self = .sandbox
    case "production": self = .production
    default: return nil
    }
  }
}
