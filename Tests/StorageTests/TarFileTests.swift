import System
import TestSupport
import Testing

@testable import Storage

@Suite struct TarFileTests {
  @Test(arguments: [0, 1, 511, 512, 513, 1 << 20, (1 << 20) + 1])
  func `what is put into an archive comes out of it`(count: Int) throws {
    let scratch = try ScratchFolder()
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try FileSystem.write(content, to: scratch.file("source"))
    let writer = try TarWriter(scratch.file("archive.tar"))
    try writer.add("small", [1, 2, 3], mode: 0o644, modifiedSeconds: 1_795_000_000)
    try writer.add(
      "large", contentsOf: scratch.file("source"), mode: 0o600, modifiedSeconds: 1_795_000_000)
    try writer.finish()
    let reader = try TarReader(scratch.file("archive.tar"))
    #expect(reader.entries.map(\.name) == ["small", "large"])
    #expect(reader.entries.map(\.byteCount) == [3, count])
    #expect(reader.entries.map(\.mode) == [0o644, 0o600])
    #expect(try reader.content(of: "small", limit: 3) == [1, 2, 3])
    #expect(try reader.content(of: "small", limit: 2) == nil)
    try reader.extract("large", to: scratch.file("target"), mode: 0o600)
    #expect(try FileSystem.read(scratch.file("target"), limit: 1 << 22) == content)
  }

  @Test
  func `a header holds sizes beyond eight gibibytes`() throws {
    for count in [(1 << 33) - 1, 1 << 33, 1 << 40] {
      let entry = TarEntry(name: "store", byteCount: count, mode: 0o600, modifiedSeconds: 7)
      #expect(TarEntry(header: entry.header) == entry)
    }
  }

  @Test
  func `a header with any byte changed is none, or another file's`() {
    let entry = TarEntry(name: "store", byteCount: 1_000, mode: 0o600, modifiedSeconds: 7)
    // Bytes 154 and 155 only end the checksum.
    for index in 0..<512 where index != 154 && index != 155 {
      var header = entry.header
      header[index] ^= 0x41
      #expect(TarEntry(header: header) == nil, "byte \(index)")
    }
  }
}
