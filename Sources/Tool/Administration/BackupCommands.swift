import BelfryWire
import Gateway
import System

/// `belfry backup`: copies a gateway's folder while the gateway runs.
enum BackupCommand {
  static let table = OptionTable(
    command: "belfry backup",
    summary:
      "Copies the stores, keys and certificates of a running or stopped gateway into one file. The "
      + "file has mode 0600; protect it as carefully as the data folder, because it contains every "
      + "key except the publishers' keys of 'belfry upstream'.",
    positionals: "FILE", positionalCount: 1...1,
    [
      .value("data", "DIR", default: StateFolders.gatewayDefault, "the gateway's data folder"),
      .flag(
        "with-upstream-keys",
        "include the key that decrypts the publishers' keys of 'belfry upstream'"),
      .flag("json", "one JSON object"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let file = FileSystem.absolute(options.positionals[0])
      let folder = GatewayFolder(path: options.value("data") ?? StateFolders.gateway)
      let summary = try FolderBackup.make(
        of: folder, to: file, release: Version.current,
        nowMilliseconds: SystemClock.unixMilliseconds,
        withUpstreamKeys: options.has("with-upstream-keys")
      ) { body in
        let owner = try FolderOwner.act(in: folder.path, .untilReturn)
        let outcome = Result { try body() }
        if owner != nil { try FolderOwner.returnToRoot() }
        try outcome.get()
      }
      if options.has("json") {
        var line: JSONObject = ["file": .string(file), "data": .string(folder.path)]
        line.merge(summary.json)
        Output.json(.object(line))
      } else {
        Output.line(
          "\(file): \(Output.counted(summary.devices, "device")) and "
            + Output.counted(summary.notifications, "undelivered notification") + " "
            + "from \(folder.path), \(summary.byteCount) bytes")
      }
      return 0
    }
  }
}

/// `belfry restore`: restores a gateway's folder from a backup.
enum RestoreCommand {
  static let table = OptionTable(
    command: "belfry restore",
    summary: "Restores a backup into an empty or missing folder that no gateway uses.",
    positionals: "FILE", positionalCount: 1...1,
    [
      .value("data", "DIR", default: StateFolders.gatewayDefault, "the folder to restore to"),
      .flag("json", "one JSON object"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let file = FileSystem.absolute(options.positionals[0])
      let folder = GatewayFolder(path: options.value("data") ?? StateFolders.gateway)
      let summary = try FolderBackup.restore(
        file, into: folder, nowMilliseconds: SystemClock.unixMilliseconds
      ) {
        // If the folder is missing, restore it as the owner of its nearest existing parent.
        try FolderOwner.act(in: folder.path, includingParents: true)
      }
      if !summary.hasSums {
        Output.error(
          "\(file) was created by an earlier release and contains no hashes",
          do: "check that the restored data is complete")
      }
      let created = Timestamp.rfc3339(unixMilliseconds: summary.createdMilliseconds)
      if options.has("json") {
        var line: JSONObject = ["file": .string(file), "data": .string(folder.path)]
        line.merge(summary.json)
        line["effects"] = .array(effects.map { .string($0) })
        Output.json(.object(line))
        return 0
      }
      Output.line(
        "restored \(folder.path) from a backup of \(created): "
          + Output.counted(summary.devices, "device") + ", "
          + Output.counted(summary.notifications, "undelivered notification"))
      Output.line("Changes since the backup are lost, with these effects:")
      for effect in effects { Output.line("- \(effect)") }
      return 0
    }
  }

  /// The effects that providers and devices will notice, as one sentence each.
  private static let effects = [
    "pushes that were accepted but not delivered are lost",
    "pushes that were stored at the time of the backup and delivered later are sent again; devices recognize "
      + "their IDs and show them only once",
    "devices that enrolled are unknown: the gateway refuses them, and they enroll again with the code in the backup",
    "rotations of the certificate authority are undone: the restored gateway and devices that already use a newer "
      + "authority refuse each other, so these devices must delete their identity and join again with a line from "
      + "'belfry device invite'; other clients need the restored ca.pem",
    "tokens that were issued are rejected as BadDeviceToken or Unregistered until the app registers again",
    "provider keys, certificates, apps and channels that were added are unknown: providers are refused "
      + "with InvalidProviderToken or TopicDisallowed",
    "unless the backup was made with --with-upstream-keys, pushes to upstreams are refused with ServiceUnavailable "
      + "until the upstreams are added again ('belfry upstream add')",
    "keys, certificates and devices that were revoked are valid again: revoke them again "
      + "('belfry key revoke', 'certificate revoke', 'device revoke')",
  ]
}
