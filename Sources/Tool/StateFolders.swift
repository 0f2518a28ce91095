import BelfryWire
import Glibc

/// The default folders of state.
enum StateFolders {
  /// The gateway's folder: `BELFRY_GATEWAY`, or its default.
  static var gateway: String { variable("BELFRY_GATEWAY") ?? usualGateway }

  /// The gateway's folder where nothing names another.
  static var usualGateway: String { "\(state)/belfry/gateway" }

  /// The agent's folder.
  static var agent: String { "\(state)/belfry/agent" }

  /// The folder of the token registry and its campaigns.
  static var provider: String { "\(state)/belfry/provider" }

  /// The folder of the virtual devices' identities.
  static var devices: String { "\(state)/belfry/devices" }

  /// Where apps' client modules put the files of attachments: beside the user's data.
  static var attachments: String {
    let given = variable("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (given ?? (variable("HOME") ?? "") + "/.local/share") + "/belfry/attachments"
  }

  /// `XDG_STATE_HOME`, or its default.
  static var state: String { AgentPaths.stateHome(variable) }

  /// An environment variable that is set and not empty.
  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
