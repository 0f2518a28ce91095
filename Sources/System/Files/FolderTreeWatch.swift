/// A watch that reports changes in a folder and its subfolders (inotify).
///
/// The folder can be missing, and can be replaced as a whole.
public final class FolderTreeWatch {
  private let root: String
  private let loop: EventLoop
  private let body: () -> Void
  private var place: PathWatch?
  private var watch: FolderWatch?
  private var isClosed = false

  /// Calls `body` on the loop after each change.
  ///
  /// - Parameters:
  ///   - root: The folder's absolute path.
  ///   - loop: The loop that calls `body`.
  ///   - body: The handler for changes.
  public init(_ root: String, on loop: EventLoop, _ body: @escaping () -> Void) {
    self.root = root
    self.loop = loop
    self.body = body
    place = PathWatch(root, on: loop) { [weak self] in self?.changed() }
    refresh()
  }

  /// Starts watching folders that were created since the last call.
  ///
  /// Call this method after each change.
  public func refresh() {
    guard !isClosed else { return }
    watch?.close()
    watch = try? FolderWatch(folders, on: loop) { [weak self] _ in self?.changed() }
  }

  /// Stops watching; `body` is not called again.
  public func close() {
    isClosed = true
    place?.close()
    watch?.close()
  }

  private func changed() {
    guard !isClosed else { return }
    // A watch on a removed folder does not report changes to the folder that replaces it.
    if watch == nil { refresh() }
    body()
  }

  /// The folder and its subfolders, in order of depth.
  ///
  /// Links to folders are not followed, because they can lead out of the tree.
  private var folders: [String] {
    var folders = [root]
    var next = 0
    while next < folders.count, folders.count < Limits.foldersWatched {
      let folder = folders[next]
      next += 1
      for name in ((try? FileSystem.list(folder)) ?? []).sorted() {
        let path = "\(folder)/\(name)"
        if FileSystem.isDirectory(path), !FileSystem.isLink(path) { folders.append(path) }
      }
    }
    assert(folders.count <= Limits.foldersWatched, "the number of folders is within its limit")
    return folders
  }
}
