import Glibc

/// An error that describes why the listener on an option's port cannot be opened.
public struct ListenFailure: Error, CustomStringConvertible {
  private let option: String
  private let hostOption: String
  private let port: UInt16
  private let reason: SystemFailure

  /// Creates the error for a port that `--option` specifies, on the address that `--hostOption` specifies.
  public init(
    option: String, hostOption: String = "host", port: UInt16, reason: SystemFailure
  ) {
    self.option = option
    self.hostOption = hostOption
    self.port = port
    self.reason = reason
  }

  /// A message that names the option at fault and, if another program uses the port, the command that finds the
  /// program.
  public var description: String {
    if case .call(_, EADDRINUSE, let address) = reason {
      // Only the gateway has several listeners, whose options end with "-port".
      let offset =
        option.hasSuffix("-port") ? ", or --port-offset N, which changes all default ports" : ""
      return "\(address) is in use by another program; stop that program, or choose "
        + "another --\(option)\(offset) ('ss -ltnp sport = :\(port)' shows the program)"
    }
    if case .call(_, EADDRNOTAVAIL, let address) = reason, let host = SocketAddress(address)?.host {
      return "--\(hostOption) \(host): this machine has no such address: use one of its addresses, "
        + "or 0.0.0.0"
    }
    return "--\(option) \(port): \(reason)"
  }
}
