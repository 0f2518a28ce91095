import Glibc

/// An error that describes why the listener on an option's port cannot be opened.
public struct ListenFailure: Error, CustomStringConvertible {
  private let option: String
  private let port: UInt16
  private let reason: SystemFailure

  /// Creates the error for a port that `--option` specifies.
  public init(option: String, port: UInt16, reason: SystemFailure) {
    self.option = option
    self.port = port
    self.reason = reason
  }

  /// A message that names the option and, if another process uses the port, the command that finds the process.
  public var description: String {
    if case .call(_, EADDRINUSE, let address) = reason {
      return "\(address) is in use, perhaps by another gateway; stop that process, or choose "
        + "another --\(option) ('ss -ltnp sport = :\(port)' shows the process)"
    }
    return "--\(option) \(port): \(reason)"
  }
}
