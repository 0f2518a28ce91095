import BelfryWire
import PushWire
import Testing
import Transport
import WebPush

@testable import Gateway

/// Tests of the checks of `GET` and `DELETE` of a message's address.
@Suite struct WebPushMessageRequestTests {
  private let uniqueID = NotificationID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
  private let now: Int64 = 1_800_000_000

  private func codec(_ byte: UInt8 = 7) throws -> DeviceTokenCodec {
    try DeviceTokenCodec(keys: [[UInt8](repeating: byte, count: 32)], environment: .sandbox)
  }

  private func front() throws -> WebPushFront {
    try #require(WebPushFront(origin: "https://push.example.net", dialect: .rfc))
  }

  /// Returns the ID in the address of a message.
  private func address(restrictedTo key: VAPIDKey?) throws -> [UInt8] {
    let contents = TokenContents(
      environment: .sandbox, kind: .webPush, generation: 1, app: 5, device: 1 << 40)
    let keyHash = key?.publicKey.digest.bytes ?? []
    let token = try codec().sealEndpoint(contents, keyHash: keyHash)
    let endpoint = try #require(WebPushEndpointID(token: token))
    let id = try #require(WebPushMessageID(message: uniqueID.bytes, endpoint: endpoint))
    return Array(id.text.utf8)
  }

  private func request(by key: VAPIDKey?) throws -> WebPushRequest {
    var request = WebPushRequest()
    guard let key else { return request }
    let text = Array("https://push.example.net".utf8)
    let readOrigin = WebPushOrigin(text.span)
    let origin = try #require(readOrigin)
    let value = try key.authorization(for: origin, expiresAtSeconds: now + 3_600)
    request.field(name: Array("authorization".utf8).span, value: Array(value.utf8).span)
    return request
  }

  /// Returns the rule because of which a request is refused; nil if it is accepted.
  private func rule(_ request: WebPushRequest, _ id: [UInt8], opener: UInt8 = 7) throws
    -> WebPushRule?
  {
    let service = try front()
    let tokens = try codec(opener)
    do throws(WebPushRefusal) {
      let named = try service.identify(request, message: id, atSeconds: now, tokens: tokens)
      #expect(named.uniqueID == uniqueID && named.contents.app == 5)
      return nil
    } catch {
      return error.rule
    }
  }

  /// Returns the refusal of an `aesgcm` body with this number of bytes; nil if it is accepted.
  private func refusal(ofBytes count: Int, channel: [UInt8] = []) throws -> WebPushRefusal? {
    let contents = TokenContents(
      environment: .sandbox, kind: .webPush, generation: 1, app: 5, device: 1 << 40)
    let tokens = try codec()
    let endpoint = try #require(
      WebPushEndpointID(token: tokens.sealEndpoint(contents, keyHash: [], channel: channel)))
    var request = WebPushRequest()
    for (name, value) in [
      ("ttl", "5"), ("content-encoding", "aesgcm"), ("encryption", "salt=S"),
      ("crypto-key", "dh=D"),
    ] {
      request.field(name: Array(name.utf8).span, value: Array(value.utf8).span)
    }
    // The gateway retains only the beginning of a longer body.
    let body = [UInt8](repeating: 7, count: min(count, 5_630))
    let service = try front()
    do throws(WebPushRefusal) {
      _ = try service.admit(
        request, endpoint: Array(endpoint.text.utf8), body: body, bodyBytes: count,
        atSeconds: now, tokens: tokens)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a body of aesgcm and its fields have at most 5,120 bytes together`() throws {
    let fields = "aesgcm\nEncryption: salt=S\nCrypto-Key: dh=D\n".utf8.count
    #expect(try refusal(ofBytes: 5_120 - fields) == nil)
    let whole = try #require(try refusal(ofBytes: 5_120))
    #expect(whole.rule == .bodyTooLarge)
    #expect(
      whole.message
        == "the body and its fields have \(5_120 + fields) bytes; at most 5120 are allowed")
    for count in [5_121, 5_630, 9_000] {
      let longer = try #require(try refusal(ofBytes: count))
      #expect(longer.rule == .bodyTooLarge)
      #expect(longer.message == "the body has \(count) bytes; at most 5120 are allowed")
    }
  }

  @Test func `a body of aesgcm for a browser has at most 5,630 bytes, as in Mozilla's service`()
    throws
  {
    let channel = [UInt8](repeating: 9, count: 16)
    #expect(try refusal(ofBytes: 5_630, channel: channel) == nil)
    let longer = try #require(try refusal(ofBytes: 5_631, channel: channel))
    #expect(longer.rule == .bodyTooLarge)
    #expect(longer.message == "the body has 5631 bytes; at most 5630 are allowed")
  }

  @Test func `the sender of a restricted subscription proves its key again`() throws {
    let (own, other) = (try VAPIDKey(), try VAPIDKey())
    let id = try address(restrictedTo: own)
    #expect(try rule(request(by: own), id) == nil)
    #expect(try rule(request(by: other), id) == .keyOfOtherSender)
    #expect(try rule(request(by: nil), id) == .authorizationMissing)
  }

  @Test func `a message of an unrestricted subscription needs no authorization`() throws {
    let id = try address(restrictedTo: nil)
    #expect(try rule(request(by: nil), id) == nil)
    #expect(try rule(request(by: try VAPIDKey()), id) == nil)
  }

  @Test func `an address that this gateway did not make is no message`() throws {
    let id = try address(restrictedTo: nil)
    let request = try request(by: nil)
    #expect(try rule(request, id, opener: 8) == .messageUnknown)
    #expect(try rule(request, []) == .messageUnknown)
    #expect(try rule(request, Array(id.dropLast())) == .messageUnknown)
    var changed = id
    changed[40] = changed[40] == 0x41 ? 0x42 : 0x41
    #expect(try rule(request, changed) == .messageUnknown)
  }
}
