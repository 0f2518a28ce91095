import Foundation
import TestSupport
import Testing

/// Tests that run each parser again on the fuzzers' seeds and findings.
@Suite struct FuzzCorpusTests {
  @Test(arguments: FuzzTarget.allCases)
  func `the kept corpus breaks nothing`(_ target: FuzzTarget) throws {
    let folder = Installation.root + "/Fuzzing/Corpus/" + target.rawValue
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(names.count >= 8)
    // Each run of these targets takes several milliseconds, because the targets use files, sockets, or ciphers.
    let changes = [.bus, .tls, .manifest, .der, .http2].contains(target) ? 40 : 300
    for name in names {
      let data = try #require(FileManager.default.contents(atPath: folder + "/" + name))
      let bytes = [UInt8](data)
      target.run(bytes)
      // Try every truncation of the input and a change to every byte, as far as a test's time limit allows.
      for index in bytes.indices.prefix(changes) {
        target.run(Array(bytes[..<index]))
        var turned = bytes
        turned[index] ^= 0xFF
        target.run(turned)
      }
    }
  }
}
