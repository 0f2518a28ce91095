import System

extension GatewayPorts {
  /// Throws if another program uses one of the ports.
  ///
  /// The result can change before the listeners open, so this check only avoids side effects of a start that must fail.
  func requireFree(on host: String) throws {
    var listeners = [
      ("device-port", device), ("binary-port", binary), ("feedback-port", feedback),
    ]
    listeners += providers.map { ("provider-port", $0) }
    listeners += insecureProvider.map { [("insecure-provider-port", $0)] } ?? []
    listeners += webPush.map { [("web-push-port", $0)] } ?? []
    listeners += insecureWebPush.map { [("insecure-web-push-port", $0)] } ?? []
    for (option, port) in listeners where port != 0 {
      guard let address = SocketAddress(host: host, port: port) else { continue }
      do throws(SystemFailure) {
        Socket.close(try Socket.listen(on: address))
      } catch {
        throw GatewayServer.Failure.setup(
          "the gateway cannot start: \(ListenFailure(option: option, port: port, reason: error))")
      }
    }
  }
}
