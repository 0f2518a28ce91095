import BelfryWire
import Testing

@Suite("JSON")
struct JSONTests {
  @Test(
    arguments: [
      ("null", JSONValue.null), ("true", true), (" false ", false), ("0", 0), ("-12", -12),
      ("9223372036854775807", .integer(.max)), ("9223372036854775808", 9_223_372_036_854_775_808.0),
      ("1.5e3", 1500.0), ("1.0", 1.0), ("\"a\\n\\u00e9\\/\\ud83d\\ude00\"", "a\né/😀"),
      ("[1,[],{}]", [1, [], [:]]), ("{\"b\":1,\"a\":[null]}", ["b": 1, "a": [nil]]),
    ] as [(String, JSONValue)])
  func `each kind of value is read`(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
  }

  @Test(arguments: [
    "", " ", "nul", "tru", "01", "-", "1.", ".5", "1e", "+1", "[1,]", "{\"a\":1,}", "{a:1}",
    "{\"a\"}", "[1 2]", "\"a", "\"\n\"", "\"\\x\"", "\"\\u12\"", "[", "{", "1 1", "// x\n1",
    "'a'", "NaN", "1e999", "\u{FEFF}1",
  ])
  func `text that RFC 8259 forbids is rejected`(text: String) {
    #expect(throws: JSONFailure.self) { try JSONValue(parsing: text) }
  }

  @Test
  func `bytes that are not UTF-8 are refused inside a string`() {
    #expect(throws: JSONFailure.invalidUTF8(offset: 1)) {
      try JSONValue(parsing: [0x22, 0xC3, 0x22])
    }
  }

  @Test
  func `half a surrogate pair becomes the replacement character`() throws {
    #expect(try JSONValue(parsing: #""\ud83dx\udc00""#) == "\u{FFFD}x\u{FFFD}")
    #expect(try JSONValue(parsing: #""\ud83d\u0041""#) == "\u{FFFD}A")
  }

  @Test
  func `numbers out of a Double's range are left out on request`() throws {
    let text = #"{"a":1e400,"b":[1,-1e999,{"c":1e400,"d":2}],"e":1e308,"f":1e-400}"#
    let (value, omitted) = try JSONValue.omittingNumbersOutOfRange(in: Array(text.utf8))
    #expect(value == ["b": [1, nil, ["d": 2]], "e": 1e308, "f": 0.0])
    #expect(omitted == ["a", "c"])
    #expect(throws: JSONFailure.self) { try JSONValue(parsing: text) }
    let many = "{" + (0..<100).map { "\"\($0)\":1e400" }.joined(separator: ",") + "}"
    #expect(
      try JSONValue.omittingNumbersOutOfRange(in: Array(many.utf8)).omitted == ["0", "1", "2", "3"])
  }

  @Test
  func `depth and length are bounded`() throws {
    let limits = JSONLimits(bytes: 100, depth: 3)
    #expect(try JSONValue(parsing: "[[[1]]]", limits: limits) == [[[1]]])
    #expect(throws: JSONFailure.tooDeep(limit: 3)) {
      try JSONValue(parsing: "[[[[1]]]]", limits: limits)
    }
    #expect(throws: JSONFailure.tooLong(limit: 100)) {
      try JSONValue(parsing: String(repeating: " ", count: 101), limits: limits)
    }
    #expect(throws: JSONFailure.tooDeep(limit: 64)) {
      try JSONValue(parsing: String(repeating: "[", count: 100_000))
    }
  }

  @Test
  func `of two members with one key the later counts, in the earlier one's place`() throws {
    let value = try JSONValue(parsing: #"{"a":1,"b":2,"a":3}"#)
    #expect(value.text == #"{"a":3,"b":2}"#)
  }

  @Test(arguments: [
    #"{"z":1,"a":[true,null,1.5,"x"],"e":{}}"#, #""\u0001\"\\\n\t é""#, "[-9223372036854775808]",
  ])
  func `writing is compact, keeps the order, and reads back`(text: String) throws {
    #expect(try JSONValue(parsing: text).text == text)
  }

  @Test
  func `objects are equal whatever their order`() {
    let one: JSONObject = ["a": 1, "b": 2]
    let other: JSONObject = ["b": 2, "a": 1]
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
    #expect(one != ["a": 1, "b": 3])
  }

  @Test
  func `no prefix, and no changed byte, of a text can trap the parser`() {
    let text = Array(#"{"a":[1,-2.5e-3,"é\ud83d\ude00\n"],"b":{"c":null,"d":true}}"#.utf8)
    for length in text.indices { _ = try? JSONValue(parsing: Array(text[..<length])) }
    for index in text.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[index] = byte
        _ = try? JSONValue(parsing: changed)
      }
    }
  }
}
