import BelfryWire
import Testing

@testable import PushWire

/// Tests of Web Push subscriptions as topics of the device link.
@Suite struct WebPushSubjectTests {
  @Test func `A subscription becomes a topic, and a topic a subscription`() throws {
    let hash = [UInt8](repeating: 0xFB, count: 32)
    for number: UInt32 in [0, 31, 0xFFF_FFFF] {
      for keyHash in [[], hash] {
        let subject = try #require(WebPushSubject(number: number, keyHash: keyHash))
        #expect(subject.topic.kind == .webPush)
        #expect(WebPushSubject(subject.topic) == subject)
      }
    }
    #expect(WebPushSubject(number: 31)?.topic.bundleID == "000001f")
  }

  @Test(arguments: [
    "", "00001f", "000001F", "000001g", "000001f:", "000001f:AAAA", "000001f;", "0000001f",
    "000001f:" + String(repeating: "A", count: 44),
  ])
  func `A topic of another form is no subscription`(name: String) {
    #expect(WebPushSubject(LinkTopic(bundleID: name, kind: .webPush)) == nil)
  }

  @Test func `Numbers above 28 bits, short hashes and other kinds are refused`() {
    #expect(WebPushSubject(number: 1 << 28) == nil)
    #expect(WebPushSubject(number: 1, keyHash: [1]) == nil)
    #expect(WebPushSubject(LinkTopic(bundleID: "000001f")) == nil)
  }

  @Test func `A device asks about subscriptions only after the gateway has announced its service`()
    throws
  {
    var subjects = LinkSubjects()
    let subscription = LinkSubject.topic(try #require(WebPushSubject(number: 1)).topic)
    var output: [UInt8] = []
    subjects.wish(.register, subscription, isConnected: true, to: &output)
    subjects.askAll(to: &output)
    #expect(output.isEmpty)
    subjects.askForWebPush(to: &output)
    #expect(!output.isEmpty)
    // Another connection can lead to an older gateway.
    output = []
    subjects.disconnected()
    subjects.askAll(to: &output)
    #expect(output.isEmpty)
    subjects.wish(
      .register, .topic(LinkTopic(bundleID: "com.example.app")), isConnected: true, to: &output)
    #expect(!output.isEmpty)
  }
}
