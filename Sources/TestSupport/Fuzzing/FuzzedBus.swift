import Foundation
import System

/// A message bus with one client.
///
/// The input determines the answers and signals of the services on the bus.
final class FuzzedBus {
  private let path: String
  private let listener: Int32
  private var socket: Int32 = -1
  private var input: FuzzInput
  private var received: [UInt8] = []
  private var isAuthenticated = false
  private var serial: UInt32 = 1
  /// The number of answered calls, which is limited so that a client that keeps calling is eventually ignored.
  private var answers = 0

  var address: String { "unix:path=\(path)" }

  init?(_ input: FuzzInput) {
    self.input = input
    path = "/tmp/belfry-fuzz-\(UUID().uuidString)"
    guard let listener = try? Socket.listen(unixPath: path) else { return nil }
    self.listener = listener
  }

  func close() {
    if socket >= 0 { Socket.close(socket) }
    socket = -1
  }

  deinit {
    close()
    Socket.close(listener)
    try? FileSystem.remove(path)
  }

  func accept() {
    if let accepted = try? Socket.accept(listener) { socket = accepted }
    precondition(socket >= 0, "the client has connected")
  }

  /// Reads and answers received messages, or sends a signal.
  ///
  /// Returns false if there was nothing to read and no signal to send.
  func turn() -> Bool {
    guard socket >= 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    if case .bytes(let count) = buffer.withUnsafeMutableBytes({ Socket.read(socket, into: $0) }) {
      guard count > 0 else {
        close()
        return false
      }
      received += buffer[..<count]
      while isAuthenticated ? answerMessage() : answerLine() {}
      return true
    }
    guard isAuthenticated, !input.isEmpty, serial < 200 else { return false }
    signal()
    return true
  }

  private func send(_ bytes: [UInt8]) {
    guard socket >= 0 else { return }
    _ = bytes.withUnsafeBytes { Socket.write(socket, $0) }
  }

  // MARK: Authentication, line by line

  private func answerLine() -> Bool {
    guard let end = received.firstIndex(of: 0x0A) else { return false }
    let line = String(decoding: received[..<end].filter { $0 > 0x20 || $0 == 0x20 }, as: UTF8.self)
    received.removeFirst(end + 1)
    let words = line.split(separator: " ")
    switch words.first {
    case "AUTH" where words.count > 2, "DATA":
      send(Array("OK 0123456789abcdef0123456789abcdef\r\n".utf8))
    case "AUTH": send(Array("DATA\r\n".utf8))
    case "NEGOTIATE_UNIX_FD": send(Array("AGREE_UNIX_FD\r\n".utf8))
    case "BEGIN": isAuthenticated = true
    default: send(Array("ERROR\r\n".utf8))
    }
    return true
  }

  // MARK: Calls

  /// Answers the next complete message; returns false if no message is complete.
  private func answerMessage() -> Bool {
    guard received.count >= 16 else { return false }
    func number(_ at: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(received[at + $1]) << (8 * $1) }
    }
    let head = (16 + number(12) + 7) / 8 * 8
    let total = head + number(4)
    guard received.count >= total else { return false }
    let call = number(8)
    let isCall = received[1] == 1
    // Search for names in the raw header, which suffices to recognize the calls to the bus itself.
    let text = String(decoding: received[16..<head], as: UTF8.self)
    received.removeFirst(total)
    guard isCall, answers < 100 else { return isCall }
    answers += 1
    answer(UInt32(truncatingIfNeeded: call), text)
    return true
  }

  private func answer(_ call: UInt32, _ text: String) {
    if text.contains("AddMatch") || text.contains("RemoveMatch") {
      return reply(to: call, signature: "", body: [])
    }
    if text.contains("\u{0}Hello") || text.contains("GetNameOwner") {
      var body = BusBytes()
      body.text(text.contains("Hello") ? ":1.7" : ":1.9")
      return reply(to: call, signature: "s", body: body.bytes)
    }
    switch input.choice(8) {
    case 0:
      let names = [
        "org.freedesktop.login1.NoSuchSession", "org.freedesktop.DBus.Error.Failed", "x", "a.b",
      ]
      var message = BusBytes()
      message.text("why")
      reply(
        to: call, signature: "s", body: message.bytes, error: names[input.choice(names.count)])
    case 1:
      let signature = input.bytes(input.choice(12))
      let body = input.bytes(input.choice(128))
      reply(to: call, signature: String(decoding: signature, as: UTF8.self), body: body)
    default:
      let (signature, body) = content()
      reply(to: call, signature: signature, body: body)
    }
  }

  private func reply(to call: UInt32, signature: String, body: [UInt8], error: String? = nil) {
    var fields: [(UInt8, String, String)] = [(7, "s", ":1.9"), (6, "s", ":1.7")]
    if let error { fields.append((4, "s", error)) }
    send(type: error == nil ? 2 : 3, fields, reply: call, signature: signature, body)
  }

  // MARK: Signals

  private func signal() {
    let signals = [
      ("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded"),
      ("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved"),
      ("/org/bluez/hci0/dev_1", "org.freedesktop.DBus.Properties", "PropertiesChanged"),
      (
        "/org/freedesktop/NetworkManager", "org.freedesktop.DBus.Properties", "PropertiesChanged"
      ),
      ("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep"),
      ("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "SessionNew"),
      ("/a", "org.freedesktop.GeoClue2.Client", "LocationUpdated"),
      ("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged"),
    ]
    let (path, interface, member) = signals[input.choice(signals.count)]
    let (signature, body) = content()
    let sender = interface == "org.freedesktop.DBus" ? interface : ":1.9"
    send(
      type: 4,
      [(1, "o", path), (2, "s", interface), (3, "s", member), (7, "s", sender)],
      reply: nil, signature: signature, body)
  }

  /// Returns a signature that services use, and a body of that type with values from the input.
  private func content() -> (String, [UInt8]) {
    let signatures = [
      "v", "s", "o", "as", "ao", "a{oa{sa{sv}}}", "sa{sv}as", "oa{sa{sv}}", "a{sv}", "oas", "b",
      "oo",
      "sss", "ssss", "u", "so", "a{qv}", "ay", "(svay)", "av",
    ]
    let signature = signatures[input.choice(signatures.count)]
    var body = BusBytes()
    var type = Array(signature.utf8)[...]
    while !type.isEmpty { body.fill(&type, &input, depth: 0) }
    return (signature, body.bytes)
  }

  private func send(
    type: UInt8, _ fields: [(UInt8, String, String)], reply: UInt32?, signature: String,
    _ body: [UInt8]
  ) {
    serial += 1
    var head = BusBytes()
    head.bytes = [0x6C, type, 0, 1]
    head.number(UInt32(body.count))
    head.number(serial)
    var list = BusBytes()
    for (code, type, text) in fields {
      list.align(8)
      list.bytes += [code, 1] + Array(type.utf8) + [0]
      list.text(text)
    }
    if let reply {
      list.align(8)
      list.bytes += [5, 1, 0x75, 0]
      list.number(reply)
    }
    if !signature.isEmpty {
      list.align(8)
      list.bytes += [8, 1, 0x67, 0]
      list.signature(Array(signature.utf8))
    }
    head.number(UInt32(list.bytes.count))
    head.bytes += list.bytes
    head.align(8)
    send(head.bytes + body)
  }
}
