import BelfryWire
import Glibc
import ProviderService
import Storage
import System
import Transport

/// The reason that a campaign command can't be executed.
enum CampaignFailure: Error, CustomStringConvertible {
  /// The errors and how to fix them, one per line.
  case refused(status: Int, [String])
  case unknown(String)
  case noService(String)
  /// `isGiven` is true if the user specified the folder.
  case noProvider(folder: String, isGiven: Bool)
  case otherService(String, folder: String)
  case needsService
  case unreadable(String)

  var description: String {
    switch self {
    case .refused(_, let lines): lines.joined(separator: "\nbelfry: ")
    case .unknown(let id): "unknown campaign '\(id)': 'belfry campaign list' lists the campaigns"
    case .noService(let where_):
      "no provider service answers at \(where_): start it with 'belfry provider'"
    case .noProvider(let folder, let isGiven):
      "\(folder) is not a provider's data folder: start a provider with 'belfry provider"
        + (isGiven
          ? " --data DIR', or specify the folder of an existing provider" : "', or use --data")
    case .otherService(let url, let folder):
      "the service that uses \(folder) does not listen at \(url), so its admin token is not sent "
        + "there: specify the other service's token with --admin-token FILE, or its data folder with "
        + "--data"
    case .needsService:
      "no provider is running to continue the campaign: start 'belfry provider', or omit --detach"
    case .unreadable(let what): "\(what): check the service's log"
    }
  }
}

/// Access to a token registry: through its HTTP port if it is running, otherwise through its data folder.
final class ProviderAccess {
  private enum Way {
    case remote(AdminClient)
    case local(ProviderFolder, CampaignService, ProviderRouter)
  }

  private let way: Way

  /// True if this process itself uses the registry's data and must therefore wait for its campaigns.
  var isLocal: Bool {
    guard case .local = way else { return false }
    return true
  }

  /// Opens the registry that the options specify.
  init(_ options: CommandLineOptions) throws {
    if let url = options.value("provider") {
      way = .remote(try Self.client(ofURL: url, options))
      return
    }
    // The command uses the folder's own token, but a mistyped file must not go unnoticed.
    if let file = options.value("admin-token"), !FileSystem.exists(file) {
      throw CommandLineOptions.Problem.badValue(
        key: "admin-token", value: file, wanted: "an existing file with an admin token")
    }
    let path = FileSystem.absolute(options.value("data") ?? StateFolders.provider)
    // Without this check, a mistyped or omitted option would create a registry that has an admin token but no devices.
    guard Self.isProviderFolder(path) else {
      throw CampaignFailure.noProvider(folder: path, isGiven: options.isGiven("data"))
    }
    var attempts = 40
    while true {
      do {
        way = try Self.local(path, options)
        return
      } catch StorageFailure.busy {
        if let client = try Self.client(of: path) {
          way = .remote(client)
          return
        }
        // A service that is starting, or another command, locks the folder briefly.
        attempts -= 1
        guard attempts > 0 else { throw StorageFailure.busy(path: path) }
        usleep(50_000)
      }
    }
  }

  /// Returns true if a folder contains a registry, or can't be searched by this user.
  private static func isProviderFolder(_ path: String) -> Bool {
    guard FileSystem.isDirectory(path) else { return false }
    return unsafe access(path, X_OK) != 0
      || FileSystem.exists(ProviderFolder.adminTokenFile(in: path))
      || FileSystem.exists("\(path)/registry.sqlite")
  }

  /// Executes a request.
  ///
  /// If `revision` is given, the request is refused unless the campaign has this revision. Returns the objects in the
  /// response, one per line.
  func perform(
    _ method: String, _ path: String, contentType: String = "application/json",
    body: [UInt8] = [], revision: String? = nil
  ) throws -> [JSONObject] {
    var fields: [(name: String, value: String)] = [("content-type", contentType)]
    if let revision { fields.append(("if-match", "\"\(revision)\"")) }
    return try answer(method, path, fields: fields, body: body).objects
  }

  /// Returns all objects of a list that the service divides into pages.
  func list(_ path: String) throws -> [JSONObject] {
    var objects: [JSONObject] = []
    var next: String? = path
    while let page = next {
      let answer = try answer("GET", page)
      objects += answer.objects
      next = answer.next
    }
    return objects
  }

  /// Executes a request, and returns the objects in the response and the path of the next page, if there is one.
  private func answer(
    _ method: String, _ path: String, fields: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) throws -> Answer {
    switch way {
    case .remote(let client):
      return try Self.exchange(client, method, path, fields: fields, body: body)
    case .local(let folder, _, let router):
      let target = HTTP1Target(Array(path.utf8))
      let response = router.answer(
        HTTP1Request(
          method: method, path: target.path, query: target.query,
          fields: fields + [("authorization", "Bearer \(folder.adminToken)")], body: body))
      guard case .bytes(let bytes) = response.body else {
        throw CampaignFailure.unreadable("the response is incomplete")
      }
      let link = response.fields.first { $0.name == "link" }?.value
      return Answer(
        objects: try Self.objects(status: response.status, bytes), next: link.flatMap(Self.page))
    }
  }

  private struct Answer {
    let objects: [JSONObject]
    let next: String?
  }

  /// Returns the path in a header field such as `</tokens?after=5>; rel="next"`.
  private static func page(link: String) -> String? {
    guard link.hasPrefix("<"), let end = link.firstIndex(of: ">") else { return nil }
    return String(link[link.index(after: link.startIndex)..<end])
  }

  /// Stops the campaigns of this process gracefully.
  func close() {
    guard case .local(_, let campaigns, _) = way else { return }
    campaigns.drain()
  }

  // MARK: Connecting

  /// Returns a client for the service at a URL.
  ///
  /// A token found on this machine is sent only to the service that owns it; that service's own description must
  /// contain the address. For any other service, the user must specify the token file.
  private static func client(ofURL url: String, _ options: CommandLineOptions) throws -> AdminClient
  {
    guard let address = ProviderAddress.socketAddress(ofURL: url) else {
      throw CommandLineOptions.Problem.badValue(
        key: "provider", value: url, wanted: "http:// with an IP address and a port")
    }
    if let file = options.value("admin-token") {
      return try AdminClient(address: address, tokenFile: file, isLocal: false)
    }
    let folder = FileSystem.absolute(
      options.value("data") ?? ProviderAddress.folder(port: address.port) ?? StateFolders.provider)
    try FolderOwner.act(in: folder)
    guard description(in: folder) == address else {
      throw CampaignFailure.otherService(url, folder: folder)
    }
    return try AdminClient(address: address, tokenFile: ProviderFolder.adminTokenFile(in: folder))
  }

  /// Returns the address in the description of a folder's service, or nil if the description doesn't exist.
  private static func description(in folder: String) -> SocketAddress? {
    let file = ProviderFolder.descriptionFile(in: folder)
    guard let bytes = try? FileSystem.readRegularFile(file, limit: descriptionBytesMax),
      let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let host = object["host"]?.stringValue,
      let port = object["port"]?.integerValue.flatMap(UInt16.init(exactly:))
    else { return nil }
    return SocketAddress(host: SocketAddress.hostOnThisMachine(ofListener: host), port: port)
  }

  /// The maximum size of a description, in bytes; a description has a few members and an entry for each app.
  private static let descriptionBytesMax = 65_536

  private static func local(_ path: String, _ options: CommandLineOptions) throws -> Way {
    // As root, connect to the service first, because the folder's owner might not be allowed to read the gateway's
    // keys.
    let target = try FolderOwner(of: path) == nil ? nil : try? CampaignTarget(options)
    try FolderOwner.act(in: path)
    let folder = try ProviderFolder(path)
    let log = Log(subsystem: "campaign", level: .warning)
    // The command itself shows that a campaign is delayed.
    let campaigns = CampaignService(registry: folder.registry, log: log, logsDelays: false) {
      try (target ?? CampaignTarget(options)).service(
        options, webPushKey: CampaignWebPush.key(options, folder: path))
    }
    let router = ProviderRouter(
      registry: folder.registry, campaigns: campaigns, apps: folder.apps,
      adminToken: folder.adminToken, isOpen: false, log: log)
    return .local(folder, campaigns, router)
  }

  private static func client(of path: String) throws -> AdminClient? {
    guard let address = description(in: path) else { return nil }
    let client = try AdminClient(
      address: address, tokenFile: ProviderFolder.adminTokenFile(in: path))
    // The file might have been left behind by a service that was killed.
    do {
      _ = try exchange(client, "GET", "/campaigns/none", body: [])
    } catch CampaignFailure.refused(404, _) {
      return client
    } catch {
      return nil
    }
    return client
  }

  private static func exchange(
    _ client: AdminClient, _ method: String, _ path: String,
    fields: [(name: String, value: String)] = [], body: [UInt8]
  ) throws -> Answer {
    var head = [
      "\(method) \(path) HTTP/1.0", "host: \(client.address)",
      "authorization: Bearer \(client.token)", "content-length: \(body.count)",
    ]
    head += fields.map { "\($0.name): \($0.value)" }
    head += ["", ""]
    var answer: [UInt8] = []
    let request = Array(head.joined(separator: "\r\n").utf8) + body
    guard try client.exchange(request, { answer += $0 }) else {
      throw CampaignFailure.noService("\(client.address)")
    }
    let end = Array("\r\n\r\n".utf8)
    guard let headEnd = answer.firstRange(of: end) else {
      throw CampaignFailure.unreadable("the response from \(client.address) is incomplete")
    }
    let line = String(decoding: answer[..<headEnd.lowerBound].prefix(32), as: UTF8.self)
    guard let status = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw CampaignFailure.unreadable("the response from \(client.address) has no status")
    }
    let name = "link: "
    let lines = String(decoding: answer[..<headEnd.lowerBound], as: UTF8.self).split(
      separator: "\r\n")
    let link = lines.first { $0.lowercased().hasPrefix(name) }?.dropFirst(name.count)
    return Answer(
      objects: try objects(status: status, Array(answer[headEnd.upperBound...])),
      next: link.flatMap { page(link: String($0)) })
  }

  private static func objects(status: Int, _ bytes: [UInt8]) throws -> [JSONObject] {
    let objects = try bytes.split(separator: 0x0A).compactMap {
      try JSONValue(parsing: Array($0)).objectValue
    }
    guard status >= 300 else { return objects }
    guard case .array(let errors)? = objects.first?["errors"] else {
      throw CampaignFailure.refused(status: status, ["the service responded with status \(status)"])
    }
    let lines = errors.compactMap(\.objectValue).map { error in
      let field = error["field"]?.stringValue.map { "\($0): " } ?? ""
      let what = error["error"]?.stringValue ?? "rejected"
      return "\(field)\(what): \(error["advice"]?.stringValue ?? "see docs/provider.md")"
    }
    throw CampaignFailure.refused(status: status, lines)
  }
}
