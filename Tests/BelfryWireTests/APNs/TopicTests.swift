import BelfryWire
import PushWire
import Testing

@Suite struct TopicTests {
  @Test(arguments: TokenKind.allCases)
  func `a suffix names its kind`(kind: TokenKind) {
    let topic = Array("com.example.app\(kind.topicSuffix)".utf8)
    let parts = TopicParts(topic.span)
    #expect(parts.bundleIDBytes == 15)
    #expect(parts.kind == (kind == .mdm ? .alert : kind))
  }

  @Test func `a topic that consists only of a suffix is a bundle identifier`() {
    #expect(TopicParts(Array(".voip".utf8).span).kind == .alert)
  }

  @Test(arguments: ["", "a b", "a\u{7F}", "ü", "a/b", "a!", String(repeating: "a", count: 256)])
  func `a topic has 1 to 255 letters, digits, dots, hyphens and underscores`(text: String) {
    let isWellFormed = TopicParts.isWellFormed(Array(text.utf8).span)
    #expect(!isWellFormed)
  }

  @Test func `eleven push types are known, and the other spelling of one`() {
    #expect(PushType.allCases.count == 11)
    for type in PushType.allCases { #expect(PushType(Array("\(type.name)".utf8).span) == type) }
    #expect(PushType(Array("Liveactivity".utf8).span) == .liveActivity)
    #expect(PushType(Array("bogus".utf8).span) == nil)
  }

  @Test(arguments: PushType.allCases)
  func `the topic that a type makes of an app takes that type`(type: PushType) {
    let topic = Array(type.topic(ofApp: "com.example.app").utf8)
    #expect(type.fits(topicOf: TopicParts(topic.span).kind))
    for other in TokenKind.allCases where other != .mdm && other != TopicParts(topic.span).kind {
      #expect(!type.fits(topicOf: other))
    }
  }

  @Test func `a sender may name the app or the whole topic`() {
    #expect(PushType.voip.topic(named: "com.example.app") == "com.example.app.voip")
    #expect(PushType.voip.topic(named: "com.example.app.voip") == "com.example.app.voip")
    #expect(PushType.alert.topic(named: "com.example.app.voip") == "com.example.app.voip")
  }
}
