import Glibc
import TestSupport
import Testing

@testable import System

@Suite struct SocketAddressTests {
  @Test(arguments: [
    "127.0.0.1:2197", "0.0.0.0:0", "[::1]:5223", "[2001:db8::7]:65535", "10.1.2.3:1",
  ])
  func `addresses in figures are read and written back`(text: String) throws {
    let address = try #require(SocketAddress(text))
    #expect(address.description == text)
    #expect(SocketAddress(host: address.host, port: address.port) == address)
  }

  @Test(arguments: [
    "", "localhost:80", "127.0.0.1", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[::1]",
    "1.2.3:4", "[::1]:x", "256.0.0.1:1",
  ])
  func `invalid addresses are refused`(text: String) { #expect(SocketAddress(text) == nil) }

  @Test
  func `loopback addresses are recognized`() {
    #expect(SocketAddress.loopback(port: 7).description == "127.0.0.1:7")
    for host in ["127.0.0.1", "127.9.9.9", "::1", "[::1]"] {
      #expect(SocketAddress(host: host, port: 1)?.isLoopback == true)
    }
    for host in ["0.0.0.0", "128.0.0.1", "::", "::2", "fe80::1"] {
      #expect(SocketAddress(host: host, port: 1)?.isLoopback == false)
    }
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `addresses that the kernel returns are read correctly`(host: String) throws {
    let address = try #require(SocketAddress(host: host, port: 0))
    guard let listener = try? Socket.listen(on: address) else {
      // This error means that the machine doesn't support IPv6.
      #expect(host == "::1")
      return
    }
    let bound = try #require(Socket.localAddress(listener))
    #expect(bound.host == host)
    #expect(bound.port != 0)
    let client = try Socket.connect(to: bound)
    #expect(Socket.peerAddress(client) == bound)
    Socket.close(client)
    Socket.close(listener)
  }

  @Test(arguments: ["127.0.0.1", "::1"], 0...7)
  func `the kernel's form is read wherever it lies`(host: String, offset: Int) throws {
    let address = try #require(SocketAddress(host: host, port: 2_197))
    let buffer = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<sockaddr_storage>.size + 8, alignment: 8)
    defer { buffer.deallocate() }
    let place = buffer + offset
    address.withSocketAddress { form, length in
      place.copyMemory(from: form, byteCount: Int(length))
    }
    #expect(SocketAddress(place.assumingMemoryBound(to: sockaddr_storage.self)) == address)
  }

  @Test
  func `a port that is taken is an error that says what to do`() throws {
    let listener = try Socket.listen(on: .loopback(port: 0))
    let bound = try #require(Socket.localAddress(listener))
    do {
      _ = try Socket.listen(on: bound)
      Issue.record("listened twice")
    } catch {
      #expect("\(error)".contains("address already in use: choose another one"))
      #expect("\(error)".contains(bound.description))
    }
    Socket.close(listener)
  }

  @Test
  func `a stale socket file is replaced, but one in use is not`() throws {
    let folder = try ScratchFolder()
    let path = "\(folder.path)/s"
    let first = try Socket.listen(unixPath: path)
    #expect(throws: SystemFailure.self) { _ = try Socket.listen(unixPath: path) }
    Socket.close(first)
    let second = try Socket.listen(unixPath: path)
    Socket.close(second)
    #expect(throws: SystemFailure.self) {
      _ = try Socket.listen(unixPath: "/tmp/" + String(repeating: "x", count: 120))
    }
    for path in [folder.path, "\(folder.path)/file"] {
      if path != folder.path { try FileSystem.write([1], to: path) }
      #expect {
        _ = try Socket.listen(unixPath: path)
      } throws: {
        "\($0)".contains("is not a socket")
      }
      #expect(FileSystem.exists(path))
    }
  }

  @Test func `Addresses of this machine, its networks and special purposes are not public`() throws
  {
    let own = [
      "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1",
      "172.31.255.255", "192.0.2.1", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
      "::", "::1", "::ffff:127.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "2002:a00:1::1",
      "2001:db8::1", "2001::1", "fc00::1", "fd12::1", "fe80::1", "ff02::1",
    ]
    for text in own {
      #expect(try !#require(SocketAddress(host: text, port: 1)).isPublic, "\(text)")
    }
    let others = [
      "1.1.1.1", "100.63.0.1", "172.15.0.1", "172.32.0.1", "192.0.3.1", "198.17.0.1",
      "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2606:4700::1111", "2001:200::1",
    ]
    for text in others {
      #expect(try #require(SocketAddress(host: text, port: 1)).isPublic, "\(text)")
    }
  }
}
