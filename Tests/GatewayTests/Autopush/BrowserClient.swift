import BelfryWire

@testable import Gateway
@testable import TestSupport

/// A browser in a simulated world, which opens autopush's WebSocket and records what it receives.
final class BrowserClient: SimulatedClient {
  private var received: [UInt8] = []
  private(set) var isClosed = false
  private(set) var connection: SimulatedConnection?

  /// Opens a WebSocket and says `hello`, unless `uaid` is nil; an empty `uaid` is that of a new browser.
  ///
  /// In a cluster, the connection is to a random node other than `process`.
  init(
    in world: GatewaySimulation, path: String = "/\(SimulatedIdentities.enrollmentCode)",
    uaid: String? = "", avoiding process: SimulatedGatewayProcess? = nil
  ) {
    repeat {
      connection?.close()
      connection = world.network.connect(to: 2_081, as: nil, self)
    } while process != nil && connection?.process === process
    let fields = [
      "GET \(path) HTTP/1.1", "Host: gateway", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
    ]
    connection?.send(Array(fields.joined(separator: "\r\n").utf8))
    guard let uaid else { return }
    send(#"{"messageType":"hello","use_webpush":true,"uaid":"\#(uaid)"}"#)
  }

  func send(_ message: String) { send([BrowserFrame(opcode: 0x1, Array(message.utf8))]) }

  func send(_ frames: [BrowserFrame]) { connection?.send(frames.flatMap(\.bytes)) }

  /// Acknowledges a message.
  func acknowledge(_ message: JSONObject) {
    let version = message["version"]?.stringValue ?? ""
    send(#"{"messageType":"ack","updates":[{"version":"\#(version)"}]}"#)
  }

  func received(_ bytes: [UInt8], on connection: SimulatedConnection) { received += bytes }

  func closed(_ connection: SimulatedConnection) { isClosed = true }

  /// The frames after the answer to the handshake.
  private var frames: [(opcode: UInt8, payload: [UInt8])] {
    let end = Array("\r\n\r\n".utf8)
    for index in received.indices.dropLast(3) where received[index..<index + 4] == end[...] {
      return ServiceFrames(Array(received[(index + 4)...])).frames
    }
    return []
  }

  /// The first line of the answer to the handshake.
  var status: String { String(decoding: received.prefix { $0 != 0x0D }, as: UTF8.self) }

  /// The messages of the service.
  var messages: [JSONObject] {
    frames.filter { $0.opcode == 0x1 }.compactMap { frame in
      (try? JSONValue(parsing: frame.payload))?.objectValue
    }
  }

  /// Returns the messages of a type.
  func messages(_ type: String) -> [JSONObject] {
    messages.filter { $0["messageType"]?.stringValue?.hasSameBytes(as: type) == true }
  }

  /// The number of Pong frames.
  var pongs: Int { frames.count { $0.opcode == 0xA } }

  /// The identifier from the answer to `hello`.
  var uaid: String? { messages("hello").first?["uaid"]?.stringValue }

  /// The code in the service's Close frame.
  var closeCode: UInt16? {
    guard let close = frames.last, close.opcode == 0x8, close.payload.count >= 2 else { return nil }
    return UInt16(close.payload[0]) << 8 | UInt16(close.payload[1])
  }
}
