import TestSupport
import Testing

@testable import Transport

@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `FIPS 180-4's examples`(text: String, expected: String) {
    #expect(SHA256.hash(Array(text.utf8)).bytes == bytes(expected))
  }

  @Test
  func `a digest survives its bytes, and no other count makes one`() {
    let digest = SHA256.hash([1, 2, 3])
    #expect(SHA256.Digest(digest.bytes) == digest)
    #expect(SHA256.Digest(digest.bytes.dropLast()) == nil)
  }

  @Test
  func `a kept context allocates once a hash at the most`() {
    let context = SHA256Context()
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 300, alignment: 8)
    defer { input.deallocate() }
    input.initializeMemory(as: UInt8.self, repeating: 9)
    var last: SHA256.Digest?
    expectAllocations(atMost: 1) { last = context.hash(UnsafeRawBufferPointer(input)) }
    #expect(last == SHA256.hash([UInt8](repeating: 9, count: 300)))
  }

  @Test
  func `comparison in constant time tells equal from unequal`() {
    #expect(ConstantTime.areEqual([1, 2], [1, 2]))
    #expect(!ConstantTime.areEqual([1, 2], [1, 3]))
    #expect(!ConstantTime.areEqual([1, 2], [1]))
    #expect(ConstantTime.areEqual([], []))
  }
}
