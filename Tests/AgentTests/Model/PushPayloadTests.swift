import AppWire
import Testing

@testable import Agent

@Suite("Payloads")
struct PushPayloadTests {
  func read(_ text: String) throws -> PushPayload { try #require(PushPayload(Array(text.utf8))) }

  @Test
  func `aps says how to show it; the rest is the app's own`() throws {
    let payload = try read(
      """
      {"aps":{"alert":{"title":"T","subtitle":"S","body":"B","launch-image":"L.png",
      "action-loc-key":"OPEN"},"badge":9,"sound":"bingbong.aiff","thread-id":"t","category":"C",
      "mutable-content":1,"target-content-id":"x","interruption-level":"time-sensitive",
      "relevance-score":0.5,"filter-criteria":"f"},"burger":"avocado"}
      """)
    let content = payload.content
    #expect(content.title == "T")
    #expect(content.subtitle == "S")
    #expect(content.body == "B")
    #expect(content.launchImage == "L.png")
    #expect(content.actionTitle.key == "OPEN")
    #expect(content.badge == 9)
    #expect(content.sound == NotificationSound(name: "bingbong.aiff"))
    #expect(content.thread == "t")
    #expect(content.category == "C")
    #expect(content.targetContent == "x")
    #expect(content.interruptionLevel == .timeSensitive)
    #expect(content.relevance == 0.5)
    #expect(content.filterCriteria == "f")
    #expect(content.userInfo["burger"] == "avocado")
    #expect(content.userInfo["aps"] != nil)
    #expect(payload.isMutable)
    #expect(!payload.isContentAvailable)
  }

  @Test
  func `an alert may be a mere string, a sound a dictionary, and 'default' the system's`() throws {
    let payload = try read(
      #"{"aps":{"alert":"hello","sound":{"critical":1,"name":"default","volume":7}}}"#)
    #expect(payload.content.body == "hello")
    #expect(
      payload.content.sound == NotificationSound(isCritical: true, volume: 1))
  }

  @Test
  func `loc-key and loc-args are looked up by the device`() throws {
    let payload = try read(
      #"{"aps":{"alert":{"loc-key":"GAME","loc-args":["Jenna",3],"title-loc-key":"T"}}}"#)
    #expect(payload.content.body.key == "GAME")
    #expect(payload.content.body.arguments == ["Jenna", "3"])
    #expect(payload.content.title.key == "T")
  }

  @Test
  func `A background push needs only content-available`() throws {
    let payload = try read(#"{"aps":{"content-available":1},"a":1}"#)
    #expect(payload.isContentAvailable)
    #expect(payload.content.isEmpty)
  }

  @Test(arguments: [
    "{}", #"{"aps":1}"#, #"{"aps":{"alert":5,"badge":"x","sound":false,"category":1}}"#,
    #"{"aps":{"badge":-1,"sound":""}}"#,
  ])
  func `payload fields with an invalid type or value are ignored`(text: String) throws {
    #expect(try read(text).content.isEmpty)
  }

  @Test(arguments: ["", "[]", "{", "null"])
  func `a payload that is not a JSON object is rejected`(text: String) {
    #expect(PushPayload(Array(text.utf8)) == nil)
  }
}
