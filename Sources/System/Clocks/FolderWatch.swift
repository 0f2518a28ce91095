/// Tells when files of a folder are written, put in or taken out (inotify).
///
/// All watches of a loop share one descriptor.
public final class FolderWatch {
  /// The hub needs it as long as there is a watch.
  private let loop: EventLoop
  private let hub: FolderWatchHub
  private let body: (Set<String>) -> Void
  private var watches: [Int32] = []
  private var names: Set<String> = []
  private var isUnclear = false

  /// Calls `body` on the loop with the names that have changed; an empty set means that too much
  /// has changed to name it, or that the folder itself has gone and is watched no more.
  ///
  /// - Parameters:
  ///   - folder: A folder that exists. What lies deeper is not watched.
  ///   - loop: Whose turn it is told in.
  ///   - body: What is called.
  /// - Throws: When there is no such folder, or no more can be watched.
  public convenience init(
    _ folder: String, on loop: EventLoop, _ body: @escaping (Set<String>) -> Void
  ) throws(SystemFailure) {
    try self.init([folder], on: loop, body)
  }

  /// Watches several folders as one; names are those within each.
  ///
  /// - Parameters:
  ///   - folders: The first must exist, others are passed over when they do not.
  ///   - loop: Whose turn it is told in.
  ///   - body: What is called.
  /// - Throws: When the first is no folder, or no more can be watched.
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

  /// Ends it; nothing is told any more.
  public func close() {
    let ended = watches
    watches = []
    for watch in ended { hub.remove(watch, ObjectIdentifier(self)) }
  }

  /// Something of this name has changed; nil is too much to say.
  func note(_ name: String?) {
    if let name { names.insert(name) } else { isUnclear = true }
  }

  /// Tells what was noted.
  func tell() {
    let changed = isUnclear ? [] : names
    names = []
    isUnclear = false
    if !watches.isEmpty { body(changed) }
  }

  deinit { close() }
}
