import Foundation
import Glibc

/// A test's own folder, which is deleted when this object is released.
///
/// The folder's path is short, because the path of a socket can have at most 107 bytes.
public final class ScratchFolder: Sendable {
  /// The absolute path of the folder.
  public let path: String

  /// Creates a folder that only the current user can enter.
  public init() throws {
    var template = Array("/tmp/belfry-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw ProgramFailure.notStarted(program: "mkdtemp", errno: errno)
    }
    self.path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the path of `name` in this folder.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Waits until a file has been written under its final name, and reads it.
  ///
  /// `isHopeless` is called repeatedly, and returns true if the program that should write the file has exited.
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
      // Read the count before checking the file. An arrival after the check then ends the wait. The file is checked
      // once more at the end, because it can arrive while other tests occupy the threads.
      if let text = try? String(contentsOfFile: file, encoding: .utf8), !text.isEmpty {
        return text
      }
      if isHopeless() || ContinuousClock.now >= end { break }
      await arrivals.more(than: count, in: watch, within: .milliseconds(200))
    }
    throw ProgramFailure.unreadable("\(file) was not written")
  }
}
