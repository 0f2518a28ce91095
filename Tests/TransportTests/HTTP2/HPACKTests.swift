import Testing

@testable import Transport

/// Tests of HPACK, with the examples of RFC 7541 appendix C.
@Suite struct HPACKTests {
  /// A decoder that collects the fields of blocks.
  private final class Reader {
    var decoder: HPACKFieldDecoder
    init(tableBytes: Int = 4_096) { decoder = HPACKFieldDecoder(tableBytes: tableBytes) }

    /// Returns the fields of a block that arrives in pieces of `slice` bytes, or nil if the block is invalid.
    func fields(_ block: [UInt8], slice: Int = .max) -> [String]? {
      var fields: [String] = []
      var start = 0
      var end = 0
      repeat {
        end = end + min(slice, block.count - end)
        let part = Array(block[start..<end])
        let step = part.withUnsafeBytes { bytes in
          var offset = 0
          var field = HPACKField()
          while true {
            let step = decoder.next(bytes, at: &offset, &field)
            guard step == .field else {
              start += offset
              return step
            }
            fields.append(
              String(decoding: field.name, as: UTF8.self) + ": "
                + String(decoding: field.value, as: UTF8.self))
          }
        }
        decoder.checkInvariants()
        if step == .invalid || step == .incomplete && end == block.count { return nil }
      } while end < block.count
      decoder.endBlock()
      return fields
    }
  }

  private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.filter { $0 != 0x20 }.map { UInt8($0 < 0x3a ? $0 - 0x30 : $0 - 0x57) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  @Test(
    arguments: [
      ([0x0a], 5, 10), ([0x1f, 0x9a, 0x0a], 5, 1_337), ([0x2a], 8, 42), ([0x7f, 0x00], 7, 127),
      ([0x7f, 0x80, 0x80, 0x00], 7, 127), ([0xff, 0x80, 0xff, 0xff, 0xff, 0x0f], 7, 4_294_967_295),
      ([0x1f, 0x80, 0x80, 0x80, 0x80, 0x10], 5, HPACKInteger.invalid),
      ([0x1f, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 5, HPACKInteger.invalid),
      ([0x1f, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 5, HPACKInteger.invalid),
      ([0x1f, 0xff, 0xff], 5, HPACKInteger.incomplete), ([], 5, HPACKInteger.incomplete),
    ] as [([UInt8], UInt8, Int)])
  func `Integers have up to 32 bits (C.1)`(bytes: [UInt8], prefix: UInt8, value: Int) {
    var offset = 0
    #expect(HPACKInteger.read(bytes.span, at: &offset, prefix: prefix) == value)
    guard value >= 0, bytes.count < 4 || value > 200 else { return }
    #expect(offset == bytes.count)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: HPACKInteger.bytesMax)
    defer { memory.deallocate() }
    let count = HPACKInteger.write(value, pattern: 0, prefix: prefix, to: memory)
    offset = 0
    let written = [UInt8](UnsafeBufferPointer(start: memory, count: count))
    #expect(HPACKInteger.read(written.span, at: &offset, prefix: prefix) == value)
  }

  @Test
  func `Single fields are decoded in each representation (C.2)`() {
    #expect(
      Reader().fields(bytes("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572"))
        == ["custom-key: custom-header"])
    #expect(
      Reader().fields(bytes("040c 2f73 616d 706c 652f 7061 7468")) == [":path: /sample/path"])
    #expect(
      Reader().fields(bytes("1008 7061 7373 776f 7264 0673 6563 7265 74")) == ["password: secret"])
    #expect(Reader().fields(bytes("82")) == [":method: GET"])
  }

  @Test(
    arguments: [
      [
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", "8286 84be 5808 6e6f 2d63 6163 6865",
        "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
      ],
      [
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
        "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
      ],
    ], [1, 2, 7, Int.max])
  func `Requests refer to the dynamic table, in blocks that are cut anywhere (C.3, C.4)`(
    blocks: [String], slice: Int
  ) {
    let reader = Reader()
    let first = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"]
    #expect(reader.fields(bytes(blocks[0]), slice: slice) == first)
    #expect(
      reader.fields(bytes(blocks[1]), slice: slice) == first + ["cache-control: no-cache"])
    #expect(
      reader.fields(bytes(blocks[2]), slice: slice) == [
        ":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com",
        "custom-key: custom-value",
      ])
  }

  @Test(arguments: [
    [
      """
      4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a
      3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d
      """, "4803 3330 37c1 c0bf",
      """
      88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04
      677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49
      553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31
      """,
    ],
    [
      """
      4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e
      919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3
      """, "4883 640e ffc1 c0bf",
      """
      88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7
      821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed
      4ee5 b106 3d50 07
      """,
    ],
  ])
  func `Entries are evicted from a small table (C.5, C.6)`(blocks: [String]) {
    let reader = Reader(tableBytes: 256)
    reader.decoder.limitTable(256)
    let blocks = blocks.map { bytes($0.replacing("\n", with: " ")) }
    let rest = [
      "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT",
      "location: https://www.example.com",
    ]
    // A peer must announce a size after the limit became lower.
    #expect(Reader256.refuses(blocks[0]))
    #expect(reader.fields(bytes("3fe1 01") + blocks[0]) == [":status: 302"] + rest)
    #expect(reader.fields(blocks[1]) == [":status: 307"] + rest)
    #expect(
      reader.fields(blocks[2]) == [
        ":status: 200", rest[0], "date: Mon, 21 Oct 2013 20:13:22 GMT", rest[2],
        "content-encoding: gzip",
        "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
      ])
  }

  private enum Reader256 {
    static func refuses(_ block: [UInt8]) -> Bool {
      let reader = Reader(tableBytes: 256)
      reader.decoder.limitTable(256)
      return reader.fields(block) == nil
    }
  }

  @Test(arguments: [
    // The index 0, an index beyond both tables, and a name with such an index.
    "80", "be", "7e 00", "ff ff ff ff ff 0f",
    // A table size above the limit, and one after a field.
    "3f e2 1f", "82 20",
    // A name and a value that end early.
    "40 05 61", "40 01 61 05 62", "40 01", "40",
    // A string of more than 65,536 bytes.
    "40 7f 83 ff 03",
    // A Huffman code with eight bits of padding, with zeros as padding, and with the end of the string.
    "00 81 ff 00", "00 82 1f ff 00", "00 81 18 00", "00 84 ff ff ff ff 00",
    "00 85 3f ff ff ff ff 00",
  ])
  func `Invalid blocks are refused`(hex: String) {
    #expect(Reader().fields(bytes(hex)) == nil)
  }

  @Test
  func `A block may begin with two sizes of the table`() {
    let reader = Reader()
    #expect(reader.fields(bytes("40 01 61 01 62")) == ["a: b"])
    #expect(reader.fields(bytes("be")) == ["a: b"])
    #expect(reader.fields(bytes("20 3f e1 1f 82")) == [":method: GET"])
    #expect(reader.fields(bytes("be")) == nil)
  }

  @Test
  func `A field that is larger than the table empties the table`() {
    let reader = Reader()
    #expect(reader.fields(bytes("40 01 61 01 62")) == ["a: b"])
    let value = [UInt8](repeating: 0x63, count: 4_096)
    let fields = reader.fields(bytes("7e 7f 81 1f") + value)
    #expect(fields == ["a: " + String(decoding: value, as: UTF8.self)])
    #expect(reader.fields(bytes("be")) == nil)
  }

  @Test
  func `The name of a field may belong to the entry that the field evicts`() {
    for length in [1_000, 2_000, 4_000] {
      let reader = Reader()
      let name = [UInt8](repeating: 0x6e, count: length)
      let count = length - 127
      let block = [0x40, 0x7f, UInt8(count % 128 + 128), UInt8(count / 128)] + name + [1, 0x30]
      #expect(reader.fields(block)?.count == 1)
      for round in 1...200 {
        // The newest entry's name, with another value.
        let digits = Array("\(round)".utf8)
        let field = reader.fields([0x7e, UInt8(digits.count)] + digits)
        #expect(field == [String(decoding: name, as: UTF8.self) + ": \(round)"])
        #expect(reader.fields([0xbe]) == field)
      }
    }
  }

  @Test
  func `All bytes are decoded from their Huffman codes`() {
    var state: UInt64 = 7
    for round in 0..<600 {
      let count = round % 90
      let text = (0..<count).map { index -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1
        let byte = UInt8(truncatingIfNeeded: state >> 33)
        return round % 3 == 0
          ? byte : round % 3 == 1 ? byte & 15 + 0x30 : UInt8((index + round) & 255)
      }
      let code = Self.huffman(text)
      let capacity = HPACKHuffman.capacity(code.count)
      let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
      defer { memory.deallocate() }
      let decoded = HPACKHuffman.shared.decode(code.span, into: memory)
      #expect(decoded.map { [UInt8](UnsafeBufferPointer(start: memory, count: $0)) } == text)
    }
  }

  private static func huffman(_ text: [UInt8]) -> [UInt8] {
    var codes: [(code: UInt32, length: Int)] = HPACKHuffman.lengths.map { (0, Int($0)) }
    var code: UInt32 = 0
    for length in 1...30 {
      code <<= 1
      for symbol in codes.indices where codes[symbol].length == length {
        codes[symbol].code = code
        code += 1
      }
    }
    var bits = text.map { byte in
      let (code, length) = codes[Int(byte)]
      return String(repeating: "0", count: length - String(code, radix: 2).count)
        + String(code, radix: 2)
    }.joined()
    while bits.count % 8 != 0 { bits += "1" }
    let digits = Array(bits.utf8)
    return stride(from: 0, to: digits.count, by: 8).map { start in
      digits[start..<start + 8].reduce(0) { $0 << 1 | ($1 & 1) }
    }
  }

  @Test(arguments: [
    ("accept", true), ("x-y_z", true), ("", false), ("A", false), (":", false), (":x", false),
    ("a b", false), ("é", false), ("upgrade", false), ("connection", false),
  ])
  func `Names of fields are tokens in lowercase`(name: String, isValid: Bool) {
    let known = Array(name.utf8).withUnsafeBytes { HTTP2FieldName($0) }
    #expect((known != .forbidden) == isValid)
  }

  @Test
  func `A control character is found at each position of a value`() {
    for count in 1...20 {
      for position in 0..<count {
        for (byte, isValid) in [
          (0x00, false), (0x0a, false), (0x1f, false), (0x7f, false), (0x09, true), (0x20, true),
          (0xff, true), (0x80, true),
        ] as [(UInt8, Bool)] {
          var value = [UInt8](repeating: 0x61, count: count)
          value[position] = byte
          let isPath = isValid && byte > 0x20
          value.withUnsafeBytes {
            #expect(HTTP2FieldKind.isValue($0) == isValid)
            #expect(HTTP2FieldKind.isValue($0, spaces: false) == isPath)
          }
        }
      }
    }
  }
}
