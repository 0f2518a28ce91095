import System
import TestSupport
import Testing
import Transport

@testable import Storage

@Suite struct TarFileTests {
  @Test(arguments: [0, 1, 511, 512, 513, 1 << 20, (1 << 20) + 1])
  func `files added to an archive are extracted unchanged`(count: Int) throws {
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
    let sum = try reader.extract("large", to: scratch.file("target"), mode: 0o600)
    #expect(sum == SHA256.hash(content))
    #expect(writer.sums.last?.sum == sum)
    #expect(try FileSystem.read(scratch.file("target"), limit: 1 << 22) == content)
  }

  @Test
  func `an archive must end with zero blocks and nothing else`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.file("archive.tar")
    let writer = try TarWriter(path)
    try writer.add("one", [1], mode: 0o600, modifiedSeconds: 0)
    try writer.finish()
    #expect(writer.sums.map(\.name) == ["one"])
    #expect(writer.sums.first?.sum == SHA256.hash([1]))
    let bytes = try FileSystem.read(path, limit: 1 << 20)
    func isRead(_ bytes: [UInt8]) throws -> Bool {
      try FileSystem.write(bytes, to: path)
      do {
        return try TarReader(path).entries.count == 1
      } catch TarReader.Failure.damaged {
        return false
      }
    }
    #expect(try isRead(bytes))
    // tar also pads its archives with zeros.
    #expect(try isRead(bytes + [UInt8](repeating: 0, count: 8_192)))
    #expect(try !isRead(bytes + [1]))
    #expect(try !isRead(bytes + bytes))
    #expect(try !isRead(Array(bytes.dropLast(512))))
    #expect(try !isRead(Array(bytes.dropLast(1))))
    #expect(try !isRead(bytes + [UInt8](repeating: 0, count: 2 << 20)))
  }

  @Test
  func `a header holds sizes beyond eight gibibytes`() throws {
    for count in [(1 << 33) - 1, 1 << 33, 1 << 40] {
      let entry = TarEntry(name: "store", byteCount: count, mode: 0o600, modifiedSeconds: 7)
      #expect(TarEntry(header: entry.header) == entry)
    }
  }

  @Test
  func `a header with any changed byte is rejected`() {
    let entry = TarEntry(name: "store", byteCount: 1_000, mode: 0o600, modifiedSeconds: 7)
    // Bytes 154 and 155 only terminate the checksum.
    for index in 0..<512 where index != 154 && index != 155 {
      var header = entry.header
      header[index] ^= 0x41
      #expect(TarEntry(header: header) == nil, "byte \(index)")
    }
  }
}
