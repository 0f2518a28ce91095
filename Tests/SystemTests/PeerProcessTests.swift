import Glibc
import TestSupport
import Testing

@testable import System

@Suite struct PeerProcessTests {
  @Test func `the process at the other end of a socket is known while it runs`() throws {
    let ends = try Socket.pair()
    defer {
      Socket.close(ends.one)
      Socket.close(ends.other)
    }
    let peer = try PeerProcess(peerOf: ends.one, pid: getpid())
    #expect(peer.pid == getpid())
    let isRunning = peer.isRunning
    #expect(isRunning)
  }

  @Test func `a process that has ended is not running, whoever has its number`() async throws {
    try await Scenario.run { scenario in
      let program = try scenario.start(["/bin/cat"])
      let held = try PeerProcess(pid: program.pid)
      let before = held.isRunning
      #expect(before)
      program.closeInput()
      try await program.end()
      let after = held.isRunning
      #expect(!after)
    }
  }

  @Test func `a socket that is not a UNIX socket has no peer process`() throws {
    let socket = try Socket.listen(on: .loopback(port: 0))
    defer { Socket.close(socket) }
    #expect(throws: SystemFailure.self) {
      _ = try PeerProcess(peerOf: socket, pid: Int32.max).pid
    }
  }
}
