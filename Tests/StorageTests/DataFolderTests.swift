import Glibc
import System
import TestSupport
import Testing

@testable import Storage

@Suite struct DataFolderTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test(.enabled(if: geteuid() == 0, "only root can act as another user"))
  func `Root takes another user's folder as that user only, and gives no file away`() throws {
    let folder = scratch.file("gateway")
    try FileSystem.makeDirectories(folder)
    try #require(chown(folder, 65_534, 65_534) == 0)
    try FileSystem.write([1], to: folder + "/token-keys")
    #expect(throws: StorageFailure.self) { _ = try DataFolder(folder) }
    #expect(try FileSystem.list(folder) == ["token-keys"])
    #expect(try FileSystem.owner(of: folder + "/token-keys") == 0)
    #expect(try FolderOwner(of: folder)?.user == 65_534)
    #expect(try FolderOwner(of: scratch.path) == nil)
    #expect(try FolderOwner(of: folder + "/missing") == nil)
    #expect(try FolderOwner(of: folder + "/a/b", includingParents: true)?.user == 65_534)
  }

  @Test
  func `unfinished files of a killed process are removed when another process opens the folder`()
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
