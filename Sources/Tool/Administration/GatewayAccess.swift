import BelfryWire
import Gateway
import Glibc
import Storage
import System

/// Access to the gateway in a folder: through its admin API if it is running, otherwise through its data.
struct GatewayAccess {
  private let folder: GatewayFolder

  init(folder: String) { self.folder = GatewayFolder(path: folder) }

  /// Executes a request on the gateway, whether it is running or stopped.
  ///
  /// The folder's lock shows whether the gateway is running. `gateway.json` doesn't, because the file remains after the
  /// gateway is killed.
  func perform(_ request: AdministrationRequest) throws -> [JSONObject] {
    var attempts = Self.attempts
    while true {
      do {
        return try Administration(stopped: folder).perform(request)
      } catch {
        guard error.kind == .held else { throw error }
        if let client = try client(), let lines = try client.perform(request) { return lines }
        // A gateway that is starting, or another command, locks the folder briefly.
        attempts -= 1
        guard attempts > 0 else { throw error }
        usleep(Self.pauseMicroseconds)
      }
    }
  }

  /// Executes a request on the running gateway; returns nil if no gateway is running.
  ///
  /// The caller repeats requests, so the nodes of a cluster that have stopped are not named.
  func ask(_ request: AdministrationRequest) throws -> [JSONObject]? {
    guard var client = try self.client() else { return nil }
    client.onStoppedNodes = { _, _ in }
    return try client.perform(request)
  }

  /// Follows the delivery log of the running gateway until the gateway closes the connection.
  func follow(_ request: AdministrationRequest, _ receive: (JSONObject) -> Void) throws {
    guard let client = try runningClient(), try client.follow(request, receive) else {
      try folder.requireGateway()
      throw AdministrationFailure(
        .conflict,
        "--follow requires a running gateway, but the gateway in \(folder.path) is not running",
        do: "start it with 'belfry gateway', or specify another gateway's data folder with --data")
    }
  }

  /// Reads the entire delivery log of the running gateway.
  ///
  /// Returns false if no gateway is running.
  func readLog(_ receive: (JSONObject) -> Void) throws -> Bool {
    guard var client = try runningClient() else { return false }
    // An incomplete log would be mistaken for a complete one.
    client.onMissingNodes = { nodes, _ in
      throw AdministrationFailure(
        .busy, "the delivery log of these nodes is missing: \(nodes)", do: "see 'belfry node list'")
    }
    // A node that is no longer used must not prevent the caller from reading the log of the others.
    client.onStoppedNodes = { _, _ in }
    return try client.read(.log(of: nil), receive)
  }

  /// Returns the status of the running gateway, or nil if no gateway is running.
  ///
  /// This method doesn't test the folder's lock, because the test could prevent a gateway from starting.
  func status() throws -> JSONObject? {
    do {
      guard let status = try client()?.status() else { return nil }
      // A copy or a restored backup of this folder has the same token, and its gateway might use the same port.
      guard status["pid"] == (try description)?["pid"] else { return nil }
      return status
    } catch let failure as AdministrationFailure where !isHeld {
      // After a gateway is killed, another program or another gateway might listen on its port.
      guard failure.kind == .broken || failure.kind == .invalid else { throw failure }
      return nil
    }
  }

  /// Returns a URL that opens the running gateway's console with the user signed in, and the number of seconds before
  /// the URL expires; nil if no gateway is running.
  ///
  /// The secret is in the fragment, which browsers don't send.
  func consoleLink() throws -> (url: String, seconds: Int64)? {
    guard let client = try runningClient(),
      let line = try client.perform(AdministrationCall("POST", "/api/console-link"))?.first
    else { return nil }
    guard let secret = line["link"]?.stringValue else {
      throw AdministrationFailure(
        .broken, "the gateway returned no console link",
        do: "restart the gateway with this version of belfry")
    }
    let url = client.address.consoleURL(port: client.address.port)
    return ("\(url)#link=\(secret)", line["validSeconds"]?.integerValue ?? 0)
  }

  /// Returns a client for this folder's gateway, or nil if the gateway isn't running.
  private func runningClient() throws -> AdminClient? { try status() == nil ? nil : try client() }

  /// True if the process that wrote `gateway.json` is still running.
  private var isHeld: Bool {
    guard let object = try? description, let pid = object["pid"]?.integerValue else { return false }
    return kill(pid_t(truncatingIfNeeded: pid), 0) == 0 || errno == EPERM
  }

  private static let attempts = 40
  private static let pauseMicroseconds: UInt32 = 50_000
  private static let fileBytesMax = 65_536

  /// The object in `gateway.json`.
  private var description: JSONObject? {
    get throws {
      let file = folder.descriptionFile
      let bytes = try FileSystem.readRegularFile(file, limit: Self.fileBytesMax)
      guard let object = (try? JSONValue(parsing: bytes))?.objectValue else {
        throw AdministrationFailure(
          .broken, "\(file) is not a valid gateway description",
          do: "restart the gateway to write it again")
      }
      return object
    }
  }

  /// Returns a client for the admin API of the gateway that wrote `gateway.json`, or nil if the API isn't open.
  private func client() throws -> AdminClient? {
    guard FileSystem.exists(folder.descriptionFile), let object = try description,
      let port = object["ports"]?.objectValue?["console"]?.integerValue.flatMap(UInt16.init),
      port > 0
    else { return nil }
    let host = object["consoleHost"]?.stringValue ?? "127.0.0.1"
    let reached = SocketAddress.hostOnThisMachine(ofListener: host)
    guard let address = SocketAddress(host: reached, port: port) else { return nil }
    guard FileSystem.exists(folder.adminTokenFile) else {
      guard isHeld else { return nil }
      throw AdministrationFailure(
        .broken,
        "\(folder.adminTokenFile) does not exist, so the running gateway cannot be queried",
        do: "restart the gateway, which creates a new token")
    }
    return try AdminClient(address: address, tokenFile: folder.adminTokenFile)
  }
}
