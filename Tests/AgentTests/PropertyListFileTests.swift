import Foundation
import TestSupport
import Testing

@testable import Agent

@Suite struct PropertyListFileTests {
  /// A list in which each of `depth` arrays names the next one twice, and the last one `last`.
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

  @Test(.timeLimit(.minutes(2)))
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
}
