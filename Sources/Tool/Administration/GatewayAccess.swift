import BelfryWire
import Gateway
import Glibc
import Storage
import System

/// Access to the gateway of a folder: by its admin API while it runs, else by its data.
struct GatewayAccess {
  private let folder: GatewayFolder

  init(folder: String) { self.folder = GatewayFolder(path: folder) }

  /// Carries out a request on the running or the stopped gateway.
  ///
  /// Whether the gateway runs is asked of the folder's lock and not of `gateway.json`, which a
  /// gateway that was killed leaves behind.
  func perform(_ request: AdministrationRequest) throws -> [JSONObject] {
    var attempts = Self.attempts
    while true {
      do {
        return try Administration(stopped: folder).perform(request)
      } catch {
        guard error.kind == .held else { throw error }
        if let client = try client(), let lines = try client.perform(request) { return lines }
        // A starting gateway, or another command, locks the folder for a moment.
        attempts -= 1
        guard attempts > 0 else { throw error }
        usleep(Self.pauseMicroseconds)
      }
    }
  }

  /// Follows the delivery log of the running gateway until it ends.
  func follow(_ request: AdministrationRequest, _ receive: (JSONObject) -> Void) throws {
    guard let client = try client(), try client.follow(request, receive) else {
      throw AdministrationFailure(
        .conflict, "only a running gateway's log can be followed",
        do: "start it with `belfry gateway`")
    }
  }

  /// Reads the whole delivery log of the running gateway; false where none runs.
  func readLog(_ receive: (JSONObject) -> Void) throws -> Bool {
    guard let client = try client() else { return false }
    return try client.read(.log(of: nil), receive)
  }

  /// How the running gateway stands; nil where none runs.
  ///
  /// The folder's lock is not asked, so that no start of a gateway fails for it.
  func status() throws -> JSONObject? {
    do {
      return try client()?.status()
    } catch let failure as AdministrationFailure where !isHeld {
      // What listens on the port of a gateway that was killed is another program, or another gateway.
      guard failure.kind == .broken || failure.kind == .invalid else { throw failure }
      return nil
    }
  }

  /// Whether the process that wrote `gateway.json` still runs.
  private var isHeld: Bool {
    guard let object = try? description, let pid = object["pid"]?.integerValue else { return false }
    return kill(pid_t(truncatingIfNeeded: pid), 0) == 0 || errno == EPERM
  }

  private static let attempts = 40
  private static let pauseMicroseconds: UInt32 = 50_000
  private static let fileBytesMax = 65_536

  /// The object of `gateway.json`.
  private var description: JSONObject? {
    get throws {
      let file = folder.descriptionFile
      let bytes = try FileSystem.readRegularFile(file, limit: Self.fileBytesMax)
      guard let object = (try? JSONValue(parsing: bytes))?.objectValue else {
        throw AdministrationFailure(
          .broken, "\(file) is not what a gateway writes",
          do: "restart the gateway: it writes it anew")
      }
      return object
    }
  }

  /// The admin API of the gateway that wrote `gateway.json`; nil where it has none open.
  private func client() throws -> AdminClient? {
    guard FileSystem.exists(folder.descriptionFile), FileSystem.exists(folder.adminTokenFile),
      let object = try description,
      let port = object["ports"]?.objectValue?["console"]?.integerValue.flatMap(UInt16.init),
      port > 0
    else { return nil }
    let host = object["consoleHost"]?.stringValue ?? "127.0.0.1"
    let reached = SocketAddress.hostOnThisMachine(ofListener: host)
    guard let address = SocketAddress(host: reached, port: port) else { return nil }
    return try AdminClient(address: address, tokenFile: folder.adminTokenFile)
  }
}
