import BelfryWire
import Foundation
import Testing
import Transport

@testable import BelfryProvider

/// Tests of broadcasts and channel requests (apns-protocol section 5), both before they are sent and on the wire.
@Suite(.timeLimit(.minutes(60))) struct BroadcastContentTests {
  private static let channel = "dHN0LXNyY2gtY2hubA=="
  private let update = LiveActivityContent(
    .update, state: ["x": 1], timestamp: Date(timeIntervalSince1970: 7))

  private func fault(_ make: () throws(PushFault) -> BroadcastPush) -> PushFault? {
    do throws(PushFault) {
      _ = try make()
      return nil
    } catch {
      return error
    }
  }

  @Test func `a broadcast has the headers of one and no topic`() throws {
    let one = try BroadcastPush(
      update, to: Self.channel, of: "com.example.app", expiration: .until(unixSeconds: 9),
      priority: .considerate)
    #expect(String(decoding: one.payload, as: UTF8.self).contains(#""content-state":{"x":1}"#))
    let fields = ServiceRequest.broadcast(one).fields(authority: "a", authorization: "bearer t")
    let named = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
    #expect(named[":path"] == "/4/broadcasts/apps/com.example.app" && named[":method"] == "POST")
    #expect(named["apns-channel-id"] == Self.channel && named["apns-push-type"] == "liveactivity")
    #expect(named["apns-expiration"] == "9" && named["apns-priority"] == "5")
    #expect(named["authorization"] == "bearer t" && named["apns-topic"] == nil)
    #expect(named["apns-request-id"].flatMap(UUID.init(uuidString:)) != nil)
  }

  @Test func `a broadcast that the service would refuse cannot be created`() {
    let app = "com.example.app"
    let start = LiveActivityContent(
      .start(attributesType: "T", attributes: [:]), state: [:], alert: AlertContent(body: "b"))
    #expect(
      fault { () throws(PushFault) in try BroadcastPush(start, to: Self.channel, of: app) }
        == .badValue(member: "event", wanted: "an update or an end"))
    #expect(
      fault { () throws(PushFault) in
        try BroadcastPush(update, to: Self.channel, of: app, expiration: .servicePolicy)
      } == .badValue(member: "expiration", wanted: "once or a date"))
    #expect(
      fault { () throws(PushFault) in
        try BroadcastPush(update, to: Self.channel, of: app, priority: .low)
      } == .badPriority(.low, type: "broadcast"))
    #expect(
      fault { () throws(PushFault) in try BroadcastPush(update, to: Self.channel, of: "a/b") }
        == .badApp("a/b"))
    for channel in ["", "a b", "é", "a\r\nb", String(repeating: "a", count: 200)] {
      #expect(
        fault { () throws(PushFault) in try BroadcastPush(update, to: channel, of: app) }
          == .badValue(member: "channel", wanted: "a channel's identifier in base64"))
    }
    let longest = LiveActivityContent(
      .update, state: ["x": .string(String(repeating: "y", count: 5_000))])
    #expect(
      fault { () throws(PushFault) in try BroadcastPush(longest, to: Self.channel, of: app) } == nil
    )
    let large = LiveActivityContent(
      .update, state: ["x": .string(String(repeating: "y", count: 5_200))])
    guard
      case .payloadTooLarge(_, 5_120)? = fault({ () throws(PushFault) in
        try BroadcastPush(large, to: Self.channel, of: app)
      })
    else {
      Issue.record("a payload over the limit was accepted")
      return
    }
  }

  @Test func `an order to make a channel whose answer is lost is not sent again`() async throws {
    let service = try FakeService { _, index in index == 0 ? .cut : .accept }
    let client = try service.client()
    await #expect(throws: ChannelFailure.self) {
      try await client.createChannel(of: "com.example.app", storage: .none)
    }
    #expect(service.requests.count == 1)
    // It is safe to repeat a request that lists channels.
    let again = try FakeService { _, index in index == 0 ? .cut : .accept }
    let failure = await #expect(throws: ChannelFailure.self) {
      try await again.client().channels(of: "com.example.app")
    }
    #expect(again.requests.count == 2)
    #expect(failure == .failed(.badAnswer("it lists no channels")))
    #expect(again.requests.last?.fields[":path"] == "/1/apps/com.example.app/all-channels")
  }

  @Test func `a name that is invalid in a path or a header is refused before anything is sent`()
    async throws
  {
    let service = try FakeService { _, _ in .accept }
    let client = try service.client()
    await #expect(throws: ChannelFailure.invalid(.badApp("../x"))) {
      try await client.channels(of: "../x")
    }
    await #expect(throws: ChannelFailure.self) {
      try await client.deleteChannel("a\nb", of: "com.example.app")
    }
    #expect(service.requests.isEmpty)
  }
}
