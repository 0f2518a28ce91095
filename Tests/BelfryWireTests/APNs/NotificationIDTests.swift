import BelfryWire
import PushWire
import Testing

@Suite("A notification's identity as text")
struct NotificationIDTests {
  private func id(_ text: String) -> NotificationID? {
    let bytes = Array(text.utf8)
    return NotificationID(bytes.span)
  }

  @Test
  func `every digit is read in every position, and the text keeps its letter case`() throws {
    for shift in 0..<16 {
      let digits = (0..<32).map { place in (place + shift) % 16 }
        .map { String($0, radix: 16) }.joined()
      let cuts = [0, 8, 12, 16, 20, 32]
      let text = zip(cuts, cuts.dropFirst()).map { begin, end in
        String(Array(digits)[begin..<end])
      }.joined(separator: "-")
      let small = try #require(id(text))
      #expect(small.text == text)
      let large = try #require(id(text.uppercased()))
      #expect(large.text == text.uppercased())
      #expect(small == large)
      #expect(NotificationID(high: small.high, low: small.low).text == text.uppercased())
    }
  }

  @Test
  func `an invalid byte in any position makes the identifier invalid`() {
    let text = Array("00112233-4455-6677-8899-aabbccddeeff".utf8)
    for place in text.indices {
      for byte in [0x00, 0x2F, 0x3A, 0x40, 0x47, 0x60, 0x67, 0x10, 0xC1, 0xFF] as [UInt8] {
        var wrong = text
        wrong[place] = byte
        let read = NotificationID(wrong.span)
        #expect(read == nil, "\(place) \(byte)")
      }
    }
  }

  @Test
  func `every byte's value as a digit is what the language says`() {
    for byte in UInt8.min...UInt8.max {
      let character = Character(UnicodeScalar(byte))
      let expected = byte < 0x80 ? character.hexDigitValue.map { UInt8($0) } : nil
      #expect(Hexadecimal.value(byte) == expected, "\(byte)")
      var bytes: [UInt8] = [7]
      let digits: [UInt8] = [0x30, byte]
      let isDecoded = Hexadecimal.decode(digits.span, appendingTo: &bytes)
      #expect(isDecoded == (expected != nil))
      #expect(bytes == [7] + (expected.map { [$0] } ?? []))
    }
  }
}
