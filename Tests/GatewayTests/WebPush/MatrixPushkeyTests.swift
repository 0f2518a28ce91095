import BelfryWire
import PushWire
import Testing
import WebPush

@testable import Gateway

@Suite struct MatrixPushkeyTests {
  private static let origin = "https://push.example.org"

  private func codec(_ byte: UInt8 = 7) throws -> DeviceTokenCodec {
    try DeviceTokenCodec(keys: [[UInt8](repeating: byte, count: 32)], environment: .sandbox)
  }

  private let contents = TokenContents(
    environment: .sandbox, kind: .webPush, generation: 0, app: 5, device: 1 << 40)

  private func pushkey(_ token: [UInt8], origin: String = MatrixPushkeyTests.origin) throws
    -> [UInt8]
  {
    let id = try #require(WebPushEndpointID(token: token))
    return Array("\(origin)/push/\(id.text)".utf8)
  }

  /// Returns the rule for which a pushkey is rejected, or nil if it is a subscription.
  private func rule(_ pushkey: [UInt8], _ tokens: DeviceTokenCodec) throws -> WebPushRule? {
    let front = try #require(WebPushFront(origin: Self.origin, dialect: .rfc))
    do throws(WebPushRefusal) {
      let found = try front.subscription(ofPushkey: pushkey, tokens: tokens)
      #expect(found.contents == contents)
      #expect(found.channel == nil)
      return nil
    } catch {
      return error.rule
    }
  }

  @Test func `the URL of an endpoint is a subscription`() throws {
    let tokens = try codec()
    #expect(try rule(pushkey(tokens.sealEndpoint(contents, keyHash: [])), tokens) == nil)
  }

  @Test func `an endpoint of another service or with another key is rejected`() throws {
    let tokens = try codec()
    let token = tokens.sealEndpoint(contents, keyHash: [])
    #expect(
      try rule(pushkey(token, origin: "https://push.example.net"), tokens) == .endpointUnknown)
    #expect(try rule(pushkey(token), codec(8)) == .endpointUnknown)
    #expect(try rule([], tokens) == .endpointUnknown)
  }

  @Test func `a subscription that is restricted to one sender gets nothing from a homeserver`()
    throws
  {
    let tokens = try codec()
    let token = tokens.sealEndpoint(contents, keyHash: [UInt8](repeating: 3, count: 32))
    #expect(try rule(pushkey(token), tokens) == .authorizationMissing)
  }
}
