import BelfryWire
import TestSupport
import Testing

/// Tests that keys and strings are compared byte by byte, in time that is linear in the length of the string.
@Suite("JSON by bytes")
struct JSONBytewiseTests {
  private let limits = JSONLimits(bytes: 4 << 20)

  @Test
  func `two keys that look alike but differ in bytes are two members`() throws {
    let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
    let object = try #require(value.objectValue)
    #expect(object.count == 2)
    #expect(object["\u{E9}"] == 1)
    #expect(object["e\u{301}"] == 2)
    #expect(JSONValue.doubledKey(in: value.bytes) == nil)
    #expect(value.text == "{\"\u{E9}\":1,\"e\u{301}\":2}")
    let one: JSONObject = ["\u{E9}": 1]
    #expect(one != ["e\u{301}": 1])
    #expect(one["e\u{301}"] == nil)
  }

  @Test
  func `strings that look alike but differ in bytes are not equal`() {
    let one: JSONValue = "\u{E9}"
    #expect(one != "e\u{301}")
    #expect(Set([one, "e\u{301}"]).count == 2)
  }

  @Test(arguments: [
    "{%:1}", "{%:1,\"b\":2}", "{\"b\":2,%:1,%:3}", "[%]", "{\"a\":%}", "{\"a\":{%:%}}",
  ])
  func `a byte of combining marks costs the same in a long text`(template: String) throws {
    let pieces = template.split(separator: "%", omittingEmptySubsequences: false)
    let ratio = try CostGrowth.ratio {
      Array(
        pieces.joined(separator: "\"\(CostGrowth.combiningMarks($0 / (pieces.count - 1)))\"").utf8)
    } _: {
      let value = try JSONValue(parsing: $0, limits: limits)
      let other = try JSONValue(parsing: $0, limits: limits)
      #expect(value == other)
      #expect(value.hashValue == other.hashValue)
      _ = value.objectValue?["a\u{301}"]
      _ = JSONValue.doubledKey(in: $0, limits: limits)
    }
    #expect(ratio <= CostGrowth.most)
  }

  @Test
  func `a member costs the same in an object of many`() {
    let ratio = CostGrowth.ratio { bytes in
      (0..<bytes / 16).map { (String($0), JSONValue.integer(Int64($0))) }
    } _: { pairs in
      let object = JSONObject(pairs)
      let backwards = JSONObject(pairs.reversed())
      #expect(object == backwards)
      #expect(object.hashValue == backwards.hashValue)
      var merged = object
      merged.merge(backwards)
      #expect(merged == object)
    }
    #expect(ratio <= CostGrowth.most)
  }

  @Test
  func `an object of more members than are walked keeps their order and each key once`() {
    var pairs = (0..<40).map { ("key\($0)", JSONValue.integer($0)) }
    pairs.append(("key3", "later"))
    let object = JSONObject(pairs)
    #expect(object.keys == (0..<40).map { "key\($0)" })
    #expect(object["key3"] == "later")
    #expect(object["key39"] == 39)
  }

  @Test
  func `merging replaces in place and appends what is new`() {
    var object: JSONObject = ["a": 1, "b": 2]
    object.merge(["b": 3, "c": 4])
    #expect(object.text == #"{"a":1,"b":3,"c":4}"#)
  }
}

/// Tests that text from a peer is compared byte by byte.
@Suite("UTF8Text")
struct UTF8TextTests {
  @Test
  func `equality, hash and order follow the bytes`() {
    let composed: UTF8Text = "\u{E9}"
    let decomposed: UTF8Text = "e\u{301}"
    #expect(composed != decomposed)
    #expect(decomposed < composed)
    #expect(Set([composed, decomposed, "\u{E9}"]).count == 2)
    #expect(composed == "\u{E9}" as String)
    #expect(composed != "e\u{301}" as String)
    #expect(["b", "", "a", "ab"].map { UTF8Text($0) }.sorted() == ["", "a", "ab", "b"])
    #expect(UTF8Text("") == "" && UTF8Text("").isEmpty)
    #expect(UTF8Text("abc").isASCII && !composed.isASCII)
  }

  @Test
  func `a byte costs the same in a long text`() {
    let ratio = CostGrowth.ratio {
      [UTF8Text](repeating: UTF8Text(CostGrowth.combiningMarks($0)), count: 1)
    } _: {
      let other = [UTF8Text($0[0].string + "\u{316}")]
      #expect($0 != other)
      #expect(!($0 == other) && $0[0] < other[0])
      #expect(Set($0).contains(other[0]) == false)
    }
    #expect(ratio <= CostGrowth.most)
  }
}
