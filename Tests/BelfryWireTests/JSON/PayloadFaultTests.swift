import BelfryWire
import Testing

@Suite struct PayloadFaultTests {
  @Test(
    arguments: [
      ("{\n  \"aps\": {\n    \"badge\": 1,\n  }\n}", 3, 15, "comma before '}'"),
      ("{\"a\": [1, 2,\n]}", 1, 12, "comma before ']'"),
      ("{\"é\": \"ü\",}", 1, 10, "comma before '}'"), ("", 1, 1, "empty"), (" \n ", 1, 1, "empty"),
      ("{\"aps\": {\n", 2, 1, "unexpected end"), ("{\"a\": \"b", 1, 9, "unexpected end"),
      ("{'a': 1}", 1, 2, "quotation mark"), ("{“a”: 1}", 1, 2, "quotation mark"),
      ("{a: 1}", 1, 2, "missing quotation marks"), ("{,}", 1, 2, "missing quotation marks"),
      ("{\"a\": 1 \"b\": 2}", 1, 9, "missing comma or colon"),
      ("{\"a\" 1}", 1, 6, "missing comma or colon"),
      ("{\"a\": 1}}", 1, 9, "unexpected data"), ("[1]", 1, 1, "another JSON value"),
      ("\n\"text\"", 2, 1, "another JSON value"), ("\u{FEFF}{}", 1, 1, "byte order mark"),
      ("{\"a\": \"b\nc\"}", 1, 9, "line break"), ("{\"a\": 1} // x", 1, 10, "unexpected data"),
      ("{// x\n\"a\": 1}", 1, 2, "comments"), ("{\"a\": True}", 1, 7, "'T'"),
      ("{\"a\": \"\\x\"}", 1, 9, "escape"), ("{\"a\": 1e999,}", 1, 7, "out of range"),
      ("Hello", 1, 1, "'H'"), ("\0", 1, 1, "control"),
    ] as [(String, Int, Int, String)])
  func `the usual slips are named with their line and column`(
    text: String, line: Int, column: Int, what: String
  ) throws {
    let fault = try #require(PayloadFault(in: Array(text.utf8)))
    #expect(fault.line == line, "\(fault)")
    #expect(fault.column == column, "\(fault)")
    #expect(fault.what.contains(what), "\(fault)")
    #expect(!fault.remedy.isEmpty)
  }

  @Test(arguments: ["{}", " {\"aps\": {\"alert\": \"Hello\"}}\n", "{\"a\": 1, \"a\": 1e999}"])
  func `payloads that the service accepts have no fault`(text: String) {
    #expect(PayloadFault(in: Array(text.utf8)) == nil)
  }

  @Test
  func `it agrees with the service's own look at every payload that is cut short or changed`() {
    let text = Array(
      #"{"aps":{"alert":{"title":"a\u00e9\n"},"badge":-1.5e3,"x":[true,null,{}]}}"#.utf8)
    for index in text.indices {
      var changed = text
      for byte: UInt8 in [0, 0x0A, 0x22, 0x2C, 0x5C, 0x7D, 0x80, 0xFF] {
        changed[index] = byte
        #expect((PayloadFault(in: changed) == nil) == PayloadSyntax.isObject(changed.span))
      }
      #expect(PayloadFault(in: Array(text[..<index])) != nil)
    }
  }
}
