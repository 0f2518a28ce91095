import AppLink
import AppWire
import Glibc
import System

/// The default folders for the state of the programs.
enum StateFolders {
  /// The gateway's folder: `BELFRY_GATEWAY`, or the default.
  static var gateway: String { chosenGateway ?? usualGateway }

  /// The description of ``gateway`` in the help of the commands.
  static let gatewayDefault =
    "$BELFRY_GATEWAY if set; otherwise, $XDG_STATE_HOME/belfry/gateway"

  /// The gateway's default folder.
  static var usualGateway: String { "\(state)/belfry/gateway" }

  /// Returns the default folder for a gateway.
  ///
  /// A gateway with a port offset has its own folder, so that it can run next to the usual gateway.
  static func gateway(portOffset: UInt16) -> String {
    chosenGateway ?? usualGateway + (portOffset == 0 ? "" : "-\(portOffset)")
  }

  /// Returns the option that makes a command use a gateway's folder, preceded by a space; empty if commands use the
  /// folder without the option.
  static func dataOption(forGateway folder: String) -> String {
    let isDefault = isKnown && folder == FileSystem.absolute(gateway)
    return isDefault ? "" : " --data \(ShellWords.quoted(folder))"
  }

  /// The folder that `BELFRY_GATEWAY` specifies; nil if the variable isn't set.
  ///
  /// If the value can't be a folder, the command exits.
  private static var chosenGateway: String? {
    guard let value = variable("BELFRY_GATEWAY") else { return nil }
    guard let advice = advice(forGateway: value) else { return value }
    Output.error("invalid value '\(value)' of the variable BELFRY_GATEWAY", do: advice)
    exit(2)
  }

  /// Returns the advice for a value of `BELFRY_GATEWAY` that can't be a folder; nil for any other value.
  static func advice(forGateway value: String) -> String? {
    let expected = "expected the path of the gateway's data folder"
    if FileSystem.isRegularFile(value) {
      return "\(expected), such as \(FileSystem.parent(of: FileSystem.absolute(value)))"
    }
    let isAddress =
      value.contains("://") || DeviceGateway.address(value) != nil
      || SocketAddress(host: value, port: 0) != nil
    guard isAddress, !FileSystem.exists(value) else { return nil }
    return "\(expected); to specify an address, unset the variable and use --gateway"
  }

  /// The default folder of the agent.
  static var agent: String { "\(state)/belfry/agent" }

  /// The folder of the token registry and its campaigns.
  static var provider: String { "\(state)/belfry/provider" }

  /// The folder of the virtual devices' identities.
  static var devices: String { "\(state)/belfry/devices" }

  /// The folder in the user's data directory in which the client modules of apps store attachment files.
  static var attachments: String {
    (AgentPaths.dataHome(variable) ?? "/.local/share") + "/belfry/attachments"
  }

  /// The folder for the user's state: `XDG_STATE_HOME`, or its default.
  ///
  /// If neither that variable nor `HOME` is set, the command exits.
  static var state: String {
    guard isKnown else {
      Output.error(
        "HOME is not \(variable("HOME") == nil ? "set" : "an absolute path"), so the data folder is unknown",
        do: "set it to your home folder, or use --data or --socket")
      exit(1)
    }
    return AgentPaths.stateHome(variable)
  }

  /// True if the environment specifies the gateway's folder.
  static var isGatewayKnown: Bool { variable("BELFRY_GATEWAY") != nil || isKnown }

  /// True if the environment specifies the location of the current user's data.
  static var isKnown: Bool {
    ["XDG_STATE_HOME", "HOME"].contains { variable($0)?.hasPrefix("/") == true }
  }

  /// The path of the agent's socket, unless `--socket` specifies another socket.
  static var socket: String {
    let path = AgentSocket.path
    // If the runtime folder is missing, the socket is in the data folder.
    return isKnown || !path.hasPrefix(AgentPaths.stateHome(variable)) ? path : state
  }

  /// Returns the value of an environment variable if the variable is set and not empty.
  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
