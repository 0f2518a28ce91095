import BelfryWire
import Foundation
import System
import TestSupport
import Testing

@testable import Agent

@Suite("The folder of attachments' files")
struct AttachmentStorageTests {
  private static let app = ModelBench.burger

  private func storage(
    _ body: (_ storage: AttachmentStorage, _ own: String) throws -> Void
  ) throws {
    let folder = try ScratchFolder()
    let storage = AttachmentStorage(root: folder.file("attachments"))
    let own = storage.root + "/_\(Self.app)"
    try FileSystem.makeDirectories(own)
    try body(storage, own)
  }

  private func write(_ path: String, bytes: Int = 1) throws {
    try Data(count: bytes).write(to: URL(fileURLWithPath: path))
  }

  @Test func `only files in the app's own folder are deleted`() throws {
    try storage { storage, own in
      let other = storage.root + "/_org.example.other"
      try FileSystem.makeDirectories(other)
      let outside = storage.root + "/secret"
      for path in [own + "/a.png", own + "/b.png", other + "/a.png", outside] { try write(path) }
      storage.delete(
        [own + "/a.png", other + "/a.png", own + "/../secret", outside, own + "/", own + "/gone"],
        of: Self.app)
      #expect(try FileSystem.list(own) == ["b.png"])
      #expect(FileSystem.exists(other + "/a.png") && FileSystem.exists(outside))
    }
  }

  @Test func `a folder that is a symbolic link is left untouched`() throws {
    try storage { storage, own in
      let other = storage.root + "/elsewhere"
      try FileSystem.makeDirectories(other)
      try write(other + "/a.png")
      try FileManager.default.removeItem(atPath: own)
      try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: other)
      storage.delete([own + "/a.png"], of: Self.app)
      storage.deleteAll(of: Self.app)
      #expect(FileSystem.exists(other + "/a.png"))
    }
  }

  @Test func `all files of an app go with it, and those of others stay`() throws {
    try storage { storage, own in
      let other = storage.root + "/_org.example.other"
      try FileSystem.makeDirectories(other)
      for path in [own + "/a.png", own + "/b.png", other + "/a.png"] { try write(path) }
      storage.deleteAll(of: Self.app)
      #expect(!FileSystem.exists(own) && FileSystem.exists(other + "/a.png"))
    }
  }

  @Test
  func
    `over the file limit, unused files are deleted first, then those of the oldest notifications`()
    throws
  {
    try storage { storage, own in
      let count = Limits.attachmentFilesPerApp
      let used = (0..<count).map { own + "/used\($0)" }
      for path in used + [own + "/unused"] { try write(path) }
      let now = Int64(Date().timeIntervalSince1970)
      // The agent keeps a new file, because a request that uses it might follow.
      storage.trim(Self.app, used: used, atUnixSeconds: now)
      #expect(FileSystem.exists(own + "/unused") && !FileSystem.exists(used[0]))
      try write(used[0])
      storage.trim(
        Self.app, used: used, atUnixSeconds: now + Limits.attachmentGraceSeconds + 60)
      #expect(!FileSystem.exists(own + "/unused"))
      #expect(used.allSatisfy { FileSystem.exists($0) })
      // Below the limit, nothing is deleted.
      storage.trim(Self.app, used: [], atUnixSeconds: now + 100_000)
      #expect(try FileSystem.list(own).count == count)
    }
  }

  @Test func `the total size of an app's attachments is also limited`() throws {
    try storage { storage, own in
      for name in ["one", "two"] {
        let descriptor = unsafe open(own + "/" + name, O_CREAT | O_WRONLY, 0o600)
        // Create a sparse file, which takes up no disk space.
        ftruncate(descriptor, Int(Limits.attachmentBytesPerApp) - 1)
        close(descriptor)
      }
      storage.trim(Self.app, used: [own + "/one", own + "/two"], atUnixSeconds: 0)
      let left = try FileSystem.list(own)
      #expect(left == ["two"])
    }
  }
}
