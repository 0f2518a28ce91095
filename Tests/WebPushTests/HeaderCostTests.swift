import Glibc
import TestSupport
import Testing

@testable import WebPush

// The tests don't run in sanitized builds, because they would measure the sanitizer rather than the code.
#if !SANITIZED
  @Suite(.serialized) struct HeaderCostTests {
    private static let names = [
      "TTL", "Urgency", "Topic", "Content-Encoding", "Encryption", "Crypto-Key", "Authorization",
    ]
    private static let units = [
      "0", "9", "a", ";", ",", "=", "\"", "\\", "a=b;", "a=b,", "k=\"\\\"\";", " ", "a=", "t=a,",
      "\u{301}\u{316}",
    ]

    @Test(arguments: names)
    func `a byte of a hostile field costs no more in a longer field`(name: String) {
      for unit in Self.units {
        for prefix in ["", "vapid t=\""] {
          let ratio = CostGrowth.ratio { bytes in
            utf8(prefix + String(repeating: unit, count: bytes / unit.utf8.count))
          } _: { value in
            var request = WebPushRequest()
            request.field(name: utf8(name).span, value: value.span)
            _ = request.evaluate(body: [1])
          }
          #expect(ratio <= CostGrowth.most, "\(name): \(prefix)\(unit)")
        }
      }
    }

    @Test(arguments: names)
    func `many fields with the same name cost no more each`(name: String) {
      let ratio = CostGrowth.ratio { bytes in
        bytes / (name.utf8.count + 2)
      } _: { count in
        var request = WebPushRequest()
        let (name, value) = (utf8(name), utf8("a="))
        for _ in 0..<count { request.field(name: name.span, value: value.span) }
        _ = request.evaluate(body: [1])
      }
      #expect(ratio <= CostGrowth.most)
    }

    @Test func `a list of parameters is parsed and written in linear time`() {
      for unit in Self.units {
        let ratio = CostGrowth.ratio { bytes in
          utf8("a=\"b\";" + String(repeating: unit, count: bytes / unit.utf8.count))
        } _: { text in
          let list = ParameterList(text.span)
          _ = list?.text(omitting: "p256ecdsa")
          _ = list?.first("salt")
        }
        #expect(ratio <= CostGrowth.most, "\(unit)")
      }
    }

    @Test func `a body of many records is decrypted in linear time`() throws {
      let salt = [UInt8](repeating: 3, count: 16)
      let keys = try ContentKeys(keyingMaterial: [9], salt: salt)
      func body(_ bytes: Int) throws -> [UInt8] {
        var body = EncryptedContentHeader(salt: salt, recordBytes: 18, keyID: []).bytes
        let count = bytes / 18
        for number in 0..<count {
          body += try keys.cipher.seal(
            [5, number == count - 1 ? 2 : 1], nonce: keys.nonce(of: number))
        }
        return body
      }
      let (small, large) = (try body(4_000), try body(64_000))
      // The processor time of this thread, because other tests run at the same time.
      func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      }
      func time(_ body: [UInt8]) throws -> Int64 {
        try (0..<3).map { _ in
          let before = now()
          let count = try EncryptedContent.decrypt(body) { _ in [9] }.count
          #expect(count == body.count / 18 - 1)
          return now() - before
        }.min() ?? 0
      }
      // Sixteen times as many bytes; quadratic work would take 256 times as long.
      #expect(try time(large) < time(small) * 64)
    }
  }
#endif
