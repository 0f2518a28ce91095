/// Tells when something appears at a path, of which the folders may be missing, too (inotify).
///
/// It watches the deepest folder that is there, and goes deeper as folders come.
public final class PathWatch {
  private let path: String
  private let loop: EventLoop
  private let body: () -> Void
  private var watch: FolderWatch?
  private var isClosed = false
  /// False where no folder above the path could be watched, the limits of inotify being reached.
  public var isWatching: Bool { watch != nil }

  /// Calls `body` on the loop whenever something was put at the path, or taken from there.
  ///
  /// What is there already is not told: look for it after this.
  ///
  /// - Parameters:
  ///   - path: Absolute.
  ///   - loop: Whose turn it is told in.
  ///   - body: What is called.
  public init(_ path: String, on loop: EventLoop, _ body: @escaping () -> Void) {
    self.path = path
    self.loop = loop
    self.body = body
    look()
  }

  /// Ends it; nothing is told any more.
  public func close() {
    isClosed = true
    watch?.close()
    watch = nil
  }

  /// Watches the deepest folder that is there.
  private func look() {
    var name = path
    // Folders may come while it looks; one that may not be watched stays out of reach.
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
    // Without names too much has changed, or the folder itself has gone.
    guard !isClosed, names.isEmpty || names.contains(awaited) else { return }
    if !isWhole || names.isEmpty { look() }
    if isWhole || FileSystem.exists(path) { body() }
  }

  private static func last(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }
}
