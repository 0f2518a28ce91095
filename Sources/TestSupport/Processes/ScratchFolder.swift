import Foundation
import Glibc

/// A folder of a test's own, deleted with it.
///
/// Its path is short, since a socket's path has at most 107 bytes.
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
  /// `isHopeless` is checked repeatedly: whether the program that should write it is gone.
  public static func contents(
    of file: String, within limit: Duration = TestTimeout.standard,
    unless isHopeless: @Sendable () -> Bool
  ) async throws -> String {
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    let arrivals = FileArrivals.shared
    let watch = arrivals.watch(folder)
    let end = ContinuousClock.now + limit
    while true {
      let count = arrivals.count(in: watch)
      // Looked at after the count was taken, so that nothing is missed between the two; and once more
      // at the end, for it may come while other tests have the threads.
      if let text = try? String(contentsOfFile: file, encoding: .utf8), !text.isEmpty {
        return text
      }
      if isHopeless() || ContinuousClock.now >= end { break }
      await arrivals.more(than: count, in: watch, within: .milliseconds(200))
    }
    throw ProgramFailure.unreadable("\(file) was not written")
  }
}
