import Foundation
import Glibc
import TestSupport
import Testing

@testable import System

@Suite struct FileSystemTests {
  private let scratch: ScratchFolder
  private var folder: String { scratch.path }

  init() throws { scratch = try ScratchFolder() }

  @Test
  func `content and mode are read back as written, and no other file is left`() throws {
    let path = "\(folder)/key"
    try FileSystem.write(Array("one".utf8), to: path)
    #expect(try FileSystem.mode(of: path) == 0o600)
    try FileSystem.write(Array("two, longer".utf8), to: path, mode: 0o644)
    #expect(try FileSystem.read(path, limit: 11) == Array("two, longer".utf8))
    #expect(try FileSystem.mode(of: path) == 0o644)
    #expect(try FileSystem.list(folder) == ["key"])
    try FileSystem.write([], to: path)
    #expect(try FileSystem.read(path, limit: 0) == [])
  }

  @Test
  func `a file over the limit is an error, not half a file`() throws {
    let path = "\(folder)/large"
    let bytes = [UInt8](repeating: 5, count: 300_000)
    try FileSystem.write(bytes, to: path)
    #expect(try FileSystem.read(path, limit: 300_000) == bytes)
    #expect(throws: SystemFailure.self) { _ = try FileSystem.read(path, limit: 299_999) }
    // Files that report no size are read to their end.
    #expect(try !FileSystem.read("/proc/self/status", limit: 100_000).isEmpty)
    #expect(throws: SystemFailure.self) { _ = try FileSystem.read("/proc/self/status", limit: 20) }
    #expect(throws: SystemFailure.self) { _ = try FileSystem.read("/dev/zero", limit: 10_000) }
    #expect(throws: SystemFailure.self) { _ = try FileSystem.read(folder, limit: 10) }
  }

  @Test
  func `a write that cannot be done leaves the old file and no other`() throws {
    try FileSystem.makeDirectories("\(folder)/taken/inside")
    #expect(throws: SystemFailure.self) { try FileSystem.write([1], to: "\(folder)/taken") }
    #expect(try FileSystem.list(folder) == ["taken"])
    #expect(throws: SystemFailure.self) { try FileSystem.write([1], to: "\(folder)/no/file") }
  }

  @Test
  func `no file takes the place of a device, a pipe or a folder`() throws {
    let pipe = "\(folder)/pipe"
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    try FileSystem.makeDirectories("\(folder)/empty")
    // A device is refused in the same way as a pipe, but a test isn't permitted to create a device.
    for path in [pipe, "\(folder)/empty"] {
      #expect(throws: SystemFailure.self) { try FileSystem.write([1], to: path) }
      #expect(throws: SystemFailure.self) { _ = try ReservedFile(path, byteCount: 1) }
      #expect(throws: SystemFailure.self) { try FileSystem.requireReplaceable(path) }
    }
    #expect(throws: SystemFailure.self) { try FileSystem.requireReplaceable("/dev/full") }
    #expect(try FileSystem.list(folder) == ["empty", "pipe"])
    // A link is replaced, but its target isn't.
    #expect(unsafe symlink("pipe", "\(folder)/link") == 0)
    try FileSystem.write([1], to: "\(folder)/link")
    #expect(!FileSystem.isLink("\(folder)/link"))
    #expect(FileSystem.byteCount(of: pipe) == 0)
  }

  @Test
  func `a reserved file appears once it is written, and else leaves nothing`() throws {
    let path = "\(folder)/key"
    try FileSystem.write([7], to: path, mode: 0o644)
    do {
      let file = try ReservedFile(path, byteCount: 1_000)
      #expect(try FileSystem.read(path, limit: 10) == [7])
      #expect(try FileSystem.list(folder).count == 2)
      try file.write([1, 2])
      #expect(file.path == path)
    }
    #expect(try FileSystem.read(path, limit: 10) == [1, 2])
    #expect(try FileSystem.mode(of: path) == 0o600)
    _ = try ReservedFile(path, byteCount: 1_000)
    #expect(try FileSystem.list(folder) == ["key"])
    #expect(try FileSystem.read(path, limit: 10) == [1, 2])
  }

  @Test func `A file is readable by all users only if its folders are too`() throws {
    let file = scratch.file("key")
    try FileSystem.write([1], to: file, mode: 0o600)
    for (folderMode, fileMode, expected) in [
      (0o755, 0o644, true), (0o755, 0o640, false), (0o700, 0o644, false),
    ] {
      try #require(chmod(scratch.path, mode_t(folderMode)) == 0)
      try #require(chmod(file, mode_t(fileMode)) == 0)
      #expect(FileSystem.isReadableByAll(file) == expected, "\(folderMode) \(fileMode)")
    }
    #expect(!FileSystem.isReadableByAll(scratch.file("missing")))
  }

  @Test func `A file in a missing folder is refused with the folder's path`() throws {
    for path in ["\(folder)/none/file", "\(folder)/none/deeper/file"] {
      let message =
        "the folder \(FileSystem.parent(of: path)) does not exist: create the folder, or choose another path"
      #expect {
        _ = try ReservedFile(path, byteCount: 1)
      } throws: {
        "\($0)" == message
      }
      #expect {
        try FileSystem.write([1], to: path)
      } throws: {
        "\($0)" == message
      }
      try UnnamedFile.removeAbandoned(for: path)
      #expect {
        _ = try UnnamedFile(for: path)
      } throws: {
        "\($0)" == message
      }
    }
  }

  @Test
  func `folders are created with their parents, private to the user`() throws {
    let deep = "\(folder)/a/b/c"
    try FileSystem.makeDirectories(deep)
    try FileSystem.makeDirectories(deep)
    #expect(FileSystem.isDirectory(deep))
    #expect(try FileSystem.mode(of: deep) == 0o700)
    try FileSystem.write([1], to: "\(folder)/file")
    for path in ["\(folder)/file", "\(folder)/file/below"] {
      #expect {
        try FileSystem.makeDirectories(path)
      } throws: {
        "\($0)".contains("\(folder)/file is not a folder")
      }
    }
    try FileSystem.remove("\(folder)/file")
    try FileSystem.remove("\(folder)/file")
    #expect(throws: SystemFailure.self) { try FileSystem.remove(deep) }
    #expect(FileSystem.isDirectory(deep), "only files are removed")
  }

  @Test
  func `a lock is held by one, and goes with its holder`() throws {
    let path = "\(folder)/lock"
    do {
      let first = try LockFile(path)
      do {
        _ = try LockFile(path)
        Issue.record("locked twice")
      } catch {
        guard case .locked = error else {
          Issue.record("\(error)")
          return
        }
      }
      withExtendedLifetime(first) {}
    }
    _ = try LockFile(path)
  }

  /// Tests a lock while another program starts.
  ///
  /// The starting program holds a copy of every descriptor until its image is replaced.
  @Test
  func `a lock is free once its holder lets go, whoever still has a copy of its descriptor`() throws
  {
    let path = "\(folder)/lock"
    var copy: Int32 = -1
    defer { close(copy) }
    do {
      let holder = try LockFile(path)
      copy = try duplicate(ofFile: path)
      withExtendedLifetime(holder) {}
    }
    _ = try LockFile(path)
  }

  /// Returns a duplicate of this process's descriptor of the file at `path`.
  private func duplicate(ofFile path: String) throws -> Int32 {
    let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let number = numbers.first {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }
    let copy = dup(try #require(number.flatMap { Int32($0) }))
    try #require(copy >= 0)
    return copy
  }

  @Test
  func `paths are taken apart and made absolute`() {
    #expect(FileSystem.parent(of: "/a/b") == "/a")
    #expect(FileSystem.parent(of: "/a/b/") == "/a")
    #expect(FileSystem.parent(of: "/a") == "/")
    #expect(FileSystem.parent(of: "a") == ".")
    #expect(FileSystem.absolute("/a/./b/../c//d") == "/a/c/d")
    #expect(FileSystem.absolute("/..") == "/")
    #expect(FileSystem.absolute("x").hasPrefix("/"))
    #expect(FileSystem.absolute("x").hasSuffix("/x"))
  }

  @Test
  func `only unfinished files of processes that ended are removed`() throws {
    let scratch = try ScratchFolder()
    let kept = ["keys", "keys.\(getpid()).abc.tmp", "keys.tmp", "a.b.c.tmp", "keys.2000000000.abc"]
    for name in kept + ["keys.2000000000.abc.tmp"] {
      try FileSystem.write([1], to: scratch.file(name))
    }
    try FileSystem.removeUnfinished(in: scratch.path)
    #expect(try FileSystem.list(scratch.path) == kept.sorted())
  }

  @Test func `A missing file is named without the system call's name`() {
    #expect {
      _ = try FileSystem.read("/nonexistent/nofile.json", limit: 10)
    } throws: {
      "\($0)" == "cannot open /nonexistent/nofile.json: no such file"
    }
  }
}
