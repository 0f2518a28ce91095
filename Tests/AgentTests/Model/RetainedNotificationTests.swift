import AppWire
import Synchronization
import Testing

@testable import Agent

/// Tests that a push's payload is stored once in memory and once on disk, and that earlier agents' records remain
/// readable.
@Suite struct RetainedNotificationTests {
  private static let text = "avocado-and-nothing-else"
  private static let payload = #"{"aps":{"alert":"\#(text)","content-available":1},"k":7}"#

  private func occurrences(_ bytes: [UInt8]) -> Int {
    String(decoding: bytes, as: UTF8.self).split(separator: Self.text).count - 1
  }

  private func record(_ bench: ModelBench, _ collection: RecordCollection) throws -> [UInt8] {
    let key = try #require(bench.disk.keys(collection).first)
    return try #require(bench.disk[collection, key])
  }

  @Test func `each record of a push has its payload once`() throws {
    let bench = ModelBench()
    _ = bench.authorized()
    bench.handle(.conditionChanged(.metered(true)))
    #expect(bench.push(Self.payload).presented.map(\.body) == [Self.text])
    #expect(occurrences(try record(bench, .delivered)) == 1)
    #expect(occurrences(try record(bench, .fetches)) == 1)
    let id = try #require(bench.centerIDs().first)
    bench.respond(id, .open)
    #expect(occurrences(try record(bench, .responses)) == 1)
  }

  @Test func `content that an extension did not change is not stored twice`() throws {
    let push = RetainedNotification(
      pushNamed: "n", payload: Array(Self.payload.utf8), unixMilliseconds: 5)
    var content = push.content
    content.body = "opened"
    let changed = push.changed(to: content)
    #expect(changed.content == content && changed.payload == push.payload)
    #expect(occurrences(changed.frame.encoded) == 1)
    let frame = try AppFrame(decoding: changed.frame.encoded)
    #expect(try #require(RetainedNotification(frame: frame)) == changed)
    content.userInfo = ["own": 1]
    let other = push.changed(to: content)
    #expect(other.content == content)
    #expect(
      try #require(RetainedNotification(frame: AppFrame(decoding: other.frame.encoded))) == other)
  }

  @Test func `records of earlier agents are read, and hold the payload once from then on`() throws {
    let payload = Array(Self.payload.utf8)
    let content = try #require(PushPayload(payload)).content
    let notification = DeliveredNotification(
      request: NotificationRequest(id: "n", content: content, trigger: .push),
      unixMilliseconds: 9, payload: payload)
    var frame = try AppFrame(decoding: notification.encoded)
    frame.object["app"] = .string(ModelBench.burger.text)
    frame.object["order"] = 4
    frame.object["listed"] = true
    frame.object["shown"] = true
    let entry = try #require(DeliveredList.Entry(record: frame.encoded))
    #expect(entry.retained.notification == notification && entry.order == 4 && entry.isShown)
    #expect(occurrences(frame.encoded) == 2 + 1 && occurrences(entry.record) == 1)

    let arrival = RemoteArrival(
      kind: .alert, payload: payload, id: "apns-id", unixMilliseconds: 9, wantsFetch: true,
      notification: notification)
    let push = try #require(RetainedPush(record: AppEvent.arrived(arrival).frame.encoded))
    #expect(push.arrival == arrival && occurrences(push.record) == 1)
    #expect(RetainedPush(record: push.record) == push)

    let response = NotificationResponse(notification: notification, action: "A", text: "t")
    let key = "\(ModelBench.burger)/4"
    let waiting = try #require(
      Responses.Waiting(key: key, record: AppEvent.response(response).frame.encoded))
    #expect(waiting.response == response && occurrences(waiting.record) == 1)
    #expect(Responses.Waiting(key: key, record: waiting.record) == waiting)
  }

  @Test func `damaged records are rejected`() throws {
    let whole = RetainedNotification(
      pushNamed: "n", payload: Array(Self.payload.utf8), unixMilliseconds: 5
    ).frame
    var short = whole
    short.attached.removeLast()
    #expect(RetainedNotification(frame: short) == nil)
    for name in ["id", "date"] {
      var frame = whole
      frame.object[name] = nil
      #expect(RetainedNotification(frame: frame) == nil)
    }
    #expect(RetainedPush(record: whole.encoded) == nil)
    #expect(DeliveredList.Entry(record: whole.encoded) == nil)
    #expect(Responses.Waiting(key: "a.b/1", record: whole.encoded) == nil)
    #expect(RetainedPush(record: []) == nil && DeliveredList.Entry(record: [1]) == nil)
  }

  @Test func `locking the screen parses no payload again, and unlocking each payload once`() throws
  {
    let bench = ModelBench()
    _ = bench.authorized()
    _ = bench.command(
      .changeSettings(app: ModelBench.burger.text, ["previews": "whenAuthenticated"]))
    let count = 40
    for number in 1...UInt64(count) {
      let thread = number <= 30 ? "t" : "t\u{301}"
      _ = bench.push(
        #"{"aps":{"alert":"\#(Self.text)","thread-id":"\#(thread)"},"k":7}"#, id: number)
    }
    let (locked, parsesWhenLocked) = Self.countingParses {
      bench.handle(.conditionChanged(.sessionLocked(true)))
    }
    #expect(locked.refreshed.count == count)
    #expect(locked.refreshed.allSatisfy { $0.body != Self.text && $0.userInfo.isEmpty })
    #expect(parsesWhenLocked == 0)
    let (unlocked, parsesWhenUnlocked) = Self.countingParses {
      bench.handle(.conditionChanged(.sessionLocked(false)))
    }
    #expect(unlocked.refreshed.count == count)
    #expect(unlocked.refreshed.allSatisfy { $0.body == Self.text && $0.userInfo["k"] == 7 })
    #expect(parsesWhenUnlocked == count)
  }

  private static func countingParses<Value>(_ body: () -> Value) -> (Value, Int) {
    let parses = Mutex(0)
    let value = PushPayload.$onParse.withValue({ parses.withLock { $0 += 1 } }, operation: body)
    return (value, parses.withLock { $0 })
  }
}
