import Foundation
import TestSupport
import Testing

@testable import System

@Suite(.timeLimit(.minutes(60))) struct PathWatchTests {
  @Test func `a file is reported even if its folders are created later, removed and created again`()
    throws
  {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    let loop = try EventLoop()
    var isThere = false
    let path = folder + "/run/dbus/socket"
    let watch = PathWatch(path, on: loop) { isThere = FileSystem.exists(path) }
    defer { watch.close() }
    try #require(watch.isWatching)
    for _ in 0..<3 {
      try FileManager.default.createDirectory(
        atPath: folder + "/run/dbus", withIntermediateDirectories: true)
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      try loop.turn(while: !isThere)
      try FileManager.default.removeItem(atPath: folder + "/run")
      try loop.turn(while: isThere)
    }
  }

  @Test func `folders created one by one are followed, and unrelated ones are not reported`() throws
  {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    let loop = try EventLoop()
    var told = 0
    let watch = PathWatch(folder + "/a/b/c", on: loop) { told += 1 }
    try #require(watch.isWatching)
    for part in ["/x", "/a", "/a/x", "/a/b", "/a/b/x"] {
      try FileManager.default.createDirectory(
        atPath: folder + part, withIntermediateDirectories: false)
      loop.turn(mayBlock: true)
    }
    #expect(told == 0)
    _ = FileManager.default.createFile(atPath: folder + "/a/b/c", contents: nil)
    try loop.turn(while: told == 0)
    watch.close()
  }
}

@Suite(.timeLimit(.minutes(60))) struct FolderWatchTests {
  @Test func `many watches of one folder are each told, also after one of them has ended`() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    try FileManager.default.createDirectory(
      atPath: folder + "/below", withIntermediateDirectories: true)
    let loop = try EventLoop()
    var told: [String] = []
    func watch(_ id: String, _ folders: [String]) throws -> FolderWatch {
      try FolderWatch(folders, on: loop) { names in
        told.append("\(id) \(names.sorted().joined(separator: ","))")
      }
    }
    let one = try watch("one", [folder])
    let two = try watch("two", [folder, folder + "/below", folder + "/none"])
    #expect(throws: SystemFailure.self) { _ = try watch("none", [folder + "/none"]) }
    try FileManager.default.createDirectory(
      atPath: folder + "/a", withIntermediateDirectories: false)
    try loop.turn(while: told.count < 2)
    #expect(Set(told) == ["one a", "two a"])
    told = []
    one.close()
    try FileManager.default.createDirectory(
      atPath: folder + "/below/b", withIntermediateDirectories: false)
    try loop.turn(while: told.isEmpty)
    #expect(told == ["two b"])
    told = []
    try FileManager.default.removeItem(atPath: folder)
    try loop.turn(while: !told.contains("two "))
    two.close()
  }
}
