/// Tells when something changes in a folder or in those below it (inotify).
///
/// The folder may be missing, or replaced as a whole.
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
  ///   - loop: Whose turn it is told in.
  ///   - body: What is called.
  public init(_ root: String, on loop: EventLoop, _ body: @escaping () -> Void) {
    self.root = root
    self.loop = loop
    self.body = body
    place = PathWatch(root, on: loop) { [weak self] in self?.changed() }
    refresh()
  }

  /// Takes in folders that have come since; to be called when changes are over.
  public func refresh() {
    guard !isClosed else { return }
    watch?.close()
    watch = try? FolderWatch(folders, on: loop) { [weak self] _ in self?.changed() }
  }

  /// Ends it; nothing is told any more.
  public func close() {
    isClosed = true
    place?.close()
    watch?.close()
  }

  private func changed() {
    guard !isClosed else { return }
    // What watched a folder that has gone sees no more of the one in its place.
    if watch == nil { refresh() }
    body()
  }

  /// The folder and those below it, the nearer first; links to folders lead out of it.
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
    return folders
  }
}
