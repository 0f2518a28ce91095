import BelfryWire
import Gateway
import Glibc
import System
import Transport

/// The findings of `belfry doctor --gateway` about the gateway in a folder.
struct GatewayDoctor {
  private let folder: GatewayFolder
  /// The required files that are missing or empty.
  private let lost: [LostFile]
  /// The names of the required files that this user cannot read.
  private let unreadable: [String]
  /// The paths of the folder and its stores to which this user cannot write; empty while the gateway runs.
  private let unwritable: [String]
  private var description = JSONObject()

  /// Returns the rows about the gateway in a folder, in the same format as those about an agent.
  static func rows(folder: String) -> [JSONObject] {
    var doctor = GatewayDoctor(folder: GatewayFolder(path: FileSystem.absolute(folder)))
    guard doctor.readDescription() else {
      if !doctor.lost.isEmpty { return [doctor.requiredFiles] }
      do throws(AdministrationFailure) {
        try doctor.folder.requireGateway()
      } catch {
        // A folder that doesn't contain a gateway is reported below.
        if error.kind != .missing {
          return [row("gateway", isFine: false, error.what, error.advice)]
        }
      }
      return [
        row(
          "gateway", isFine: false, "\(doctor.folder.path) does not contain a gateway.json",
          "start a gateway with 'belfry gateway', or \(doctor.folder.folderAdvice)")
      ]
    }
    var rows = [doctor.process, doctor.requiredFiles]
    rows += doctor.listeners + doctor.certificates + doctor.ownCertificate + doctor.key
    rows += [doctor.secrets, doctor.reach, doctor.disk] + doctor.faults
    return rows + doctor.cluster + doctor.notices
  }

  /// Returns true if every required part is present.
  static func isFine(_ rows: [JSONObject]) -> Bool {
    rows.allSatisfy { $0["state"] != "missing" || $0["optional"] == true }
  }

  private init(folder: GatewayFolder) {
    self.folder = folder
    lost = folder.lostFiles
    unreadable = folder.unreadableFiles
    let isRunning = (try? GatewayAccess(folder: folder.path).status()) != nil
    unwritable = isRunning ? [] : folder.unwritablePaths
  }

  private mutating func readDescription() -> Bool {
    let bytes =
      (try? FileSystem.readRegularFile(folder.descriptionFile, limit: Self.fileBytesMax)) ?? []
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue else { return false }
    description = object
    return true
  }

  private static let fileBytesMax = 262_144
  /// The number of seconds before a certificate's expiration from which the certificate is reported.
  private static let certificateNoticeSeconds: Int64 = 30 * 86_400
  /// The number of bytes of free disk space below which a gateway might soon stop accepting pushes.
  private static let diskBytesMin: UInt64 = 1 << 30

  private static func row(
    _ feature: String, isFine: Bool, isLack: Bool = true, _ detail: String, _ advice: String
  ) -> JSONObject {
    [
      "feature": .string(feature), "state": isFine ? "ok" : isLack ? "missing" : "attention",
      "optional": false, "detail": .string(detail), "do": .string(isFine ? "" : advice),
    ]
  }

  // MARK: - Findings

  /// The row about the process.
  ///
  /// A gateway counts as running if its admin API responds; `gateway.json` isn't sufficient evidence, because the file
  /// remains after a gateway is killed.
  private var process: JSONObject {
    let isRunning: Bool
    do {
      isRunning = try GatewayAccess(folder: folder.path).status() != nil
    } catch {
      return Self.row("process", isFine: false, "\(error)", "check the gateway's log")
    }
    let pid = description["pid"]?.integerValue ?? 0
    return Self.row(
      "process", isFine: isRunning,
      isRunning ? "process \(pid), data \(folder.path)" : "no response on the console port",
      startAdvice(
        "start the gateway with 'belfry gateway --data \(folder.path)' and the options that it had before"
      ))
  }

  /// The row about the files without which the gateway does not start.
  private var requiredFiles: JSONObject {
    guard !lost.isEmpty || unreadable.isEmpty else {
      return Self.row(
        "required files", isFine: false,
        "this user cannot read \(unreadable.joined(separator: ", ")) (in \(folder.path))",
        "run the command as the gateway's user, or make the owner of the folder the owner of the files with chown"
      )
    }
    if lost.isEmpty, !unwritable.isEmpty, FileSystem.isReadOnly(folder.path) {
      return Self.row(
        "required files", isFine: false, "the file system of \(folder.path) is read-only",
        "run dmesg to see whether the kernel found a disk error, then remount the file system read-write"
      )
    }
    guard !lost.isEmpty || unwritable.isEmpty else {
      return Self.row(
        "required files", isFine: false,
        "this user cannot write to \(unwritable.joined(separator: ", "))",
        "run the command as the gateway's user, or make the gateway's user the owner of the folder and its files with "
          + "chown -R, and run chmod 700 \(folder.path)")
    }
    return Self.row(
      "required files", isFine: lost.isEmpty,
      lost.isEmpty ? "complete" : "\(lost.problem) (in \(folder.path))", lost.remedy)
  }

  /// Returns the advice to start the gateway, which is useless while required files are lost, or cannot be read or
  /// written.
  private func startAdvice(_ advice: String) -> String {
    lost.isEmpty && unreadable.isEmpty && unwritable.isEmpty
      ? advice : "see 'required files', without which the gateway does not start"
  }

  /// True if the process in `gateway.json` has exited and the admin API does not respond.
  ///
  /// The process of a gateway in a container is not visible, but its admin API responds.
  private var isStopped: Bool {
    let pid = pid_t(truncatingIfNeeded: description["pid"]?.integerValue ?? 0)
    guard pid > 0, kill(pid, 0) != 0, errno == ESRCH else { return false }
    return (try? GatewayAccess(folder: folder.path).status()) == nil
  }

  private var listeners: [JSONObject] {
    let hasExited = isStopped
    return ["provider", "device", "binary", "feedback", "console"].flatMap {
      name -> [JSONObject] in
      let found = ports(name)
      guard !found.isEmpty else {
        return [
          Self.row(
            "\(name) port", isFine: false, "not in gateway.json",
            startAdvice("restart the gateway"))
        ]
      }
      return found.map { listener(name, $0, hasExited: hasExited) }
    }
  }

  private func listener(_ name: String, _ port: UInt16, hasExited: Bool) -> JSONObject {
    let host = name == "console" ? consoleHost : host
    let isOpen = isListening(host, port)
    if isOpen, hasExited {
      return Self.row(
        "\(name) port", isFine: false, "\(host):\(port), in use by another program",
        startAdvice("run ss -ltnp to find the program, and stop it; or choose another port"))
    }
    return Self.row(
      "\(name) port", isFine: isOpen,
      "\(host):\(port)" + (isOpen ? ", listening" : ", not listening"),
      startAdvice("start the gateway, or run ss -ltnp to see which process uses the port"))
  }

  private var certificates: [JSONObject] {
    [("authority", folder.authorityFile), ("server certificate", folder.path + "/server.pem")]
      .map { feature, file in
        guard let bytes = try? FileSystem.readRegularFile(file, limit: Self.fileBytesMax),
          let certificate = try? Certificate(pem: bytes)
        else {
          return Self.row(
            feature, isFine: false, "\(file) does not contain a certificate",
            startAdvice("restart the gateway, and check its log to see what was lost"))
        }
        let now = SystemClock.unixMilliseconds / 1_000
        let end = Timestamp.rfc3339(unixMilliseconds: certificate.notAfter * 1_000)
        return Self.row(
          feature, isFine: certificate.notAfter - now > Self.certificateNoticeSeconds,
          isLack: certificate.notAfter <= now, "valid until \(end)",
          "restart the gateway to renew the certificate")
      }
  }

  /// The row about the certificate specified with `--server-certificate`; empty without the option, or if no running
  /// gateway uses it.
  private var ownCertificate: [JSONObject] {
    guard let status = try? GatewayAccess(folder: folder.path).status(),
      let end = status["ownCertificateEndsAt"]?.stringValue
    else { return [] }
    if let notice = Self.notices(in: status).first(where: Self.isAboutCertificateFiles) {
      return [
        Self.row(
          "own certificate", isFine: false, notice,
          "replace the files of --server-certificate and --server-key: the gateway reloads changed files"
        )
      ]
    }
    // In this format, strings sort in the same order as the times that they represent.
    let now = SystemClock.unixMilliseconds
    let soon = now + Self.certificateNoticeSeconds * 1_000
    return [
      Self.row(
        "own certificate", isFine: end > Timestamp.rfc3339(unixMilliseconds: soon),
        isLack: end <= Timestamp.rfc3339(unixMilliseconds: now), "valid until \(end)",
        "renew the certificate: the gateway reloads changed files")
    ]
  }

  /// The row about the key in `gateway.json`, with which commands send by default.
  ///
  /// The gateway chooses a valid key of its first team, and a revoked one only if that team has no valid key. Providers
  /// of other teams can then still send. Without the control store, the keys are unknown, so there is no row.
  private var key: [JSONObject] {
    lost.contains { $0.name == "control.sqlite" } ? [] : [keyRow]
  }

  private var keyRow: JSONObject {
    let feature = "provider key"
    let file = description["keyFile"]?.stringValue ?? ""
    let id = description["keyID"]?.stringValue ?? ""
    let team = description["teamID"]?.stringValue ?? ""
    let valid: [JSONObject]
    do {
      valid = try GatewayAccess(folder: folder.path).perform(.listKeys)
        .filter { $0["revokedAt"] == nil }
    } catch {
      return Self.row(
        feature, isFine: false, isLack: false, "unknown (\(error))",
        startAdvice("check the gateway's log"))
    }
    guard !valid.isEmpty else {
      return Self.row(
        feature, isFine: false, "no key is valid",
        "add a key with 'belfry key add --team \(team)'")
    }
    guard valid.contains(where: { $0["id"]?.stringValue == id }) else {
      let isOfTeam = valid.contains { $0["team"]?.stringValue == team }
      let count = valid.count == 1 ? "1 key is valid" : "\(valid.count) keys are valid"
      return Self.row(
        feature, isFine: !isOfTeam, isLack: false,
        isOfTeam
          ? "\(count), but gateway.json contains \(id), which was revoked"
          : "\(count), but none of team \(team), which the gateway created at its first start; send with --key",
        "start the gateway again, which writes the ID of a valid key to gateway.json")
    }
    let isReadable = (try? FileSystem.readRegularFile(file, limit: Self.fileBytesMax)) != nil
    return Self.row(
      feature, isFine: isReadable, isReadable ? "\(id), \(file)" : "\(file) cannot be read",
      "add a key with 'belfry key add', or use another key to send")
  }

  private var secrets: JSONObject {
    let exposed = folder.exposedFiles
    let outside = runningNotices.filter(Self.isAboutExposedFile)
    guard outside.isEmpty || !exposed.isEmpty else {
      return Self.row(
        "secret files", isFine: false, isLack: false, outside.joined(separator: "; "),
        "protect each file, so that only the gateway's user can read it")
    }
    return Self.row(
      "secret files", isFine: exposed.isEmpty, isLack: false,
      exposed.isEmpty
        ? unreadable.isEmpty ? "readable only by this user" : "not readable by other users"
        : "other users may be able to read \(exposed.joined(separator: ", "))",
      "run chmod 700 \(folder.path)")
  }

  private var reach: JSONObject {
    let listener = description["host"]?.stringValue ?? "127.0.0.1"
    let isLoopback = SocketAddress(host: listener, port: 0)?.isLoopback == true
    let names = (description["names"]?.arrayValue ?? []).compactMap(\.stringValue)
    let hasName = DeviceGateway.publicName(among: names) != nil
    return Self.row(
      "reach", isFine: !isLoopback, isLack: false,
      isLoopback ? "\(listener): only this machine" : "\(listener): other machines too",
      "to let other machines reach it, start the gateway with --host 0.0.0.0"
        + (hasName ? "" : " and --name HOST"))
  }

  private var disk: JSONObject {
    var status = statvfs()
    guard unsafe statvfs(folder.path, &status) == 0 else {
      return Self.row(
        "disk", isFine: false, "cannot read \(folder.path)", "check the owner of the folder")
    }
    let bytes = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    return Self.row(
      "disk", isFine: bytes >= Self.diskBytesMin, isLack: bytes == 0,
      "\(Output.bytes(Double(bytes))) free in \(folder.path)",
      "free some space: the gateway accepts only pushes that it can store")
  }

  /// The row about the active faults; empty if there are none, or if no gateway is running.
  private var faults: [JSONObject] {
    guard let status = try? GatewayAccess(folder: folder.path).status(),
      let faults = GatewayStatusTable.faults(in: status)
    else { return [] }
    let option = StateFolders.dataOption(forGateway: folder.path)
    return [
      Self.row(
        "faults", isFine: false, isLack: false, faults,
        "show them with 'belfry fault list\(option)', and remove them with 'belfry fault clear\(option)'"
      )
    ]
  }

  /// The row about the bus of a cluster; empty for a single gateway, or if no gateway is running.
  private var cluster: [JSONObject] {
    guard let status = try? GatewayAccess(folder: folder.path).status(),
      let node = GatewayStatusTable.node(in: status)
    else { return [] }
    let isConnected = status["busConnected"]?.boolValue == true
    return [
      Self.row(
        "cluster", isFine: isConnected, isLack: false, "node \(node)",
        "start the NATS server, or check the network between it and this machine")
    ]
  }

  /// The rows about the database and about notices of the running gateway, such as unsafe settings of a database
  /// server.
  private var notices: [JSONObject] {
    guard let status = try? GatewayAccess(folder: folder.path).status() else { return [] }
    let database = status["database"]?.stringValue.map { url in
      Self.row(
        "database", isFine: status["obstacle"] == nil,
        status["obstacle"]?.stringValue ?? url, "check the database server and the gateway's log")
    }
    // The row about the own certificate already contains the notice about its files.
    let hasOwn = status["ownCertificateEndsAt"] != nil
    return [database].compactMap(\.self)
      + Self.notices(in: status).filter {
        !(hasOwn && Self.isAboutCertificateFiles($0)) && !Self.isAboutExposedFile($0)
      }.map {
        Self.row("notice", isFine: false, isLack: false, $0, Self.advice(about: $0))
      }
  }

  private static func notices(in status: JSONObject) -> [String] {
    (status["notices"]?.arrayValue ?? []).compactMap(\.stringValue)
  }

  /// The notices of the running gateway; empty if no gateway is running.
  private var runningNotices: [String] {
    (try? GatewayAccess(folder: folder.path).status()).map(Self.notices(in:)) ?? []
  }

  private static func isAboutExposedFile(_ notice: String) -> Bool {
    notice.utf8.starts(with: GatewayCondition.exposedFile.utf8)
  }

  private static func isAboutCertificateFiles(_ notice: String) -> Bool {
    notice.utf8.starts(with: CertificateEnds.unusableFiles.utf8)
  }

  private static func advice(about notice: String) -> String {
    if notice.hasPrefix("the data folder was restored") {
      return
        "revoke again the keys, certificates and devices that were revoked since the backup; the notice ends when "
        + "the gateway restarts"
    }
    return notice.hasPrefix("the bus is absent") ? "see 'cluster'" : "see the gateway's log"
  }

  // MARK: - Addresses

  private var host: String {
    SocketAddress.hostOnThisMachine(ofListener: description["host"]?.stringValue ?? "127.0.0.1")
  }

  private var consoleHost: String {
    SocketAddress.hostOnThisMachine(
      ofListener: description["consoleHost"]?.stringValue ?? "127.0.0.1")
  }

  /// Returns the ports of a listener in `gateway.json`; only providers can have several.
  private func ports(_ listener: String) -> [UInt16] {
    let ports = description["ports"]?.objectValue
    let several = listener == "provider" ? ports?["providers"]?.arrayValue : nil  // text: our own
    return (several ?? [ports?[listener]].compactMap(\.self)).compactMap { value in
      value.integerValue.flatMap(UInt16.init(exactly:)).flatMap { $0 > 0 ? $0 : nil }
    }
  }

  /// Returns true if a socket on this machine is listening at the address.
  ///
  /// The method reads the kernel's tables, because the gateway would log a connection as a failed peer.
  private func isListening(_ host: String, _ port: UInt16) -> Bool {
    SocketAddress(host: host, port: port).map { !ListenerOwners.userIDs(at: $0).isEmpty } ?? false
  }
}
