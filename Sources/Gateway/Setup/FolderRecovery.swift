import Storage
import System

/// Opens what a gateway's folder must hold, and finds out what it has lost.
///
/// The folder's `manifest` names its files once the first start has made them. From then on a file that is
/// missing, empty or damaged is an error, unless the operator gave `--recover`: then it is moved aside, made
/// anew, and what is given up is said.
final class FolderRecovery {
  private let folder: GatewayFolder
  private let isAllowed: Bool
  private let log: Log
  /// What a person should know of the folder, a sentence each.
  private(set) var notices: [String] = []

  /// The recovery of a folder whose lock is held; where it is not allowed, a loss is an error.
  init(of folder: GatewayFolder, isAllowed: Bool, log: Log) {
    self.folder = folder
    self.isAllowed = isAllowed
    self.log = log
  }

  /// Notes what a person should know, in the log too.
  func notice(_ text: String) {
    notices.append(text)
    log.warning("the folder has lost something", ["what": text])
  }

  // MARK: Files

  /// Finds files that the folder must hold and that are missing or empty.
  func checkFiles() throws {
    if FileSystem.exists(folder.file(FolderBackup.unfinished)) {
      throw GatewayFolder.Failure.halfRestored(folder: folder.path)
    }
    guard isComplete else { return }
    for part in FolderPart.allCases {
      for name in part.files {
        switch FileSystem.byteCount(of: folder.file(name)) {
        case nil:
          try giveUp(part, file: name, why: "is missing while the folder's other files are there")
        case 0: try giveUp(part, file: name, why: "is empty")
        default: continue
        }
        break
      }
    }
  }

  /// Whether a start has made all files: the manifest says so, or, in a former release's folder, what was
  /// written last.
  private var isComplete: Bool {
    if let manifest = try? FileSystem.readRegularFile(
      folder.file(Self.manifest), limit: Self.manifestBytesMax),
      !manifest.isEmpty
    {
      return true
    }
    return [folder.file("token-keys"), folder.descriptionFile].contains { FileSystem.exists($0) }
  }

  /// Writes into the folder what it holds, once that is on disk.
  func writeManifest() throws {
    let names = FolderPart.allCases.flatMap(\.files)
    let text =
      "# What this folder must hold. A gateway does not start without one of these files, unless it is\n"
      + "# given --recover, which makes the file anew and says what is lost with the old one.\n"
      + names.map { $0 + "\n" }.joined()
    let bytes = Array(text.utf8)
    let kept = try? FileSystem.readRegularFile(
      folder.file(Self.manifest), limit: Self.manifestBytesMax)
    if kept != bytes { try folder.write(bytes, Self.manifest, mode: 0o644) }
  }

  private static let manifest = "manifest"
  /// Bytes of a manifest: it has a few lines.
  private static let manifestBytesMax = 65_536

  // MARK: Parts

  /// Opens or makes a part with `body`; one that is damaged is given up, where that is allowed.
  func open<Value>(_ part: FolderPart, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      guard let why = Self.damage(error) else { throw error }
      try giveUp(part, file: part.files[0], why: why)
      return try body()
    }
  }

  /// What is wrong with a part; nil where it is not the part that is.
  private static func damage(_ error: any Error) -> String? {
    switch error {
    case StorageFailure.corrupt(_, let detail): "is damaged (\(detail))"
    case StorageFailure.foreign: "is not this store's file, or its beginning is damaged"
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
    notice("\(file) \(why); it is made anew, and given up is \(part.loss)")
  }

  // MARK: Stores

  /// Notes what the check of a store's file found.
  func note(_ inspection: StoreInspection, of file: String) {
    switch inspection {
    case .whole: return
    case .unfinished:
      log.info("a store is too large to be checked in the time for it", ["file": file])
    case .setAside(let rows, let indexes):
      // Rows that were set aside stay in the store, and are reported until they are given up.
      guard rows == 0 else { return }
      log.warning(
        "indexes of a store disagreed with their tables, and were made again",
        ["file": file, "indexes": "\(indexes)"])
    case .repaired(let repair):
      let lost = repair.rowsLost.map { "\($0)" } ?? "an unknown number of"
      notice(
        "\(file) was damaged (\(repair.damage)): \(repair.rowsKept) rows are served, \(lost) rows "
          + "could not be read and are set aside in \(repair.asideFile)")
    }
  }

  /// Notes how many writes a store has lost.
  func note(lost count: UInt64, what: String, of file: String) {
    guard count > 0 else { return }
    notice(
      "\(file) lacks the last \(count) \(what) that it had: \(file)-wal is gone or cut, or an older copy "
        + "of the store is in its place")
  }
}
