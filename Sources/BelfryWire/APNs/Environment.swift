/// The two environments of APNs, which share neither tokens nor channels.
public enum Environment: UInt8, CaseIterable, Sendable {
  case sandbox = 0
  case production = 1

  /// The name in options and files.
  public var name: String { self == .sandbox ? "sandbox" : "production" }

  /// The environment that `name` names.
  public init?(name: String) {
    switch name {
    case "sandbox": self = .sandbox
    case "production": self = .production
    default: return nil
    }
  }
}
