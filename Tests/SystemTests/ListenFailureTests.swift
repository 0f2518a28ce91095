import Glibc
import System
import Testing

@Suite struct ListenFailureTests {
  @Test(arguments: [("host", "192.0.2.77"), ("console-host", "2001:db8::7")])
  func `an address that the machine does not have is blamed on the option of the address`(
    option: String, host: String
  ) throws {
    let address = try #require(SocketAddress(host: host, port: 2_197))
    let failure = ListenFailure(
      option: "provider-port", hostOption: option, port: address.port,
      reason: .call(name: "bind", errno: EADDRNOTAVAIL, subject: address.description))
    #expect(
      "\(failure)"
        == "--\(option) \(host): this machine has no such address: use one of its addresses, "
        + "or 0.0.0.0")
  }

  @Test func `a port that another process uses is blamed on the option of the port`() {
    let failure = ListenFailure(
      option: "provider-port", port: 2_197,
      reason: .call(name: "bind", errno: EADDRINUSE, subject: "127.0.0.1:2197"))
    #expect("\(failure)".contains("or choose another --provider-port, "), "\(failure)")
  }
}
