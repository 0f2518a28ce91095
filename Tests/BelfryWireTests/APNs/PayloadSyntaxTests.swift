import BelfryWire
import Testing

@Suite struct PayloadSyntaxTests {
  private func isObject(_ text: String) -> Bool { isObject(Array(text.utf8)) }

  private func isObject(_ bytes: [UInt8]) -> Bool { PayloadSyntax.isObject(bytes.span) }

  @Test(arguments: [
    "{}", " {\"aps\" : {} }\r\n\t", #"{"a":[1,-0,1.5,-1e9,2E+3,0.0e-1],"b":[],"c":{}}"#,
    #"{"a":"\"\\\/\b\f\n\r\té","b":true,"c":false,"d":null}"#, #"{"a":1,"a":2}"#,
    #"{"aps":{"alert":"ü"},"n":12345678901234567890,"f":1.0}"#, #"{"":""}"#,
  ])
  func `an object is one, however it is written`(_ text: String) {
    #expect(isObject(text))
  }

  @Test(arguments: [
    "", " ", "{", "}", "[]", "[{}]", "\"text\"", "1", "null", "{}{}", "{},", "{\"a\"}", "{\"a\":}",
    "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{\"a\":[1,]}", "{\"a\":[1}", "{\"a\":{]}",
    "{\"a\":01}",
    "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}", "{\"a\":-}", "{\"a\":tru}", "{\"a\":\"",
    "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"\\u12", "{\"a\":\"\n\"}", "{\"a\":NaN}",
    "\u{FEFF}{}", "{\"a\":1}x",
  ])
  func `text that is not a JSON object is rejected`(_ text: String) {
    #expect(!isObject(text))
  }

  @Test func `bytes that are no text are the app's matter inside a string`() {
    let bytes = Array("{\"a\":\"".utf8) + [0xFF, 0xC3] + Array("\"}".utf8)
    #expect(isObject(bytes))
    #expect(!isObject([0xA5, 0xA5, 0x7B]))
  }

  @Test func `the deepest that a payload can be is read, and deeper does no harm`() {
    let depth = WireLimits.largePayloadBytesMax / 2 - 10
    let open = "{\"a\":" + String(repeating: "[", count: depth)
    #expect(isObject(open + String(repeating: "]", count: depth) + "}"))
    #expect(!isObject(open))
    #expect(!isObject(String(repeating: "{\"a\":", count: 20_000)))
  }

  @Test func `brackets of two kinds close in turn, however deep`() {
    // The pattern repeats every 7 levels rather than every 64, so the test detects the loss of a level.
    let kinds = (0..<300).map { $0 * $0 % 7 < 3 }
    let open = kinds.map { $0 ? "{\"a\":" : "[" }.joined()
    let close = kinds.reversed().map { $0 ? "}" : "]" }
    #expect(isObject("{\"a\":" + open + "1" + close.joined() + "}"))
    for level in close.indices {
      var wrong = close
      wrong[level] = wrong[level] == "}" ? "]" : "}"
      #expect(!isObject("{\"a\":" + open + "1" + wrong.joined() + "}"), "\(level)")
    }
  }

  @Test func `the characters that end a string are found at every offset`() {
    for count in 0..<40 {
      let plain =
        String(repeating: "é~", count: count / 3) + String(repeating: "x", count: count % 3)
      let long = plain + plain
      #expect(isObject("{\"a\":\"\(plain)\"}"))
      #expect(isObject("{\"a\":\"\(plain)\\\"\(long)\\u00e9\(plain)\"}"))
      #expect(!isObject("{\"a\":\"\(plain)\"\(long)\"}"))
      #expect(!isObject("{\"a\":\"\(plain)\u{1F}\(long)\"}"))
      #expect(!isObject("{\"a\":\"\(plain)\\\(long)\"}"))
      #expect(isObject("{\"a\":\"\(plain) \u{7F}\(long)\"}"))
    }
  }

  @Test func `every incomplete prefix of an object is rejected`() {
    let text = Array(#"{"aps":{"alert":"A\"é","n":[1.5e3,true,null,{}]}}"#.utf8)
    for count in 0..<text.count {
      #expect(!isObject(Array(text[..<count])), "\(count)")
    }
  }
}
