import Foundation
import TestSupport
import Testing

/// What the fuzzers have found and were begun with is given to each parser again.
@Suite struct FuzzCorpusTests {
  @Test(arguments: FuzzTarget.allCases)
  func `the kept corpus breaks nothing`(_ target: FuzzTarget) throws {
    let folder = Installation.root + "/Fuzzing/Corpus/" + target.rawValue
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(names.count >= 8)
    // Files, sockets and ciphers make a run of these some milliseconds long.
    let changes = [.bus, .tls, .manifest, .der].contains(target) ? 40 : 300
    for name in names {
      let data = try #require(FileManager.default.contents(atPath: folder + "/" + name))
      let bytes = [UInt8](data)
      target.run(bytes)
      // Every cut of it, and every byte of it turned, within what a test may take.
      for index in bytes.indices.prefix(changes) {
        target.run(Array(bytes[..<index]))
        var turned = bytes
        turned[index] ^= 0xFF
        target.run(turned)
      }
    }
  }
}
