import Foundation
import TestSupport
import Testing

/// Tests that read the seeds and findings of the sound file fuzzer again.
@Suite struct SoundCorpusTests {
  @Test
  func `the kept sound files break nothing, cut and changed`() throws {
    let folder = Installation.root + "/Fuzzing/Corpus/sound"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(names.count >= 8)
    for name in names {
      let data = try #require(FileManager.default.contents(atPath: folder + "/" + name))
      let bytes = [UInt8](data)
      SoundFuzzing.run(bytes)
      for index in bytes.indices.prefix(40) {
        SoundFuzzing.run(Array(bytes[..<index]))
        var turned = bytes
        turned[index] ^= 0xFF
        SoundFuzzing.run(turned)
      }
    }
  }
}
