import System
import Transport

extension LoopContext {
  /// Opens a listener; `accept` handles the connections that the gate has admitted.
  func listen(
    _ port: UInt16, _ option: String, _ security: StreamSecurity,
    for kind: ConnectionCensus.Kind, accept: @escaping () -> any StreamHandler
  ) throws(ListenFailure) -> any Listener {
    let configuration = shared.configuration
    do throws(SystemFailure) {
      guard let address = SocketAddress(host: configuration.host, port: port) else {
        throw .unusable(text: configuration.host, reason: "it is not an IP address")
      }
      let sharing: Socket.PortSharing =
        configuration.loops == 1 ? .none : route.loop == 0 ? .first : .further
      let listener = try shared.listeners.listen(
        on: loop, at: address, security: security, sharing: sharing
      ) { [unowned self] stream in
        gate.admit(stream, to: kind, at: loop.nowNanoseconds, log: log) ? accept() : nil
      }
      assert(port == 0 || listener.port == port, "a listener uses the requested port")
      return listener
    } catch {
      throw ListenFailure(option: option, port: port, reason: error)
    }
  }
}
