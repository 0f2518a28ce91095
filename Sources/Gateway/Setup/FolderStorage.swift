public import System

/// The disk usage of a gateway's folder.
public struct FolderStorage: Sendable {
  /// The path of the folder.
  public let path: String
  /// The size of the control store, including its write-ahead log, in bytes.
  public let controlBytes: Int
  /// The size of the notification store, including its write-ahead log, in bytes.
  public let notificationBytes: Int
  /// The free space on the folder's disk; nil if it can't be determined.
  public let space: FileSystem.Space?

  /// Measures the folder's files.
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
