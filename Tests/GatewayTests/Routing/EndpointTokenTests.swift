import BelfryWire
import PushWire
import Testing
import TestSupport

@testable import Gateway

/// Tests of the sealed IDs of Web Push endpoints.
@Suite struct EndpointTokenTests {
  private func codec(_ byte: UInt8 = 7) throws -> DeviceTokenCodec {
    try DeviceTokenCodec(
      keys: [[UInt8](repeating: byte, count: 32)], environment: .sandbox)
  }

  private func contents(_ number: UInt32 = 5, generation: UInt16 = 0) -> TokenContents {
    TokenContents(
      environment: .sandbox, kind: .webPush, generation: generation, app: number, device: 1 << 40)
  }

  @Test func `An endpoint contains its subscription and the hash of its sender's key`() throws {
    let codec = try codec()
    let hash = [UInt8](repeating: 3, count: 32)
    for keyHash in [[], hash] {
      let id = codec.sealEndpoint(contents(), keyHash: keyHash)
      #expect(id.count == 32 + keyHash.count)
      let opened = try #require(codec.openEndpoint(id))
      #expect(opened.contents == contents())
      #expect(opened.keyHash == keyHash)
    }
  }

  @Test func `A browser's endpoint also contains the channel that the browser chose`() throws {
    let codec = try codec()
    let channel = [UInt8](repeating: 9, count: 16)
    for keyHash in [[], [UInt8](repeating: 3, count: 32)] {
      let id = codec.sealEndpoint(contents(), keyHash: keyHash, channel: channel)
      #expect(id.count == 48 + keyHash.count)
      let opened = try #require(codec.openEndpoint(id))
      #expect(opened.contents == contents())
      #expect(opened.keyHash == keyHash)
      #expect(opened.channel == channel)
    }
    let other = try #require(codec.openEndpoint(codec.sealEndpoint(contents(), keyHash: [])))
    #expect(other.channel.isEmpty)
  }

  @Test func `A changed endpoint is not opened, and another gateway's is not either`() throws {
    let codec = try codec()
    let id = codec.sealEndpoint(contents(), keyHash: [UInt8](repeating: 3, count: 32))
    for index in id.indices {
      var changed = id
      changed[index] ^= 1
      #expect(codec.openEndpoint(changed) == nil)
    }
    #expect(codec.openEndpoint(Array(id.prefix(32))) == nil)
    #expect(try self.codec(8).openEndpoint(id) == nil)
  }

  @Test func `An endpoint is not a device token, and a device token is not an endpoint`() throws {
    let codec = try codec()
    let endpoint = codec.sealEndpoint(contents(), keyHash: [])
    #expect(codec.open(endpoint.span) == nil)
    let token = codec.seal(
      TokenContents(environment: .sandbox, kind: .alert, generation: 0, app: 5, device: 1 << 40))
    #expect(codec.openEndpoint(token) == nil)
  }

  @Test func `Endpoints of one device have nothing in common`() throws {
    let codec = try codec()
    let ids = (0..<64).map { codec.sealEndpoint(contents(UInt32($0)), keyHash: []) }
    #expect(Set(ids.map { Array($0.prefix(8)) }).count == ids.count)
    #expect(Set(ids.map { Array($0.suffix(8)) }).count == ids.count)
  }
}
