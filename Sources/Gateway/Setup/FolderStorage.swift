import PostgresStorage
public import System

/// The disk usage of a gateway's folder.
public struct FolderStorage: Sendable {
  /// The place of the stores.
  public enum Stores: Sendable {
    /// Files in the folder, with the sizes in bytes of the two stores, including their write-ahead logs.
    case folder(controlBytes: Int, notificationBytes: Int)
    /// A database with this URL.
    case database(url: String)
  }

  /// The path of the folder.
  public let path: String
  /// The place of the stores, with their sizes if they are files.
  public let stores: Stores
  /// The free space on the folder's disk; nil if it can't be determined.
  public let space: FileSystem.Space?

  /// Measures the folder's files.
  public init(_ folder: GatewayFolder) {
    func bytes(_ file: String) -> Int {
      ["", "-wal"].reduce(0) { $0 + (FileSystem.byteCount(of: file + $1) ?? 0) }
    }
    path = folder.path
    if let link = try? DatabaseLink(of: folder) {
      stores = .database(url: link.url)
    } else {
      stores = .folder(
        controlBytes: bytes(folder.controlStoreFile),
        notificationBytes: bytes(folder.notificationStoreFile))
    }
    space = FileSystem.space(at: folder.path)
  }
}
