import BelfryWire
import AppWire
import Scheduling

import Transport
import WebPush

extension CostSubject {
  /// The parsers that the fuzzers test, each with the input that requires the most work.
  static var protocols: [CostSubject] {
    func target(
      _ target: FuzzTarget, _ name: String, limit: Int, _ make: @escaping @Sendable (Int) -> [UInt8]
    ) -> CostSubject {
      CostSubject("\(target.rawValue): \(name)", limit: limit) { bytes in
        let input = make(bytes)
        return { target.run(input) }
      }
    }
    @Sendable func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
      Array(repeatElement(bytes, count: max(1, count / bytes.count)).joined())
    }
    let binaryFrame: [UInt8] =
      [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 32] + [UInt8](repeating: 7, count: 32) + [0, 2, 0x7B, 0x7D]
    return [
      target(.binary, "small notifications", limit: 256 << 10) { repeated(binaryFrame, $0) },
      target(.binary, "a frame of many items", limit: WireLimits.binaryFrameBytesMax) { bytes in
        let items = repeated([5, 0, 1, 10], bytes)
        let count = UInt32(items.count)
        return [
          2, UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255),
          UInt8(count & 255),
        ] + items
      },
      target(.link, "small frames", limit: 65_536) { repeated([0, 1, 9, 0], $0) },
      target(.token, "a long header", limit: WireLimits.authorizationBytesMax) { bytes in
        Array(
          "bearer \(String(repeating: "eyJh", count: bytes / 8)).\(String(repeating: "eyJh", count: bytes / 8)).AAAA"
            .utf8)
      },
      target(.request, "short fields", limit: 8_000) { bytes in
        Array(("/3/device/00ff\n" + String(repeating: "a: b\n", count: bytes / 5)).utf8)
      },
      target(.request, "a long path", limit: 8_000) {
        Array("/3/device/\(String(repeating: "0", count: $0))".utf8)
      },
      target(.schedule, "noise", limit: 65_536) { repeated([3, 1, 255, 0, 7], $0) },
      target(.zone, "transitions", limit: ScheduleLimits.zoneFileBytes) { bytes in
        let count = UInt32(bytes / 10)
        let counts: [UInt32] = [0, 0, 0, count, 1, 4]
        let head =
          Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
          + counts.flatMap {
            [UInt8($0 >> 24), UInt8($0 >> 16 & 255), UInt8($0 >> 8 & 255), UInt8($0 & 255)]
          }
        return head + [UInt8](repeating: 0, count: bytes)
      },
      target(.format, "percent signs", limit: 65_536) { [UInt8](repeating: 0x25, count: $0) },
      target(.der, "small elements", limit: 65_536) { bytes in
        [0] + DER.element(DERTag.sequence, repeated([0x05, 0x00], bytes))
      },
      target(.der, "nested sequences", limit: 65_536) { bytes in
        var element: [UInt8] = []
        while element.count < bytes {
          var inner: [UInt8] = []
          for _ in 0..<40 { inner = DER.element(DERTag.sequence, inner) }
          element += inner
        }
        return [0] + DER.element(DERTag.sequence, element)
      },
      target(.der, "PEM", limit: 1 << 20) { bytes in
        [0] + Array("-----BEGIN CERTIFICATE-----\n".utf8) + repeated(Array("AAAA\n".utf8), bytes)
          + Array("-----END CERTIFICATE-----\n".utf8)
      },
      target(.der, "PEM headers", limit: 1 << 20) {
        [0] + repeated(Array("-----BEGIN CERTIFICATE-----\n".utf8), $0)
      },
      target(.tls, "noise", limit: 65_536) { repeated([23, 3, 3, 0, 20, 1, 2, 3], $0) },
      target(.bus, "noise", limit: 65_536) { repeated([1, 3, 200, 7, 0, 40], $0) },
      target(.appLink, "small frames", limit: 65_536) { bytes in
        let frame = AppFrame(["type": "badge"]).numbered(1).encoded
        return [255] + repeated(frame, bytes)
      },
      // Raw bytes after a preface and empty SETTINGS, in one slice.
      target(.http2, "small frames", limit: 65_536) {
        [0x80, 0] + repeated([0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1], $0)
      },
      target(.http2, "requests", limit: 65_536) { bytes in
        var input: [UInt8] = [0x80, 0]
        var stream = 1
        while input.count < bytes {
          let id = [UInt8(stream >> 16 & 255), UInt8(stream >> 8 & 255), UInt8(stream & 255)]
          input += [0, 0, 7, 1, 5, 0] + id + [0x83, 0x84, 0x87, 0x01, 0x01, 0x61, 0xbe]
          stream += 2
        }
        return input
      },
      target(.upgrade, "short fields", limit: 8_192) { bytes in
        [0] + Array("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n".utf8)
          + repeated(Array("a: b\r\n".utf8), bytes) + Array("\r\n".utf8)
      },
      target(.upgrade, "elements of lists", limit: 8_192) { bytes in
        [0] + Array("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket".utf8)
          + repeated(Array(", a".utf8), bytes) + Array("\r\n\r\n".utf8)
      },
      target(.webSocket, "Ping frames", limit: 65_536) {
        [0] + repeated(BrowserFrame(opcode: 0x9, []).bytes, $0)
      },
      // A message that does not end, in frames of one byte each.
      target(.webSocket, "fragments", limit: 65_536) {
        [0, 0x01, 0x80, 0, 0, 0, 0] + repeated([0x00, 0x81, 0, 0, 0, 0, 0x61], $0)
      },
      target(.webSocket, "a long message", limit: AutopushLimits.messageBytesMax) {
        [0] + BrowserFrame(opcode: 0x1, [UInt8](repeating: 0x61, count: $0)).bytes
      },
      target(.autopush, "updates", limit: AutopushLimits.messageBytesMax) { bytes in
        let update = #"{"version":"\#(String(repeating: "0", count: 32))"}"#
        let updates = Hostile.list(bytes, each: update.utf8.count + 1) { _ in update }
        return [1, 0] + Array(#"{"messageType":"ack","updates":[\#(updates)]}"#.utf8)
      },
      target(.autopush, "registrations", limit: 65_536) { bytes in
        let channel = "d1c0de00-0004-0008-0000-000000000001"
        let message = #"{"messageType":"unregister","channelID":"\#(channel)"}"# + "\n"
        return [1, 255] + repeated(Array(message.utf8), bytes)
      },
      target(.autopush, "broadcasts", limit: 65_536) { bytes in
        let names = Hostile.object(500, each: 9) { #""\#($0)":"v""# }
        let message = #"{"messageType":"broadcast_subscribe","broadcasts":\#(names)}"# + "\n"
        return [1, 255] + repeated(Array(message.utf8), bytes)
      },
      target(.payload, "nested arrays", limit: 8_192) { bytes in
        [UInt8](repeating: 0x5B, count: bytes / 2) + [UInt8](repeating: 0x5D, count: bytes / 2)
      },
    ]
  }
}
