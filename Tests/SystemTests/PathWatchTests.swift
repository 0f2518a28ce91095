import Foundation
import Testing

@testable import System

@Suite(.timeLimit(.minutes(1))) struct PathWatchTests {
  private func temporaryFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test func `a file is told of though its folders come later, go and come again`() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let loop = try EventLoop()
    var isThere = false
    let path = folder + "/run/dbus/socket"
    let watch = PathWatch(path, on: loop) { isThere = FileSystem.exists(path) }
    defer { watch.close() }
    for _ in 0..<3 {
      try FileManager.default.createDirectory(
        atPath: folder + "/run/dbus", withIntermediateDirectories: true)
      FileManager.default.createFile(atPath: path, contents: nil)
      while !isThere { loop.turn(mayBlock: true) }
      try FileManager.default.removeItem(atPath: folder + "/run")
      while isThere { loop.turn(mayBlock: true) }
    }
  }

  @Test func `folders that come one by one are followed, others are not told of`() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let loop = try EventLoop()
    var told = 0
    let watch = PathWatch(folder + "/a/b/c", on: loop) { told += 1 }
    for part in ["/x", "/a", "/a/x", "/a/b", "/a/b/x"] {
      try FileManager.default.createDirectory(
        atPath: folder + part, withIntermediateDirectories: false)
      loop.turn(mayBlock: true)
    }
    #expect(told == 0)
    FileManager.default.createFile(atPath: folder + "/a/b/c", contents: nil)
    while told == 0 { loop.turn(mayBlock: true) }
    watch.close()
  }
}
