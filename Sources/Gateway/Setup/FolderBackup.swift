public import BelfryWire
internal import Storage
internal import System

/// A copy of a gateway's folder in one file: a tar archive of mode 0600, which any `tar` reads.
///
/// Its first file, `belfry-backup.json`, says when and of what it was made. The delivery log is left out: it is no
/// promise, and it is written at each turn.
public enum FolderBackup {
  /// What a backup holds.
  public struct Summary: Sendable {
    /// When it was made, in milliseconds since 1970.
    public var createdMilliseconds: Int64
    /// The gateway's environment.
    public var environment: String
    /// The release that made it.
    public var release: String
    /// Undelivered notifications.
    public var notifications: Int
    /// Devices, revoked ones included.
    public var devices: Int
    /// Bytes of the file.
    public var byteCount: Int

    /// The object of a command's answer.
    public var json: JSONObject {
      [
        "createdAt": .string(Timestamp.rfc3339(unixMilliseconds: createdMilliseconds)),
        "environment": .string(environment), "release": .string(release),
        "notifications": .integer(Int64(notifications)), "devices": .integer(Int64(devices)),
        "bytes": .integer(Int64(byteCount)),
      ]
    }
  }

  private static let description = "belfry-backup.json"
  private static let format: Int64 = 1

  /// Whether a file of the folder belongs into a backup as it is.
  private static func isIncluded(_ name: String) -> Bool {
    if name.hasPrefix("AuthKey_") { return name.hasSuffix(".p8") }
    return [
      "manifest", "ca.pem", "ca-first.pem", "ca-key.pem", "server.pem", "server-key.pem",
      "server-names", "server-added.pem", "server-added-key.pem", "server-added-names",
      "token-keys", "admin-token",
    ].contains(name)
  }

  /// The stores, in the order in which they are copied: what a notification needs of the control store is older
  /// than the notification.
  private static let stores = ["notifications.sqlite", "control.sqlite"]

  // MARK: Making

  /// Writes a backup of the gateway in `folder`, which may run and goes on meanwhile, to `file`.
  ///
  /// The file has its name once it is whole and on disk; one of the same name is replaced then.
  public static func make(
    of folder: GatewayFolder, to file: String, release: String, nowMilliseconds: Int64
  ) throws -> Summary {
    guard FileSystem.exists(folder.controlStoreFile) else {
      throw AdministrationFailure(
        .missing, "there is no gateway in \(folder.path)", do: "name its folder with --data")
    }
    let file = FileSystem.absolute(file)
    let part = "\(file).\(SystemClock.unixMilliseconds).part"
    var temporaries = [part]
    defer { for path in temporaries { try? FileSystem.remove(path) } }
    var copies: [String: String] = [:]
    for name in stores {
      let copy = "\(part)-\(name)"
      temporaries += ["", "-journal", "-wal", "-shm"].map { copy + $0 }
      try StoreBackup.copy(store: folder.file(name), to: copy)
      copies[name] = copy
    }
    var summary = Summary(
      createdMilliseconds: nowMilliseconds, environment: "", release: release,
      notifications: try StoreBackup.count(
        "notification", ofStore: copies["notifications.sqlite"] ?? ""),
      devices: try StoreBackup.count("device", ofStore: copies["control.sqlite"] ?? ""),
      byteCount: 0)
    summary.environment = try StoreBackup.setting(
      ControlSetting.environment, ofStore: copies["control.sqlite"] ?? "")
    let writer = try TarWriter(part)
    let seconds = nowMilliseconds / 1_000
    var described = summary.json
    described["format"] = .integer(format)
    described["bytes"] = nil
    described["createdUnixMilliseconds"] = .integer(nowMilliseconds)
    try writer.add(
      description, Array((described.text + "\n").utf8), mode: 0o600, modifiedSeconds: seconds)
    for name in try FileSystem.list(folder.path) where isIncluded(name) {
      try writer.add(
        name, contentsOf: folder.file(name), mode: mode(of: name), modifiedSeconds: seconds)
    }
    for name in stores {
      try writer.add(
        name, contentsOf: copies[name] ?? "", mode: mode(of: name), modifiedSeconds: seconds)
    }
    try writer.finish()
    try FileSystem.move(part, to: file)
    summary.byteCount = FileSystem.byteCount(of: file) ?? 0
    assert(summary.byteCount > 0, "a backup has its description at least")
    return summary
  }

  private static func mode(of name: String) -> UInt32 {
    name.hasSuffix(".pem") && !name.contains("-key") || name == "manifest" ? 0o644 : 0o600
  }

  // MARK: Restoring

  /// The name of the file that a folder has while it is being restored: no gateway starts on half of one.
  static let unfinished = "restoring"
  /// The name of the file that tells the next start that the folder was restored.
  static let restored = "restored"

  /// Makes `folder`, which is empty or not there, a copy of the one in the backup.
  public static func restore(
    _ file: String, into folder: GatewayFolder, nowMilliseconds: Int64
  ) throws -> Summary {
    let (reader, summary) = try read(file)
    let lock = try emptyFolder(folder)
    defer { withExtendedLifetime(lock) {} }
    var written: [String] = []
    do {
      try folder.write(Array("\(file)\n".utf8), unfinished)
      written.append(unfinished)
      for entry in reader.entries where entry.name != description {
        written.append(entry.name)
        try reader.extract(
          entry.name, to: folder.file(entry.name), mode: mode(of: entry.name))
      }
      for name in stores {
        try StoreBackup.check(store: folder.file(name))
        for ending in ["-wal", "-shm"] { written.append(name + ending) }
      }
      var marker = summary.json
      marker["restoredAt"] = .string(Timestamp.rfc3339(unixMilliseconds: nowMilliseconds))
      try folder.write(Array((marker.text + "\n").utf8), restored)
      written.append(restored)
      try FileSystem.remove(folder.file(unfinished))
    } catch {
      for name in written { try? FileSystem.remove(folder.file(name)) }
      throw error
    }
    return summary
  }

  /// Reads a backup's headers and its description; throws where it is none, or not whole.
  private static func read(_ file: String) throws -> (TarReader, Summary) {
    guard FileSystem.exists(file) else {
      throw AdministrationFailure(.missing, "there is no file \(file)", do: "name a backup")
    }
    let damaged = AdministrationFailure(
      .broken, "\(file) is no backup of a gateway, or was cut", do: "take another copy of it")
    let reader: TarReader
    do { reader = try TarReader(file) } catch is TarReader.Failure { throw damaged }
    guard reader.entries.first?.name == description,
      let bytes = try reader.content(of: description, limit: 65_536),
      let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let number = object["format"]?.integerValue
    else { throw damaged }
    guard number <= format else {
      throw AdministrationFailure(
        .broken, "\(file) was made by a newer release (\(object["release"]?.stringValue ?? "?"))",
        do: "restore it with that one")
    }
    let names = reader.entries.dropFirst().map(\.name)
    guard names.allSatisfy({ isIncluded($0) || stores.contains($0) }),
      Set(names).count == names.count,
      FolderPart.allCases.flatMap(\.files).allSatisfy(names.contains)
    else { throw damaged }
    return (
      reader,
      Summary(
        createdMilliseconds: object["createdUnixMilliseconds"]?.integerValue ?? 0,
        environment: object["environment"]?.stringValue ?? "",
        release: object["release"]?.stringValue ?? "",
        notifications: Int(object["notifications"]?.integerValue ?? 0),
        devices: Int(object["devices"]?.integerValue ?? 0),
        byteCount: FileSystem.byteCount(of: file) ?? 0)
    )
  }

  /// What a gateway's start finds: a sentence about the backup that its folder was restored from; nil where it was not.
  ///
  /// It is said once.
  static func consumeNotice(in folder: GatewayFolder) throws(SystemFailure) -> String? {
    let marker = folder.file(restored)
    guard FileSystem.exists(marker) else { return nil }
    let object = (try? JSONValue(parsing: FileSystem.read(marker, limit: 65_536)))?.objectValue
    let (created, done) = (object?["createdAt"]?.stringValue, object?["restoredAt"]?.stringValue)
    try FileSystem.remove(marker)
    return "the folder was restored at \(done ?? "an unknown time") from a backup of "
      + "\(created ?? "an unknown time"): what was accepted, registered, enrolled, made or revoked in "
      + "between is not in it"
  }

  /// The lock of a folder that has no files.
  private static func emptyFolder(_ folder: GatewayFolder) throws -> DataFolder {
    let lock: DataFolder
    do throws(StorageFailure) {
      lock = try DataFolder(folder.path)
    } catch {
      guard case .busy = error else { throw error }
      throw AdministrationFailure(
        .conflict, "a gateway runs on \(folder.path), or a command",
        do: "stop it, move the folder away, then restore")
    }
    let files = try FileSystem.list(folder.path).filter { $0 != "lock" }
    guard files.isEmpty else {
      throw AdministrationFailure(
        .conflict,
        "\(folder.path) is not empty (\(files.prefix(3).joined(separator: ", "))\(files.count > 3 ? ", …" : ""))",
        do: "move it away, or name an empty folder with --data")
    }
    return lock
  }
}
