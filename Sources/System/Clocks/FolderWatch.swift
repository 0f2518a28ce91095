/// A watch that reports which files in a folder are written, added, or removed (inotify).
///
/// All watches on a loop share a single descriptor.
public final class FolderWatch {
  /// Retained on behalf of the hub, which has an unowned reference to the loop.
  private let loop: EventLoop
  private let hub: FolderWatchHub
  private let body: (Set<String>) -> Void
  private var watches: [Int32] = []
  private var names: Set<String> = []
  private var hasUnknownChanges = false

  /// Calls `body` on the loop with the names that have changed.
  ///
  /// An empty set means that the kernel dropped changes, or that the folder itself was removed and is no longer
  /// watched.
  ///
  /// - Parameters:
  ///   - folder: An existing folder. Its subfolders are not watched.
  ///   - loop: The loop that calls `body`.
  ///   - body: The handler for changes.
  /// - Throws: An error if the folder does not exist or the limit on watches is reached.
  public convenience init(
    _ folder: String, on loop: EventLoop, _ body: @escaping (Set<String>) -> Void
  ) throws(SystemFailure) {
    try self.init([folder], on: loop, body)
  }

  /// Watches several folders as a single watch.
  ///
  /// The reported names are relative to each folder.
  ///
  /// - Parameters:
  ///   - folders: The folders; the first must exist, and any others that do not exist are skipped.
  ///   - loop: The loop that calls `body`.
  ///   - body: The handler for changes.
  /// - Throws: An error if the first path is not a folder or the limit on watches is reached.
  public init(
    _ folders: [String], on loop: EventLoop, _ body: @escaping (Set<String>) -> Void
  ) throws(SystemFailure) {
    self.loop = loop
    hub = loop.shared(FolderWatchHub.self) { FolderWatchHub(loop) }
    self.body = body
    for (index, folder) in folders.enumerated() {
      do throws(SystemFailure) {
        watches.append(try hub.add(folder, self))
      } catch {
        guard index > 0 else { throw error }
      }
    }
  }

  /// Stops watching; `body` is not called again.
  public func close() {
    let ended = watches
    watches = []
    for watch in ended { hub.remove(watch, ObjectIdentifier(self)) }
  }

  /// Records the name of a changed file; nil means that the changes are unknown.
  func record(_ name: String?) {
    if let name { names.insert(name) } else { hasUnknownChanges = true }
  }

  /// Calls `body` with the recorded names.
  func deliver() {
    let changed = hasUnknownChanges ? [] : names
    names = []
    hasUnknownChanges = false
    if !watches.isEmpty { body(changed) }
  }

  deinit { close() }
}
