import CSystemd
import Glibc

/// The app socket that systemd passes to the agent under socket activation (sd_listen_fds(3)): systemd listens on it
/// and starts the agent when the first app connects.
///
/// The type belongs to this target because no other target links systemd's library.
public enum ActivationSocket {
  /// Returns the descriptor that systemd passed to this process, or nil if it passed none.
  ///
  /// Throws if systemd passed more than one socket, or if the socket does not listen at `path`, where this agent's apps
  /// connect. Programs that the agent starts do not inherit the descriptor.
  public static func descriptor(at path: String) throws(AgentFailure) -> Int32? {
    let count = sd_listen_fds(1)
    guard count >= 0 else {
      throw AgentFailure("cannot read the sockets passed by systemd: errno \(-count)")
    }
    guard count > 0 else { return nil }
    guard count == 1 else {
      throw AgentFailure(
        "systemd passed \(count) sockets: belfry-agent.socket must have exactly one ListenStream")
    }
    let descriptor = SD_LISTEN_FDS_START
    guard unsafe sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, path, 0) > 0 else {
      throw AgentFailure(
        "systemd's socket is not \(path), where apps connect: set that path in belfry-agent.socket's "
          + "ListenStream, or stop it with 'systemctl --user stop belfry-agent.socket'")
    }
    return descriptor
  }
}
