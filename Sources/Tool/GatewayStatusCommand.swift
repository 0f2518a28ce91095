import BelfryWire
import Gateway
import Glibc
import Storage
import System

/// `belfry gateway status`: shows the status of a gateway.
enum GatewayStatusCommand {
  static let table = OptionTable(
    command: "belfry gateway status",
    summary:
      "Shows a gateway's status: connections, rates over the last minute, queued notifications, "
      + "stores, disk space, and certificate expiration dates. Exits 1 if no gateway is running.",
    [
      .value("data", "DIR", default: StateFolders.gatewayDefault, "the gateway's data folder"),
      .flag("watch", "show the status every two seconds until interrupted"),
      .flag("json", "one JSON object per line"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    let options: CommandLineOptions
    do throws(CommandLineOptions.Problem) {
      options = try CommandLineOptions(arguments, by: table)
    } catch {
      Output.error(error)
      return 2
    }
    if options.wantsHelp {
      Output.help(table)
      return 0
    }
    let folder = FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
    do throws(SystemFailure) {
      try FolderOwner.act(in: folder)
    } catch {
      Output.error(error)
      return 1
    }
    let isScreen = options.has("watch") && !options.has("json") && isatty(STDOUT_FILENO) == 1
    while true {
      let status: JSONObject?
      do {
        status = try GatewayAccess(folder: folder).status()
      } catch {
        Output.error(error)
        if !options.has("watch") { return 1 }
        usleep(pauseMicroseconds)
        continue
      }
      // Move the cursor home and clear the previous output.
      if isScreen { Output.text("\u{1B}[H\u{1B}[2J") }
      show(status, folder: folder, asJSON: options.has("json"))
      guard options.has("watch") else { return status == nil ? 1 : 0 }
      if !isScreen, !options.has("json") { Output.line("") }
      usleep(pauseMicroseconds)
    }
  }

  private static let pauseMicroseconds: UInt32 = 2_000_000

  private static func show(_ status: JSONObject?, folder: String, asJSON: Bool) {
    guard var status else {
      if asJSON { Output.json(.object(["running": false, "data": .string(folder)])) }
      do throws(AdministrationFailure) {
        try GatewayFolder(path: folder).requireGateway()
        Output.error(
          "no gateway is running with the data folder \(folder)",
          do: "start it with 'belfry gateway', or \(GatewayFolder(path: folder).folderAdvice)")
      } catch {
        Output.error(error)
      }
      return
    }
    guard asJSON else {
      for line in GatewayStatusTable(status).lines { Output.line(line) }
      return
    }
    status["metrics"] = nil
    Output.json(
      .object(JSONObject([("running", .bool(true))] + status.members.map { ($0.key, $0.value) })))
  }
}

/// A status, formatted as lines of text.
struct GatewayStatusTable {
  private let status: JSONObject

  init(_ status: JSONObject) { self.status = status }

  /// The lines of text; members that the gateway didn't report are omitted.
  var lines: [String] {
    var rows: [(String, String)] = [
      ("gateway", "\(text("data") ?? "?") (\(text("environment") ?? "?"))"),
      ("state", state),
      (
        "connections",
        Output.counted(count("deviceConnections"), "device") + ", "
          + Output.counted(count("providerConnections"), "provider")
      ),
      ("pushes", pushes),
    ]
    if let waiting = number("waiting") {
      rows.append(("waiting", Output.counted(Int(waiting), "notification")))
    }
    if let half = number("commitMilliseconds50"), let most = number("commitMilliseconds99") {
      rows.append(("commits", "median \(half) ms, 99% within \(most) ms (last minute)"))
    }
    if let node = Self.node(in: status) { rows.append(("node", node)) }
    if let database = text("database") {
      rows.append(("database", database))
    } else {
      rows.append(
        (
          "stores",
          "control \(bytes("controlStoreBytes")), notifications \(bytes("notificationStoreBytes"))"
        ))
    }
    if let free = number("diskFreeBytes"), let total = number("diskTotalBytes"), total > 0 {
      rows.append(
        (
          "disk",
          "\(Output.bytes(free)) free of \(Output.bytes(total)) (\(Int(free * 100 / total))%)"
        ))
    }
    if number("residentBytes") != nil { rows.append(("memory", bytes("residentBytes"))) }
    for (key, name) in Self.certificates {
      if let end = text(key) { rows.append((name, Self.expiration(end, of: key))) }
    }
    if let faults = Self.faults(in: status) {
      let option = text("data").map(StateFolders.dataOption(forGateway:)) ?? ""
      rows.append(("faults", "\(faults); show them with 'belfry fault list\(option)'"))
    }
    for notice in status["notices"]?.arrayValue ?? [] {
      rows.append(("notice", notice.stringValue ?? ""))
    }
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + OutputTable.printable(value)
    }
  }

  /// Returns the name and the bus of a node of a cluster; nil for a single gateway.
  static func node(in status: JSONObject) -> String? {
    guard let name = status["node"]?.stringValue else { return nil }
    let isConnected = status["busConnected"]?.boolValue == true
    return "\(name), \(isConnected ? "connected" : "not connected") to the bus "
      + (status["bus"]?.stringValue ?? "?")
  }

  /// Returns the clause about a gateway's active faults; nil if the gateway has none.
  static func faults(in status: JSONObject) -> String? {
    guard let count = status["activeFaults"]?.integerValue, count > 0 else { return nil }
    return "\(Output.counted(count, "fault")) \(count == 1 ? "is" : "are") active"
  }

  /// The number of days before the expiration of a certificate from which the expiration is pointed out.
  private static let noticeDays: Int64 = 30

  /// Returns the clause about the expiration of a certificate, which points out that the operator must act soon.
  private static func expiration(_ end: String, of key: String) -> String {
    let date = end.prefix(10)
    let now = SystemClock.unixMilliseconds
    // A device renews its certificate when it connects. In this format, strings sort in the same order as the times.
    guard key != "deviceCertificateEndsAt",
      end < Timestamp.rfc3339(unixMilliseconds: now + noticeDays * 86_400_000)
    else { return "expires \(date)" }
    return end > Timestamp.rfc3339(unixMilliseconds: now)
      ? "expires \(date), in less than \(noticeDays) days" : "expired \(date)"
  }

  private static let certificates = [
    ("serverCertificateEndsAt", "server certificate"), ("authorityEndsAt", "CA certificate"),
    ("nextAuthorityEndsAt", "next CA certificate"),
    ("ownCertificateEndsAt", "own certificate"),
    ("providerCertificateEndsAt", "earliest provider certificate"),
    ("deviceCertificateEndsAt", "earliest device certificate"),
  ]

  private var state: String {
    let isReady = status["ready"]?.boolValue == true
    let why = text("obstacle").map { ": \($0)" } ?? ""
    let up = number("upSeconds").map { ", up \(Self.duration($0))" } ?? ""
    return (isReady ? "ready" : "not ready\(why)") + up + ", pid \(count("pid"))"
  }

  private var pushes: String {
    var parts: [String] = []
    for (key, word) in [
      ("accepted", "accepted"), ("refused", "refused"), ("delivered", "delivered"),
    ] {
      let rate = number("\(key)PerSecond").map { " (\($0)/s)" } ?? ""
      parts.append("\(count(key)) \(word)\(rate)")
    }
    return parts.joined(separator: ", ")
  }

  private func text(_ key: String) -> String? { status[key]?.stringValue }
  private func number(_ key: String) -> Double? { status[key]?.doubleValue }
  private func count(_ key: String) -> String { number(key).map { "\(Int($0))" } ?? "?" }
  private func bytes(_ key: String) -> String { number(key).map(Output.bytes) ?? "?" }

  private static func duration(_ seconds: Double) -> String {
    let seconds = Int(seconds)
    if seconds < 120 { return "\(seconds) s" }
    if seconds < 7_200 { return "\(seconds / 60) min" }
    if seconds < 172_800 { return "\(seconds / 3_600) h \(seconds / 60 % 60) min" }
    return "\(seconds / 86_400) days"
  }
}
