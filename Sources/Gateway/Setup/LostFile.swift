import PostgresStorage
import System

/// A required file of a gateway's folder that is missing, empty or damaged.
public struct LostFile: Sendable {
  /// The name of the file in the folder.
  public let name: String
  /// The problem as a predicate, such as "is empty".
  public let why: String
  let part: FolderPart
}

extension [LostFile] {
  /// Returns the problem with each file in `folder`; the files have their paths.
  func problem(in folder: GatewayFolder) -> String {
    map { "\(folder.file($0.name)) \($0.why)" }.joined(separator: ", ")
  }

  /// The problem with each file; the files have their names.
  public var problem: String { map { "\($0.name) \($0.why)" }.joined(separator: ", ") }

  /// The ways to start the gateway again, with the data that is lost without these files.
  public var remedy: String {
    let losses = FolderPart.allCases.filter { part in contains { $0.part == part } }.map(\.loss)
    return
      "restore \(count == 1 ? "it" : "them") from a backup, or start the gateway with --recover, which discards "
      + losses.joined(separator: "; ")
  }
}

extension GatewayFolder {
  /// The required files that are missing or empty; the gateway does not start without them.
  ///
  /// The list is empty if no start of a gateway has created the files yet.
  public var lostFiles: [LostFile] { lostFiles(of: requiredParts) }

  /// The names of the required files that are not empty, but that this user cannot read.
  public var unreadableFiles: [String] {
    requiredParts.flatMap(\.files).filter { name in
      (FileSystem.byteCount(of: file(name)) ?? 0) > 0
        && (try? FileSystem.beginning(ofRegularFile: file(name), count: 1)) == nil
    }
  }

  /// The paths of the folder, and of the stores that are files in it, to which this user cannot write.
  public var unwritablePaths: [String] {
    let stores = [controlStoreFile, notificationStoreFile].filter { FileSystem.exists($0) }
    return ([path] + stores).filter { !FileSystem.isWritable($0) }
  }

  private var requiredParts: [FolderPart] {
    let hasLink = FileSystem.exists(file(DatabaseLink.file))
    return FolderPart.parts(isOfDatabase: hasLink || isOfDatabase)
  }

  /// Returns the files of these parts that are missing or empty; empty if no start has created all files yet.
  func lostFiles(of parts: [FolderPart]) -> [LostFile] {
    assert(!parts.isEmpty, "a folder has required parts")
    guard isComplete else { return [] }
    return parts.flatMap { part in
      part.files.compactMap { name -> LostFile? in
        switch FileSystem.byteCount(of: file(name)) {
        case nil: return LostFile(name: name, why: "is missing", part: part)
        case 0: return LostFile(name: name, why: "is empty", part: part)
        default: return nil
        }
      }
    }
  }

  /// True if a previous start has created all files.
  ///
  /// The manifest proves this. A folder from an earlier release has no manifest; there, the files that a start wrote
  /// last prove it.
  var isComplete: Bool {
    if let manifest = try? FileSystem.readRegularFile(
      file(FolderRecovery.manifest), limit: FolderRecovery.manifestBytesMax),
      !manifest.isEmpty
    {
      return true
    }
    return [file("token-keys"), descriptionFile].contains { FileSystem.exists($0) }
  }
}
