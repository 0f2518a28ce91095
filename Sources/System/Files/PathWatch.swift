/// A watch that reports when a file or folder appears at a path whose parent folders can be missing (inotify).
///
/// The watch is on the deepest existing folder, and moves deeper as folders are created.
public final class PathWatch {
  private let path: String
  private let loop: EventLoop
  private let body: () -> Void
  private var watch: FolderWatch?
  private var isClosed = false
  /// True if a folder above the path is watched; false if the limits of inotify prevent this.
  public var isWatching: Bool { watch != nil }

  /// Calls `body` on the loop whenever the path is created, replaced, or removed.
  ///
  /// A file that already exists is not reported; check for it after this call.
  ///
  /// - Parameters:
  ///   - path: An absolute path.
  ///   - loop: The loop that calls `body`.
  ///   - body: The handler for changes.
  public init(_ path: String, on loop: EventLoop, _ body: @escaping () -> Void) {
    self.path = path
    self.loop = loop
    self.body = body
    watchDeepestFolder()
  }

  /// Stops watching; `body` is not called again.
  public func close() {
    isClosed = true
    watch?.close()
    watch = nil
  }

  /// Watches the deepest existing folder.
  private func watchDeepestFolder() {
    var name = path
    // Folders can be created in the meantime; a folder that cannot be watched is skipped.
    for _ in 0..<Limits.pathSteps where name != "/" && name != "." {
      let folder = FileSystem.parent(of: name)
      let awaited = Self.last(name)
      let isWhole = name == path
      watch?.close()
      watch = try? FolderWatch(folder, on: loop) { [weak self] names in
        self?.changed(names, awaited, isWhole: isWhole)
      }
      guard watch != nil else {
        name = folder
        continue
      }
      guard !isWhole, FileSystem.isDirectory(name) else { return }
      name = path
    }
  }

  private func changed(_ names: Set<String>, _ awaited: String, isWhole: Bool) {
    // An empty set means that the changes are unknown, or that the folder itself was removed.
    guard !isClosed, names.isEmpty || names.contains(awaited) else { return }
    if !isWhole || names.isEmpty { watchDeepestFolder() }
    if isWhole || FileSystem.exists(path) { body() }
  }

  private static func last(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }
}
