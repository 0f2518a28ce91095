public import BelfryWire
internal import PostgresStorage
internal import Storage
internal import System
internal import Transport

/// A copy of a gateway's folder in one file: a tar archive with mode 0600, which any `tar` can read.
///
/// Its first file, `belfry-backup.json`, records when and from which gateway it was created. Its last file,
/// `SHA256SUMS`, contains the hashes of the other files in the format of `sha256sum --check`. The backup omits the
/// delivery log, which isn't guaranteed to be complete and is written at each turn.
public enum FolderBackup {
  /// The contents of a backup.
  public struct Summary: Sendable {
    /// The time at which the backup was created, in milliseconds since 1970.
    public var createdMilliseconds: Int64
    /// The environment of the gateway.
    public var environment: String
    /// The release that created the backup.
    public var release: String
    /// The number of undelivered notifications.
    public var notifications: Int
    /// The number of devices, including revoked ones.
    public var devices: Int
    /// The size of the file, in bytes.
    public var byteCount: Int
    /// True if the file contains hashes of its contents; backups from earlier releases don't contain hashes.
    public var hasSums = true

    /// The backup as the JSON object that a command prints.
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
  private static let sumsFile = "SHA256SUMS"
  private static let format: Int64 = 2
  /// The format of earlier releases, which wrote no hashes.
  private static let formatWithoutSums: Int64 = 1

  /// Returns true if a backup contains an unchanged copy of this file.
  ///
  /// Restoring accepts every backup, including those with the key of the upstreams.
  private static func isIncluded(_ name: String, withUpstreamKeys: Bool = true) -> Bool {
    if name == UpstreamSealer.file { return withUpstreamKeys }
    if name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") {
      let keyID = name.dropFirst(8).dropLast(3).utf8
      return keyID.count == 10
        && keyID.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }
    if name.hasPrefix("server-added-") {
      // If a name does not fit into an archive, the next start creates the certificate again.
      return (name.hasSuffix(".pem") || name.hasSuffix("-names"))
        && name.utf8.count <= TarEntry.nameBytesMax && name.utf8.allSatisfy(isOfHostName)
    }
    // Earlier releases wrote `server-added.pem`.
    return [
      "manifest", "ca.pem", "ca-first.pem", "ca-key.pem", "server.pem", "server-key.pem",
      "server-names", "server-added.pem", "token-keys", "admin-token",
    ].contains(name)
  }

  /// Returns true for the bytes of host names, and for `_`, which replaces `*` in file names.
  private static func isOfHostName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The stores, in the order in which they are copied.
  ///
  /// The control store is copied last, so that it contains everything that the copied notifications refer to.
  private static let storeKinds: [(name: String, kind: StoreBackup.Store)] = [
    ("notifications.sqlite", .notifications), ("control.sqlite", .control),
  ]
  private static let stores = storeKinds.map(\.name)

  /// The files that every gateway folder must contain, and that must not be empty.
  private static let required = ["manifest"] + FolderPart.parts(storesIn: .folder).flatMap(\.files)

  // MARK: Backing up

  /// A function that runs a closure; if the process runs as root, the closure runs with the privileges of the folder's
  /// owner.
  ///
  /// The backup file itself is opened before and named after the closure, with root's privileges.
  public typealias AsOwner = (() throws -> Void) throws -> Void

  /// Writes a backup of the gateway in `folder` to `file`.
  ///
  /// Without `withUpstreamKeys`, the file does not contain the key that encrypts the publishers' keys, so the restored
  /// gateway cannot relay pushes until its upstreams are added again.
  /// The gateway can keep running during the backup. The file gets its name only when it is complete and on disk, and
  /// then replaces any file of the same name. If the process is killed, no incomplete file remains.
  public static func make(
    of folder: GatewayFolder, to file: String, release: String, nowMilliseconds: Int64,
    withUpstreamKeys: Bool = false, asOwner: AsOwner = { try $0() }
  ) throws -> Summary {
    let file = FileSystem.absolute(file)
    try asOwner { try check(folder, isApartFrom: file) }
    try UnnamedFile.removeAbandoned(for: file)
    let archive = try UnnamedFile(for: file)
    let copies = try storeKinds.map { (name: $0.name, copy: try StoreCopy(beside: file)) }
    var summary = Summary(
      createdMilliseconds: nowMilliseconds, environment: "", release: release, notifications: 0,
      devices: 0, byteCount: 0)
    try asOwner {
      try write(
        folder, copies, into: archive.content, withUpstreamKeys: withUpstreamKeys, &summary)
    }
    try archive.publish()
    summary.byteCount = FileSystem.byteCount(of: file) ?? 0
    assert(summary.byteCount > 0, "a backup is not empty")
    return summary
  }

  /// Throws if a backup of the folder couldn't be restored, or if `file` would be one of the gateway's files.
  private static func check(_ folder: GatewayFolder, isApartFrom file: String) throws {
    try folder.requireGateway()
    if case .database(let address) = try folder.storeLocation() {
      throw AdministrationFailure(
        .conflict, "the gateway's data is in the database \(address)",
        do: "back up the database with 'pg_dump', and then the folder \(folder.path)")
    }
    if let name = required.first(where: { (FileSystem.byteCount(of: folder.file($0)) ?? 0) == 0 }) {
      throw AdministrationFailure(
        .broken,
        "\(folder.file(name)) is missing or empty, and a backup without it could not be restored",
        do: "start the gateway once, and check its log")
    }
    guard !FileSystem.isSameFile(FileSystem.parent(of: file), folder.path) else {
      throw AdministrationFailure(
        .invalid, "\(file) is inside the gateway's data folder", do: "choose another folder")
    }
    try checkKeys(of: folder)
  }

  private static func write(
    _ folder: GatewayFolder, _ copies: [(name: String, copy: StoreCopy)],
    into file: RandomAccessFile, withUpstreamKeys: Bool, _ summary: inout Summary
  ) throws {
    for (name, copy) in copies {
      let path = folder.file(name)
      if name == "control.sqlite" {
        (summary.devices, summary.environment) = try copy.fill(
          from: path, counting: "device", setting: ControlSetting.environment)
      } else {
        summary.notifications = try copy.fill(from: path, counting: "notification").count
      }
    }
    assert(copies.count == stores.count, "a backup contains every store")
    let writer = TarWriter(file)
    let seconds = summary.createdMilliseconds / 1_000
    var described = summary.json
    described["format"] = .integer(format)
    described["bytes"] = nil
    described["createdUnixMilliseconds"] = .integer(summary.createdMilliseconds)
    try writer.add(
      description, Array((described.text + "\n").utf8), mode: 0o600, modifiedSeconds: seconds)
    for name in try FileSystem.list(folder.path)
    where isIncluded(name, withUpstreamKeys: withUpstreamKeys) {
      try writer.add(
        name, contentsOf: folder.file(name), mode: mode(of: name), modifiedSeconds: seconds)
    }
    for (name, copy) in copies {
      try writer.add(
        name, contentsOf: copy.file, mode: mode(of: name), modifiedSeconds: seconds)
    }
    let sums = writer.sums.map { "\(Hexadecimal.encode($0.sum.bytes))  \($0.name)\n" }
    try writer.add(
      sumsFile, Array(sums.joined().utf8), mode: 0o600, modifiedSeconds: seconds)
    try writer.finish()
  }

  /// Throws if the folder's keys are unusable, because a gateway couldn't start with them.
  private static func checkKeys(of folder: GatewayFolder) throws {
    do throws(GatewayFolder.Failure) {
      _ = try folder.presentAuthorities()
      _ = try folder.tokenKeys()
    } catch {
      throw AdministrationFailure(
        .broken, "\(error)", do: "nothing was copied, because a gateway would not start with it")
    }
  }

  private static func mode(of name: String) -> UInt32 {
    name.hasSuffix(".pem") && !name.hasSuffix("-key.pem") || name == "manifest" ? 0o644 : 0o600
  }

  // MARK: Restoring

  /// The name of the file that exists in a folder during a restore, so that no gateway starts on a half-restored
  /// folder.
  static let unfinished = "restoring"
  /// The name of the file that indicates to the next start that the folder was restored.
  static let restored = "restored"

  /// Restores the backup to `folder`, which must be empty or not exist.
  ///
  /// The method calls `didOpen` once the backup is open, before it changes the folder.
  public static func restore(
    _ file: String, into folder: GatewayFolder, nowMilliseconds: Int64,
    didOpen: () throws -> Void = {}
  ) throws -> Summary {
    let (reader, summary, sums) = try read(file)
    try didOpen()
    let lock = try emptyFolder(folder)
    defer { withExtendedLifetime(lock) {} }
    var written: [String] = []
    do {
      try folder.write(Array("\(file)\n".utf8), unfinished)
      written.append(unfinished)
      for entry in reader.entries where ![description, sumsFile].contains(entry.name) {
        written.append(entry.name)
        let sum = try reader.extract(
          entry.name, to: folder.file(entry.name), mode: mode(of: entry.name))
        guard sums.map({ $0[entry.name] == sum }) ?? true else {
          throw AdministrationFailure(
            .broken, "\(entry.name) in \(file) does not match its checksum",
            do: "use another copy")
        }
      }
      for (name, kind) in storeKinds {
        for ending in ["-wal", "-shm"] { written.append(name + ending) }
        try StoreBackup.check(kind, at: folder.file(name))
      }
      try checkKeys(of: folder)
      var marker = summary.json
      marker["restoredAt"] = .string(Timestamp.rfc3339(unixMilliseconds: nowMilliseconds))
      try folder.write(Array((marker.text + "\n").utf8), restored)
      written.append(restored)
      try FileSystem.remove(folder.file(unfinished))
    } catch {
      for name in written { try? FileSystem.remove(folder.file(name)) }
      // Write the marker again, because removing the files has freed space; the marker prevents a gateway from starting
      // from scratch in the folder.
      try? folder.write(Array("\(file)\n".utf8), unfinished)
      throw error
    }
    return summary
  }

  /// Reads a backup's headers, its description, and its hashes (nil for a backup of an earlier release).
  ///
  /// Throws if the file isn't a backup or is incomplete.
  private static func read(
    _ file: String
  ) throws -> (TarReader, Summary, [String: SHA256.Digest]?) {
    guard FileSystem.exists(file) else {
      throw AdministrationFailure(.missing, "no such file: \(file)", do: "specify a backup file")
    }
    let damaged = AdministrationFailure(
      .broken, "\(file) is not a gateway's backup, or is truncated", do: "use another copy")
    let reader: TarReader
    do { reader = try TarReader(file) } catch is TarReader.Failure { throw damaged }
    guard reader.entries.first?.name == description,
      let bytes = try reader.content(of: description, limit: 65_536),
      let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let number = object["format"]?.integerValue
    else { throw damaged }
    guard number <= format else {
      throw AdministrationFailure(
        .broken,
        "\(file) was created by a newer release (\(object["release"]?.stringValue ?? "?"))",
        do: "restore it with that release")
    }
    var sums: [String: SHA256.Digest]?
    var entries = reader.entries[...]
    if number != formatWithoutSums {
      sums = try Self.sums(in: reader, of: entries.dropLast().map(\.name))
      guard let sums, sums[description] == SHA256.hash(bytes) else { throw damaged }
      entries = entries.dropLast()
    }
    let sizes = entries.dropFirst().map { ($0.name, $0.byteCount) }
    guard sizes.allSatisfy({ isIncluded($0.0) || stores.contains($0.0) }),
      Set(sizes.map(\.0)).count == sizes.count,
      required.allSatisfy({ name in sizes.contains { $0.0 == name && $0.1 > 0 } })
    else { throw damaged }
    return (
      reader,
      Summary(
        createdMilliseconds: object["createdUnixMilliseconds"]?.integerValue ?? 0,
        environment: object["environment"]?.stringValue ?? "",
        release: object["release"]?.stringValue ?? "",
        notifications: Int(object["notifications"]?.integerValue ?? 0),
        devices: Int(object["devices"]?.integerValue ?? 0),
        byteCount: FileSystem.byteCount(of: file) ?? 0, hasSums: number != formatWithoutSums),
      sums
    )
  }

  /// Returns the hashes of the files that the backup contains; nil if the hashes don't match `names` exactly.
  private static func sums(
    in reader: TarReader, of names: [String]
  ) throws -> [String: SHA256.Digest]? {
    guard reader.entries.last?.name == sumsFile,
      let bytes = try reader.content(of: sumsFile, limit: sumsBytesMax)
    else { return nil }
    var sums: [String: SHA256.Digest] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      guard let sum = Hexadecimal.decode(String(line.prefix(64))).flatMap({ SHA256.Digest($0) }),
        line.dropFirst(64).prefix(2) == "  ",
        sums.updateValue(sum, forKey: String(line.dropFirst(66))) == nil
      else { return nil }
    }
    return Set(sums.keys) == Set(names) ? sums : nil
  }

  /// The maximum size of the hashes, in bytes: about 100 per file, and a gateway has only a few files.
  private static let sumsBytesMax = 1_048_576

  /// Locks a folder and throws if it contains files.
  private static func emptyFolder(_ folder: GatewayFolder) throws -> DataFolder {
    let lock: DataFolder
    do throws(StorageFailure) {
      lock = try DataFolder(folder.path)
    } catch {
      guard case .busy = error else { throw error }
      throw AdministrationFailure(
        .conflict, "\(folder.path) is in use by a gateway or another command",
        do: "stop that process, move the folder away, and run 'belfry restore' again")
    }
    // A failed restore leaves only its marker.
    let files = try FileSystem.list(folder.path).filter { !["lock", unfinished].contains($0) }
    guard files.isEmpty else {
      throw AdministrationFailure(
        .conflict,
        "\(folder.path) is not empty (\(files.prefix(3).joined(separator: ", "))\(files.count > 3 ? ", …" : ""))",
        do: "move the folder away, or choose an empty one with --data")
    }
    return lock
  }
}
