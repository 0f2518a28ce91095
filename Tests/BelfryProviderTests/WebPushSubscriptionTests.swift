import Testing

@testable import BelfryProvider

private let point =
  "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
private let auth = "BTBZMqHH6r4Tts7J_aSIgg"

/// Returns the description of the fault in a subscription's JSON text, or nil if the text is valid.
private func fault(_ json: String) -> String? {
  do throws(WebPushFault) {
    _ = try WebPushSubscription(json: Array(json.utf8))
    return nil
  } catch {
    return error.description
  }
}

@Suite struct WebPushSubscriptionTests {
  @Test func `a subscription is read as a browser and as belfry device run print it`() throws {
    let endpoint = "https://push.example.net:8443/push/ID?a=b"
    let texts = [
      #"{"endpoint":"\#(endpoint)","expirationTime":null,"keys":{"p256dh":"\#(point)","auth":"\#(auth)"}}"#,
      #"{"event":"subscribed","device":1,"endpoint":"\#(endpoint)","p256dh":"\#(point)","auth":"\#(auth)"}"#,
    ]
    for text in texts {
      let subscription = try WebPushSubscription(json: Array(text.utf8))
      #expect(subscription.endpoint == endpoint)
      #expect(subscription.point?.count == 65)
      #expect(subscription.auth?.count == 16)
      #expect(subscription.address.path == "/push/ID?a=b")
      #expect(subscription.address.origin.text == "https://push.example.net:8443")
      #expect(subscription.service == ProviderEndpoint(host: "push.example.net", port: 8_443))
    }
  }

  @Test func `keys can be padded, and in the standard alphabet`() throws {
    let standard = point.replacing("-", with: "+").replacing("_", with: "/") + "="
    let subscription = try WebPushSubscription(
      endpoint: "https://push.example.net/a", p256dh: standard, auth: auth + "==")
    let plain = try WebPushSubscription(
      endpoint: "https://push.example.net/a", p256dh: point, auth: auth)
    #expect(subscription.point == plain.point)
    #expect(subscription.auth == plain.auth)
  }

  @Test(arguments: [
    ("HTTPS://Push.Example.net", "https://push.example.net", "push.example.net", 443, "/"),
    ("https://push.example.net:443/a", "https://push.example.net", "push.example.net", 443, "/a"),
    ("https://[::1]:2194/push/A#b", "https://[::1]:2194", "::1", 2_194, "/push/A"),
    ("https://127.0.0.1?a", "https://127.0.0.1", "127.0.0.1", 443, "/?a"),
  ])
  func `an endpoint has an origin, a service and a path`(
    url: String, origin: String, host: String, port: Int, path: String
  ) throws {
    let address = try WebPushSubscription(endpoint: url).address
    #expect(address.origin.text == origin)
    #expect(address.service.host == host)
    #expect(Int(address.service.port) == port)
    #expect(address.path == path)
  }

  @Test(arguments: [
    "", "https://", "http://push.example.net/a", "https://user@push.example.net/a",
    "https://push.example.net:0/a", "https://push.example.net:99999/a",
    "https://push.example.net/a b", "https://push.example.net/a\r\nx: y",
    "https://push.example.net/\u{E9}",
    "https://push.example.net/" + String(repeating: "a", count: 2_048),
  ])
  func `an endpoint that is not an https URL is refused`(url: String) {
    #expect(throws: WebPushFault.self) { try WebPushSubscription(endpoint: url) }
  }

  @Test func `a fault names the member that is wrong`() {
    let start = #"{"endpoint":"https://push.example.net/a""#
    #expect(fault("[]")?.contains("it is not a JSON object") == true)
    #expect(fault("{}")?.contains("it has no endpoint") == true)
    #expect(fault(start + "}") == nil)
    #expect(fault(start + #","keys":{"p256dh":"\#(point)"}}"#)?.contains("p256dh and auth") == true)
    #expect(
      fault(start + #","keys":{"p256dh":"BBBB","auth":"\#(auth)"}}"#)?.hasPrefix("invalid p256dh")
        == true)
    #expect(
      fault(start + #","keys":{"p256dh":"\#(point)","auth":"AAAA"}}"#)?.hasPrefix("invalid auth")
        == true)
  }

  @Test func `a message that every service would refuse is not sent`() throws {
    let subscription = try WebPushSubscription(
      endpoint: "https://push.example.net/a", p256dh: point, auth: auth)
    func fault(_ notification: WebPushNotification) -> String? {
      do throws(WebPushFault) {
        _ = try WebPushPost(notification, to: subscription)
        return nil
      } catch {
        return error.description
      }
    }
    let longest = [UInt8](repeating: 0x61, count: 3_993)
    #expect(fault(WebPushNotification(longest)) == nil)
    #expect(fault(WebPushNotification(longest + [0x61]))?.contains("3994 bytes") == true)
    #expect(fault(WebPushNotification(longest, paddingBytes: 1))?.contains("3994 bytes") == true)
    #expect(fault(WebPushNotification([0x61], ttlSeconds: -1))?.hasPrefix("invalid TTL") == true)
    #expect(fault(WebPushNotification([0x61], ttlSeconds: 1 << 31)) == nil)
    #expect(
      fault(WebPushNotification([0x61], ttlSeconds: (1 << 31) + 1))?.hasPrefix("invalid TTL")
        == true)
    for topic in ["", "a b", "a\r\n", String(repeating: "t", count: 33)] {
      #expect(
        fault(WebPushNotification([0x61], topic: topic))?.hasPrefix("invalid topic") == true,
        "\(topic)")
    }
    #expect(fault(WebPushNotification([0x61], topic: String(repeating: "t", count: 32))) == nil)
  }

  @Test func `content needs keys, and a message without content does not`() throws {
    let subscription = try WebPushSubscription(endpoint: "https://push.example.net/a")
    #expect(throws: WebPushFault.self) {
      try WebPushPost(WebPushNotification([0x61]), to: subscription)
    }
    let post = try WebPushPost(WebPushNotification([], ttlSeconds: 0), to: subscription)
    #expect(post.body.isEmpty)
    #expect(post.fields.map(\.name) == ["ttl"])
    #expect(post.fields.map(\.value) == ["0"])
  }
}
