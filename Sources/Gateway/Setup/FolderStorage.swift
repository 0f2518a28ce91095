public import System

/// What a gateway's folder takes of its disk.
public struct FolderStorage: Sendable {
  /// The folder.
  public let path: String
  /// Bytes of the control store, its write-ahead file included.
  public let controlBytes: Int
  /// Bytes of the notifications' store, its write-ahead file included.
  public let notificationBytes: Int
  /// The room on the folder's disk; nil where it cannot be told.
  public let space: FileSystem.Space?

  /// Looks at the folder's files.
  public init(_ folder: GatewayFolder) {
    func bytes(_ file: String) -> Int {
      ["", "-wal"].reduce(0) { $0 + (FileSystem.byteCount(of: file + $1) ?? 0) }
    }
    path = folder.path
    controlBytes = bytes(folder.controlStoreFile)
    notificationBytes = bytes(folder.notificationStoreFile)
    space = FileSystem.space(at: folder.path)
  }
}
