import PostgresStorage
import Storage
import System

/// The startup step that opens the essential parts of a gateway's folder and detects losses.
///
/// The first start creates the folder's files and then lists them in the folder's `manifest`. At later starts, a
/// missing, empty, or damaged file is an error. If the operator specifies `--recover`, the gateway instead moves the
/// file aside, creates it again, and reports the loss.
final class FolderRecovery {
  private let folder: GatewayFolder
  private let parts: [FolderPart]
  private let isAllowed: Bool
  private let log: Log
  /// Notices for the operator about the folder, one sentence each.
  private(set) var notices: [String] = []

  /// Creates the recovery of a folder whose lock is held.
  ///
  /// If recovery isn't allowed, every loss is an error.
  init(of folder: GatewayFolder, storesIn location: StoreLocation, isAllowed: Bool, log: Log) {
    self.folder = folder
    parts = FolderPart.parts(storesIn: location)
    self.isAllowed = isAllowed
    self.log = log
  }

  /// Adds a notice for the operator and logs it.
  func notice(_ text: String) {
    notices.append(text)
    log.warning("a file of the data folder is missing or damaged", ["what": text])
  }

  // MARK: Files

  /// Finds required files that are missing or empty, and gives up the parts that they belong to.
  ///
  /// Throws if recovery isn't allowed, with all of these files, or if a restore didn't finish.
  func checkFiles() throws {
    if FileSystem.exists(folder.file(FolderBackup.unfinished)) {
      throw GatewayFolder.Failure.halfRestored(folder: folder.path)
    }
    let lost = folder.lostFiles(of: parts)
    guard isAllowed || lost.isEmpty else {
      throw GatewayFolder.Failure.lost(lost, folder: folder)
    }
    for part in parts {
      if let file = lost.first(where: { $0.part == part }) { try giveUp(file) }
    }
  }

  /// Writes the list of required files to the folder, once those files are on disk.
  func writeManifest() throws {
    let names = parts.flatMap(\.files)
    let text =
      "# The files that this folder must contain. If one of them is missing, a gateway starts only with\n"
      + "# --recover, which creates the file again and reports what is lost.\n"
      + names.map { $0 + "\n" }.joined()
    let bytes = Array(text.utf8)
    let kept = try? FileSystem.readRegularFile(
      folder.file(Self.manifest), limit: Self.manifestBytesMax)
    if kept != bytes { try folder.write(bytes, Self.manifest, mode: 0o644) }
  }

  static let manifest = "manifest"
  /// The maximum size of a manifest, in bytes; a real one consists of a few lines.
  static let manifestBytesMax = 65_536

  // MARK: Parts

  /// Opens or creates a part with `body`.
  ///
  /// If the part is damaged and recovery is allowed, this method moves the part aside and creates it again.
  func open<Value>(_ part: FolderPart, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      guard let why = Self.damage(error) else { throw error }
      try giveUp(LostFile(name: part.files[0], why: why, part: part))
      return try body()
    }
  }

  /// Returns a description of the damage to a part; nil if the error has another cause.
  private static func damage(_ error: any Error) -> String? {
    switch error {
    case StorageFailure.corrupt(_, let detail): "is damaged (\(detail))"
    case StorageFailure.foreign: "does not belong to this store, or its beginning is damaged"
    case GatewayFolder.Failure.crypto(_, let failure): "cannot be used (\(failure))"
    case GatewayFolder.Failure.damaged(_, let what): what
    default: nil
    }
  }

  /// Moves the files of a lost file's part aside, and reports the loss.
  private func giveUp(_ file: LostFile) throws {
    guard isAllowed else { throw GatewayFolder.Failure.lost([file], folder: folder) }
    assert(parts.contains(file.part), "only parts of this folder are given up")
    let ending = ".given-up-\(SystemClock.unixMilliseconds / 1_000)"
    for name in file.part.allFiles where FileSystem.exists(folder.file(name)) {
      try FileSystem.move(folder.file(name), to: folder.file(name + ending))
    }
    notice("\(file.name) \(file.why); creating it again; lost: \(file.part.loss)")
  }

  // MARK: Stores

  /// Reports, before the conversion of a notification store from an earlier release, the disk space that it needs.
  func noteConversion() throws {
    guard let space = try NotificationConversion.space(path: folder.notificationStoreFile) else {
      return
    }
    let free = space.freeBytes.map { "\($0 >> 20)" } ?? "unknown"
    log.info(
      "converting notifications.sqlite to the current format; the old file is kept",
      [
        "schema": "\(space.version)", "neededMegabytes": "\(space.neededBytes >> 20)",
        "freeMegabytes": free,
      ])
  }

  /// Reports the result of checking a store's file.
  func note(_ inspection: StoreInspection, of file: String) {
    switch inspection {
    case .whole: return
    case .unfinished:
      log.info("a store is too large to be checked within the time limit", ["file": file])
    case .setAside(let rows, let indexes):
      // The rows remain in the store and are reported elsewhere until they are deleted.
      guard rows == 0 else { return }
      log.warning(
        "indexes of a store did not match their tables and were rebuilt",
        ["file": file, "indexes": "\(indexes)"])
    case .repaired(let repair):
      let lost = repair.rowsLost.map { "\($0)" } ?? "unknown"
      notice(
        "\(file) was damaged (\(repair.damage)): rows that are still used: \(repair.rowsKept), rows that "
          + "could not be read and were set aside in \(repair.asideFile): \(lost)")
    }
  }

  /// Reports the number of writes that a store has lost; `one` and `many` name them in the singular and the plural.
  func note(lost count: UInt64, _ one: String, _ many: String, of file: String) {
    guard count > 0 else { return }
    let lost = count == 1 ? one : "\(count) \(many)"
    notice(
      "\(file) lost its last \(lost): \(file)-wal is missing or truncated, or the store was replaced "
        + "with an older copy")
  }
}
