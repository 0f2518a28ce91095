import Glibc
import System
import TestSupport
import Testing

@testable import Storage

@Suite struct DataFolderTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func owner(of path: String) -> UInt32 {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_uid : .max
  }

  @Test(.enabled(if: geteuid() == 0, "only root makes files in another user's folder"))
  func `What root makes in another user's folder is that user's afterwards`() throws {
    let user: UInt32 = 65_534
    let folder = scratch.file("gateway")
    let others = scratch.file("others")
    try FileSystem.makeDirectories(folder)
    try #require(chown(folder, user, user) == 0)
    try FileSystem.write([1], to: others)
    do {
      let data = try DataFolder(folder)
      try FileSystem.write([2], to: data.file("token-keys"))
      // What the user could have put there to get a file of root's.
      try FileSystem.link(others, at: data.file("second-name"))
      try #require(symlink(others, data.file("link")) == 0)
      #expect(owner(of: data.file("token-keys")) == 0)
    }
    #expect(owner(of: "\(folder)/token-keys") == user)
    #expect(owner(of: "\(folder)/lock") == user)
    #expect(owner(of: others) == 0)
    #expect(try FileSystem.mode(of: "\(folder)/token-keys") == 0o600)
  }

  @Test func `what a process that was killed was writing is gone once another has the folder`()
    throws
  {
    let scratch = try ScratchFolder()
    let path = scratch.file("data")
    try FileSystem.makeDirectories(path)
    for name in ["token-keys", "token-keys.2000000000.abc.tmp"] {
      try FileSystem.write([1], to: path + "/" + name)
    }
    let folder = try DataFolder(path)
    #expect(try Set(FileSystem.list(folder.path)) == ["lock", "token-keys"])
  }
}
