import Glibc
import Testing

@testable import System

@Suite struct ListenerOwnersTests {
  private static let table = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:1836 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1
       1: 0200007F:1836 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 2 1
       2: 00000000:1837 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1002        0 3 1
       3: 0100007F:1838 0100007F:1836 01 00000000:00000000 00:00000000 00000000  1003        0 4 1
       4: 00000000000000000000000001000000:1839 00000000000000000000000000000000:0000 0A 0:0 0:0 0  1004 0 5 1
       5: 00000000000000000000000000000000:183A 00000000000000000000000000000000:0000 0A 0:0 0:0 0  1005 0 6 1
       6: 0000000000000000FFFF00000100007F:183B 00000000000000000000000000000000:0000 0A 0:0 0:0 0  1006 0 7 1
       7: 0100007F:183C 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1007        0 8 1
       8: 0100007F:9999 0100007F:183C 01 00000000:00000000 00:00000000 00000000  1008        0 9 1
       9: short
    """

  @Test(
    arguments: [
      ("127.0.0.1", 0x1836, [1_000]), ("127.0.0.2", 0x1836, [1_001]), ("127.0.0.3", 0x1836, []),
      ("127.0.0.1", 0x1837, [1_002]), ("127.0.0.1", 0x1838, []), ("::1", 0x1839, [1_004]),
      ("127.0.0.1", 0x1839, []), ("127.0.0.1", 0x183A, [1_005]), ("::1", 0x183A, [1_005]),
      ("127.0.0.1", 0x183B, [1_006]), ("127.0.0.1", 0x183C, []),
    ] as [(String, UInt16, Set<UInt32>)])
  func `a port is its listener's, at its own address or at every one`(
    host: String, port: UInt16, owners: Set<UInt32>
  ) throws {
    let address = try #require(SocketAddress(host: host, port: port))
    #expect(ListenerOwners.userIDs(inTable: Self.table, at: address) == owners)
  }

  @Test func `the user who accepted a connection is found even after the listener is closed`()
    throws
  {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0x183C))
    let client = SocketAddress.loopback(port: 0x9999)
    #expect(ListenerOwners.userIDs(inTable: Self.table, at: address, from: client) == [1_007])
    let other = SocketAddress.loopback(port: 0x9998)
    #expect(ListenerOwners.userIDs(inTable: Self.table, at: address, from: other) == [])
  }

  @Test func `this process's listeners belong to its user`() throws {
    let listener = try Socket.listen(on: .loopback(port: 0), backlog: 1)
    defer { Socket.close(listener) }
    let address = try #require(Socket.localAddress(listener))
    #expect(ListenerOwners.userIDs(at: address) == [geteuid()])
  }
}
