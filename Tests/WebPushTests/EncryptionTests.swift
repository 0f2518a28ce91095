import Testing
import Transport

@testable import WebPush

@Suite struct EncryptionTests {
  private typealias Failure = WebPushEncryption.Failure

  @Test func `every length of text and padding is restored`() throws {
    var random = SeededGenerator(state: 1)
    let keys = try WebPushSubscriptionKeys()
    for count in [0, 1, 2, 15, 16, 17, 100, 1_000, 3_992, 3_993] {
      let text = random.bytes(count)
      for padding in Set([0, 1, 3_993 - count]) where count + padding <= 3_993 {
        let body = try WebPushEncryption.encrypt(
          text, to: keys.point, auth: keys.auth, padding: padding)
        #expect(body.count == count + padding + 103)
        #expect(body.count <= WebPushLimits.bodyBytesMax)
        #expect(try WebPushEncryption.decrypt(body, with: keys) == text)
      }
    }
  }

  @Test func `a text that ends with zeros or delimiters is restored`() throws {
    let keys = try WebPushSubscriptionKeys()
    for text: [UInt8] in [[0], [2], [1], [2, 0, 0], [0, 0], [1, 2, 0]] {
      let body = try WebPushEncryption.encrypt(text, to: keys.point, auth: keys.auth, padding: 7)
      #expect(try WebPushEncryption.decrypt(body, with: keys) == text)
    }
  }

  @Test func `each body has its own salt and sender`() throws {
    let keys = try WebPushSubscriptionKeys()
    let bodies = try (0..<4).map { _ in
      try WebPushEncryption.encrypt([1], to: keys.point, auth: keys.auth)
    }
    #expect(Set(bodies.map { Array($0[..<16]) }).count == 4)
    #expect(Set(bodies.map { Array($0[21..<86]) }).count == 4)
    #expect(Array(bodies[0][16..<21]) == [0, 0, 0x10, 0, 65])
  }

  @Test func `a longer text, another auth and a point off the curve are refused`() throws {
    let keys = try WebPushSubscriptionKeys()
    let long = [UInt8](repeating: 1, count: 3_993)
    #expect(throws: Failure.plaintextTooLong(bytes: 3_994)) {
      try WebPushEncryption.encrypt(long, to: keys.point, auth: keys.auth, padding: 1)
    }
    #expect(throws: Failure.plaintextTooLong(bytes: 0)) {
      try WebPushEncryption.encrypt([1], to: keys.point, auth: keys.auth, padding: -1)
    }
    #expect(throws: Failure.authInvalid(bytes: 15)) {
      try WebPushEncryption.encrypt([1], to: keys.point, auth: Array(keys.auth.dropLast()))
    }
    #expect(throws: Failure.authInvalid(bytes: 17)) {
      try WebPushSubscriptionKeys(scalar: keys.scalar(), auth: keys.auth + [0])
    }
    var off = keys.point
    off[64] ^= 1
    let hybrid: [UInt8] = [6 + (keys.point[64] & 1)] + keys.point[1...]
    for point in [off, hybrid, [], [0], [4] + [UInt8](repeating: 0, count: 64), keys.point + [0]] {
      #expect(throws: Failure.keyInvalid) {
        try WebPushEncryption.encrypt([1], to: point, auth: keys.auth)
      }
    }
  }

  @Test func `a changed bit anywhere makes a body unreadable`() throws {
    let keys = try RFC8291Vector.receiverKeys
    // The record size is not authenticated; a size above the body's changes nothing.
    for index in RFC8291Vector.body.indices where !(16..<20).contains(index) {
      var body = RFC8291Vector.body
      body[index] ^= 1
      #expect(throws: Failure.self, "byte \(index)") {
        try WebPushEncryption.decrypt(body, with: keys)
      }
    }
    let other = try WebPushSubscriptionKeys(
      scalar: RFC8291Vector.receiverScalar, auth: [UInt8](repeating: 0, count: 16))
    #expect(throws: Failure.notAuthentic(record: 0)) {
      try WebPushEncryption.decrypt(RFC8291Vector.body, with: other)
    }
  }

  @Test func `a sender's point that is not on the curve is refused`() throws {
    let keys = try RFC8291Vector.receiverKeys
    var body = RFC8291Vector.body
    body[85] ^= 1
    #expect(throws: Failure.keyInvalid) { try WebPushEncryption.decrypt(body, with: keys) }
  }

  @Test func `every shorter body is refused`() throws {
    let keys = try RFC8291Vector.receiverKeys
    for count in 0..<RFC8291Vector.body.count {
      let body = Array(RFC8291Vector.body[..<count])
      let expected: Failure =
        count < 86 ? .headerInvalid : (count < 103 ? .truncated : .notAuthentic(record: 0))
      #expect(throws: expected, "\(count) bytes") {
        try WebPushEncryption.decrypt(body, with: keys)
      }
    }
  }

  @Test func `a body above the limit is refused before it is read`() throws {
    let keys = try WebPushSubscriptionKeys()
    #expect(throws: Failure.bodyTooLong(bytes: 65_537)) {
      try WebPushEncryption.decrypt([UInt8](repeating: 0, count: 65_537), with: keys)
    }
  }

  @Test(arguments: [0, 17] as [UInt32])
  func `a record size below 18 is refused`(size: UInt32) throws {
    var body = RFC8291Vector.body
    body[16..<20] = [0, 0, 0, UInt8(size)]
    #expect(EncryptedContentHeader(body) == nil)
    body[19] = 18
    #expect(EncryptedContentHeader(body)?.recordBytes == 18)
  }

  /// Returns a body of RFC 8188 whose records contain these bytes.
  private func body(records: [[UInt8]], size: UInt32) throws -> [UInt8] {
    let salt = [UInt8](repeating: 3, count: 16)
    let keys = try ContentKeys(keyingMaterial: [9], salt: salt)
    var body = EncryptedContentHeader(salt: salt, recordBytes: size, keyID: []).bytes
    for (number, record) in records.enumerated() {
      body += try keys.cipher.seal(record, nonce: keys.nonce(of: number))
    }
    return body
  }

  private func decrypt(_ records: [[UInt8]], size: UInt32) throws -> [UInt8] {
    try EncryptedContent.decrypt(body(records: records, size: size)) { _ in [9] }
  }

  @Test func `several records are joined, whatever their size`() throws {
    var random = SeededGenerator(state: 2)
    for size in [18, 19, 25, 64, 4_096] {
      for count in [0, 1, size - 17, size - 16, 3 * (size - 17), 500] {
        let text = random.bytes(count)
        var records: [[UInt8]] = []
        var rest = text[...]
        while rest.count > size - 17 {
          records.append(rest.prefix(size - 17) + [1])
          rest = rest.dropFirst(size - 17)
        }
        records.append(rest + [2])
        #expect(try decrypt(records, size: UInt32(size)) == text, "\(count) bytes by \(size)")
      }
    }
  }

  @Test func `delimiters, missing records and padding without a delimiter are refused`() throws {
    #expect(throws: Failure.delimiterInvalid(record: 0)) { try decrypt([[5, 3]], size: 100) }
    #expect(throws: Failure.delimiterInvalid(record: 0)) { try decrypt([[0, 0]], size: 100) }
    #expect(throws: Failure.truncated) { try decrypt([[5, 1]], size: 100) }
    #expect(throws: Failure.truncated) { try decrypt([[5, 1]], size: 18) }
    #expect(throws: Failure.delimiterInvalid(record: 0)) { try decrypt([[5, 2], [2]], size: 18) }
    #expect(throws: Failure.delimiterInvalid(record: 1)) {
      try decrypt([[5, 1], [0, 0]], size: 18)
    }
    #expect(throws: Failure.truncated) { try decrypt([[]], size: 18) }
    #expect(throws: Failure.truncated) { try decrypt([], size: 18) }
  }

  @Test func `records in another order are refused`() throws {
    let body = try body(records: [[5, 1], [6, 1], [7, 2]], size: 18)
    #expect(try EncryptedContent.decrypt(body) { _ in [9] } == [5, 6, 7])
    let swapped = Array(body[..<21] + body[39..<57] + body[21..<39] + body[57...])
    #expect(throws: Failure.notAuthentic(record: 0)) {
      try EncryptedContent.decrypt(swapped) { _ in [9] }
    }
    #expect(throws: Failure.truncated) {
      try EncryptedContent.decrypt(Array(body[..<57])) { _ in [9] }
    }
  }

  @Test func `keys have their texts, and are restored from their numbers`() throws {
    let keys = try WebPushSubscriptionKeys()
    #expect(keys.pointText.utf8.count == 87)
    #expect(keys.authText.utf8.count == 22)
    #expect(base64(keys.pointText) == keys.point)
    #expect(base64(keys.authText) == keys.auth)
    let copy = try WebPushSubscriptionKeys(scalar: keys.scalar(), auth: keys.auth)
    #expect(copy.point == keys.point)
    #expect(try WebPushSubscriptionKeys().auth != keys.auth)
  }
}
