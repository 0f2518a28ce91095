import Foundation
import Glibc

/// A folder of a test's own, gone with it.
///
/// Its path is short, for a socket's path has 107 bytes at the most.
public final class ScratchFolder: Sendable {
  /// The folder's absolute path.
  public let path: String

  /// Makes a folder that only this user may enter.
  public init() throws {
    var template = Array("/tmp/belfry-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw ProgramFailure.notStarted(program: "mkdtemp", errno: errno)
    }
    self.path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of `name` in this folder.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Waits for a file to be written under its final name, and reads it.
  ///
  /// `isHopeless` is asked now and then: whether the one who should write it is gone.
  public static func contents(
    of file: String, within limit: Duration = Patience.whole,
    unless isHopeless: @Sendable () -> Bool
  ) async throws -> String {
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    let watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    defer { close(watch) }
    inotify_add_watch(watch, folder, UInt32(IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE))
    let end = ContinuousClock.now + limit
    while true {
      // Looked at after the watch was set, so that nothing is missed between the two; and once more
      // at the end, for it may come while other tests have the threads.
      if let text = try? String(contentsOfFile: file, encoding: .utf8), !text.isEmpty {
        return text
      }
      if isHopeless() || ContinuousClock.now >= end { break }
      await readable(watch, within: .milliseconds(200))
      var events = [UInt8](repeating: 0, count: 4_096)
      while read(watch, &events, events.count) > 0 {}
    }
    throw ProgramFailure.unreadable("\(file) was not written")
  }

  /// Waits on a thread of its own: those of the tests, and of Dispatch, are as few as the machine's
  /// cores, and many tests wait at once.
  private static func readable(_ descriptor: Int32, within limit: Duration) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      Thread.detachNewThread {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&wanted, 1, Int32(limit.components.attoseconds / 1_000_000_000_000_000))
        continuation.resume()
      }
    }
  }
}
