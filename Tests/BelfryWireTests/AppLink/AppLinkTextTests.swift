import BelfryWire
import AppWire
import TestSupport
import Testing

/// Tests of frames whose strings are expensive to compare, because every string contains runs of combining marks.
@Suite("Texts of app link frames")
struct AppLinkTextTests {
  /// The frames, each with `%` in place of a string.
  private static let frames = [
    #"{"type":"%","number":1}"#,
    #"{"type":"hello","number":1,"%":1,"version":1}"#,
    #"{"type":"hello","number":1,"version":1,"role":"%"}"#,
    #"{"type":"hello","number":1,"version":1,"state":"%"}"#,
    #"{"type":"hello","number":1,"version":1,"launch":"%"}"#,
    #"{"type":"hello","number":1,"version":1,"app":"%","name":"%","backgroundModes":["%"]}"#,
    #"{"type":"authorize","number":1,"options":["%","%"]}"#,
    #"{"type":"register","number":1,"kind":"%"}"#,
    #"{"type":"setCategories","number":1,"categories":[{"id":"%","options":["%"]}]}"#,
    #"{"type":"removeDelivered","number":1,"ids":["%","%"]}"#,
    #"{"type":"control.state","number":1,"changes":{"%":"on"}}"#,
    #"{"type":"control.changeDevice","number":1,"changes":{"languages":"%"}}"#,
    #"{"answers":1,"error":{"reason":"%","message":"%"}}"#,
    #"{"answers":1,"options":["%"],"result":"%"}"#,
  ]

  private static func read(_ frame: AppFrame) {
    guard let message = try? AppMessage(frame) else { return }
    switch message {
    case .request(let type, _, let frame):
      _ = try? AppRequest(type: type, frame)
      _ = try? AppEvent(type: type, frame)
    case .answer(_, let frame):
      _ = try? AppReply(frame)
    case .refusal: break
    }
  }

  @Test(arguments: frames)
  func `a byte costs the same in a long text`(template: String) throws {
    let pieces = template.split(separator: "%", omittingEmptySubsequences: false)
    let ratio = try CostGrowth.ratio { bytes in
      let marks = CostGrowth.combiningMarks(bytes / (pieces.count - 1))
      return AppFrame(
        try #require(
          try JSONValue(
            parsing: Array(pieces.joined(separator: marks).utf8),
            limits: JSONLimits(bytes: 4 << 20)
          ).objectValue))
    } _: { frame in
      Self.read(frame)
    }
    #expect(ratio <= CostGrowth.most)
  }

  @Test
  func `a launch token that is not ASCII is refused`() {
    #expect(throws: AppLinkDecodingFailure.unexpected(field: "launch")) {
      try AppRequest(type: "hello", AppFrame(["version": 1, "launch": "\u{E9}"]))
    }
  }

  @Test
  func `a word of no vocabulary is passed over or refused, whatever its characters`() throws {
    let hello = try AppRequest(
      type: "hello", AppFrame(["version": 1, "backgroundModes": ["fetch", "\u{E9}"]]))
    guard case .hello(let greeting) = hello else {
      Issue.record("not a greeting: \(hello)")
      return
    }
    #expect(greeting.backgroundModes == ["fetch"])
    #expect(throws: AppLinkDecodingFailure.unknownType("caf\u{E9}")) {
      try AppRequest(type: "caf\u{E9}", AppFrame([:]))
    }
  }
}
