import Foundation
import TestSupport
import Testing

@testable import Agent

@Suite struct PropertyListFileTests {
  /// Returns a property list of `depth` nested arrays, each of which refers to the next array twice.
  ///
  /// The last array contains `last`.
  private func doubling(_ depth: Int, last: Int? = nil) -> Data {
    var objects: [[UInt8]] = [[0xD1, 1, 2], [0x51, 0x6B]]
    for level in 0..<depth {
      let next = UInt8(level + 1 < depth ? level + 3 : last ?? depth + 2)
      objects.append([0xA2, next, next])
    }
    objects.append([0x51, 0x61])
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [objects.count, 0, table] {
      bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return Data(bytes)
  }

  @Test
  func `an ordinary list is read in each format`() throws {
    let list: [String: Any] = [
      "k": Array(repeating: "a", count: 300), "d": ["n": 1, "b": true, "s": "é"],
    ]
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let data = try PropertyListSerialization.data(
        fromPropertyList: list, format: format, options: 0)
      let read = try #require(PropertyListFile.dictionary(data))
      #expect((read["k"] as? [String])?.count == 300)
      #expect((read["d"] as? [String: Any])?["s"] as? String == "é")
    }
    #expect(PropertyListFile.dictionary(Data(#""k" = "v";"#.utf8))?["k"] as? String == "v")
    #expect((PropertyListFile.dictionary(doubling(3))?["k"] as? [Any])?.count == 2)
  }

  @Test(.timeLimit(.minutes(60)))
  func `a list that doubles at each level is refused before it is made`() {
    #expect(PropertyListFile.dictionary(doubling(40)) == nil)
    #expect(BinaryPropertyList.mayBeRead([UInt8](doubling(15))))
    #expect(!BinaryPropertyList.mayBeRead([UInt8](doubling(16))))
  }

  @Test
  func `a list that is too deep or contains itself is refused`() {
    #expect(!BinaryPropertyList.mayBeRead([UInt8](doubling(4, last: 2))))
    #expect(!BinaryPropertyList.mayBeRead([UInt8](doubling(4, last: 0))))
    #expect(!BinaryPropertyList.mayBeRead([UInt8](doubling(4, last: 200))))
    let bytes = [UInt8](doubling(2))
    for count in 6..<bytes.count { #expect(!BinaryPropertyList.mayBeRead(Array(bytes[..<count]))) }
  }

  @Test
  func `a list with a long run of combining marks is not read, however it is written`() throws {
    let marks = String(repeating: "\u{301}\u{316}", count: 40)
    let few = "e" + String(repeating: "\u{301}", count: 30)
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      func data(_ list: [String: Any]) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
      }
      #expect(PropertyListFile.dictionary(try data(["k": few]))?["k"] as? String == few)
      #expect(PropertyListFile.dictionary(try data(["k": "e" + marks])) == nil)
      #expect(PropertyListFile.dictionary(try data(["k": ["e" + marks: 1]])) == nil)
    }
    func xml(_ key: String) -> Data {
      let list = "<dict><key>e\(key)</key><string>b</string></dict>"
      return Data("<?xml version=\"1.0\"?><plist version=\"1.0\">\(list)</plist>".utf8)
    }
    #expect(PropertyListFile.dictionary(xml(""))?.keys.first == "e")
    #expect(PropertyListFile.dictionary(xml(String(repeating: "&#x301;", count: 70))) == nil)
    #expect(PropertyListFile.dictionary(xml(String(repeating: "&#790;", count: 70))) == nil)
    let sections = String(repeating: "<![CDATA[\u{301}]]>", count: 70)
    #expect(PropertyListFile.dictionary(xml(sections)) == nil)
    let old = String(repeating: #"\U0301"#, count: 70)
    #expect(PropertyListFile.dictionary(Data("\"e\(old)\" = \"b\";".utf8)) == nil)
    let utf16 = try #require("\"e\(marks)\" = \"b\";".data(using: .utf16))
    #expect(PropertyListFile.dictionary(utf16) == nil)
  }
}
