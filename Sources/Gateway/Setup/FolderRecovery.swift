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
  /// Throws if recovery isn't allowed, or if a restore didn't finish.
  func checkFiles() throws {
    if FileSystem.exists(folder.file(FolderBackup.unfinished)) {
      throw GatewayFolder.Failure.halfRestored(folder: folder.path)
    }
    guard isComplete else { return }
    for part in parts {
      for name in part.files {
        switch FileSystem.byteCount(of: folder.file(name)) {
        case nil:
          try giveUp(part, file: name, why: "is missing, but the folder's other files exist")
        case 0: try giveUp(part, file: name, why: "is empty")
        default: continue
        }
        break
      }
    }
  }

  /// True if a previous start has created all files.
  ///
  /// The manifest proves this. A folder from an earlier release has no manifest; there, the files that a start wrote
  /// last prove it.
  var isComplete: Bool {
    if let manifest = try? FileSystem.readRegularFile(
      folder.file(Self.manifest), limit: Self.manifestBytesMax),
      !manifest.isEmpty
    {
      return true
    }
    return [folder.file("token-keys"), folder.descriptionFile].contains { FileSystem.exists($0) }
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
      try giveUp(part, file: part.files[0], why: why)
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

  private func giveUp(_ part: FolderPart, file: String, why: String) throws {
    guard isAllowed else {
      throw GatewayFolder.Failure.lost(file: folder.file(file), why: why, loss: part.loss)
    }
    let ending = ".given-up-\(SystemClock.unixMilliseconds / 1_000)"
    for name in part.allFiles where FileSystem.exists(folder.file(name)) {
      try FileSystem.move(folder.file(name), to: folder.file(name + ending))
    }
    notice("\(file) \(why); creating it again; lost: \(part.loss)")
  }

  // MARK: Stores

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
