import BelfryProvider
import BelfryWire
import System

/// Advice for a `belfry send` command that used the port of another listener.
///
/// Without this advice, the listener would appear to be a service that doesn't answer.
struct SendPort {
  /// A gateway's other listeners: the key in `gateway.json`, the name, and the default port, if there is one.
  private static let others: [(key: String, name: String, port: Int64?)] = [
    ("console", "console", 2_198), ("device", "device", 5_223), ("binary", "binary", 2_195),
    ("feedback", "feedback", 2_196), ("insecureProvider", "insecure provider", nil),
  ]

  private let address: String
  private let listener: String
  /// The port for pushes; nil if unknown.
  private let providerPort: Int64?

  /// Finds the listener that the options address by mistake; nil if they don't address another of the gateway's
  /// listeners.
  init?(_ options: CommandLineOptions) {
    guard let text = options.value("gateway"), !FileSystem.exists(text),
      let (host, number) = DeviceGateway.address(text)
    else { return nil }
    address = "\(host):\(number)"
    let port = Int64(number)
    // The gateway's own description contains the exact ports, and is often in the same folder as the authority's
    // certificate.
    var files = StateFolders.isGatewayKnown ? [DeviceGateway.usersFile] : []
    if let authority = options.value("ca") {
      files.insert(FileSystem.parent(of: FileSystem.absolute(authority)) + "/gateway.json", at: 0)
    }
    for file in files {
      let bytes = (try? FileSystem.readRegularFile(file, limit: Self.fileBytesMax)) ?? []
      guard let ports = (try? JSONValue(parsing: bytes))?.objectValue?["ports"]?.objectValue,
        let provider = ports["provider"]?.integerValue, provider != port,
        let other = Self.others.first(where: { ports[$0.key]?.integerValue == port })
      else { continue }
      (listener, providerPort) = ("the gateway's \(other.name) port", provider)
      return
    }
    guard let other = Self.others.first(where: { $0.port == port }) else { return nil }
    (listener, providerPort) = ("usually a gateway's \(other.name) port", nil)
  }

  /// The message to print in place of the failure's own message.
  var message: String {
    "cannot send to \(address), which is \(listener): "
      + (providerPort.map { "use its provider port, \($0)" }
        ?? "use its provider port, usually 2197")
  }

  private static let fileBytesMax = 262_144
}
