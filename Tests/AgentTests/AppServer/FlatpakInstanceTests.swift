import Glibc
import System
import TestSupport
import Testing

@testable import Agent

/// Tests with imitations of the folders that Flatpak creates.
///
/// `AppIdentityTests` uses a real Flatpak sandbox.
@Suite struct FlatpakInstanceTests {
  private let scratch: ScratchFolder
  private let instances: FlatpakInstances
  private let claim = "[Application]\nname=org.example.a\n[Instance]\ninstance-id=42\n"

  init() throws {
    scratch = try ScratchFolder()
    instances = FlatpakInstances(folder: scratch.file("flatpak"), userID: geteuid())
    try make("42", name: "org.example.a")
  }

  /// Creates the folder of a sandbox whose first process is the test process.
  private func make(_ number: String, name: String) throws {
    let folder = scratch.file("flatpak/\(number)")
    try FileSystem.makeDirectories(folder)
    let text = "[Application]\nname=\(name)\n[Instance]\ninstance-id=\(number)\n"
    try FileSystem.write(Array(text.utf8), to: folder + "/info")
    try FileSystem.write(
      Array(#"{"child-pid": \#(getpid())}"#.utf8), to: folder + "/bwrapinfo.json")
    try FileSystem.write([], to: folder + "/.ref")
  }

  private func app(_ claim: String, of process: Int32 = getpid()) -> String? {
    instances.app(claimedBy: Array(claim.utf8), of: process)
  }

  @Test func `A sandbox that has ended or holds no lock vouches for no process`() {
    #expect(app(claim) == nil)
    #expect(app(claim, of: 1) == nil)
  }

  @Test(arguments: [
    "", "[Application]\nname=org.example.a\n", "[Instance]\ninstance-id=42\n",
    "[Application]\nname=org.example.a\n[Instance]\ninstance-id=../flatpak/42\n",
    "[Application]\nname=org.example.a\n[Instance]\ninstance-id=\n",
    "[Application]\nname=org.example.a\n[Instance]\ninstance-id=43\n",
    "[Application]\nname=org.example.b\n[Instance]\ninstance-id=42\n",
    "[Application]\nname=org.example.a\n[Instance]\ninstance-id=\u{664}\u{662}\n",
  ])
  func `A claim that names no sandbox, or another app's, is nothing`(claim: String) {
    #expect(app(claim) == nil)
  }

  @Test func `A lock is another process's, or none`() throws {
    let path = scratch.file("flatpak/42/.ref")
    #expect(FileSystem.lockHolder(of: path) == nil)
    #expect(FileSystem.lockHolder(of: scratch.file("missing")) == nil)
  }
}
