import BelfryWire
import Transport
import WebPush

/// The parsers of a browser's connection, from the WebSocket's handshake to the messages of autopush's protocol.
extension FuzzTarget {
  // MARK: Handshake

  /// Reads a request that might open a WebSocket.
  ///
  /// The first byte determines how the input is sliced, which must not change the result. An answer must consist of the
  /// gateway's own lines, whatever the request contains.
  static func runUpgrade(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let slice = Int(input.byte()) + 1
    let body = input.remainder()
    let head = upgrade(body, slice: .max)
    let sliced = upgrade(body, slice: slice)
    precondition(
      head?.byteCount == sliced?.byteCount && head?.target == sliced?.target,
      "slicing does not change what is read")
    guard let head else { return }
    precondition(head.byteCount <= body.count, "a head is a part of the input")
    let opening = AutopushOpening(target: head.target, fields: head.fields)
    precondition(
      opening.code.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2F && $0 != 0x3F },
      "a code is one segment of a path")
    var response: [UInt8]
    do throws(WebSocketHandshake.Refusal) {
      response = try WebSocketHandshake(
        method: head.method, fields: head.fields, subprotocol: AutopushLimits.subprotocol
      ).response
    } catch {
      response = error.response
    }
    let lines = response.split(separator: 0x0A, omittingEmptySubsequences: false)
    precondition(lines.count <= 8, "an answer has a fixed number of lines")
  }

  /// Returns the request for another protocol that the input begins with, if there is one.
  private static func upgrade(_ bytes: [UInt8], slice: Int) -> HTTP1UpgradeHead? {
    var reader = HTTP1UpgradeReader()
    var received: [UInt8] = []
    for piece in pieces(bytes, slice) {
      received += piece
      switch reader.read(received) {
      case .incomplete: continue
      case .ordinary: return nil
      case .upgrade(let head): return head
      }
    }
    return nil
  }

  // MARK: Frames

  /// Reads a client's frames.
  ///
  /// The first byte determines how the input is sliced, which must not change the result. Each event that is written
  /// again as one frame must be read as the same event.
  static func runWebSocket(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let slice = Int(input.byte()) + 1
    let body = input.remainder()
    let whole = frames(body, slice: .max)
    precondition(whole == frames(body, slice: slice), "slicing does not change what is read")
    for case .event(let event) in whole {
      let again = frames(BrowserFrame(event).bytes, slice: .max)
      precondition(again == [.event(event)], "a frame has one meaning")
    }
  }

  private enum FrameOutcome: Equatable {
    case event(WebSocketReader.Event)
    case fault(WebSocketFault)
  }

  private static func frames(_ bytes: [UInt8], slice: Int) -> [FrameOutcome] {
    var reader = WebSocketReader(messageBytesMax: AutopushLimits.messageBytesMax)
    var outcomes: [FrameOutcome] = []
    var isClosed = false
    for piece in pieces(bytes, slice) {
      var rest = piece[...]
      do throws(WebSocketFault) {
        while let event = try reader.next(&rest) {
          precondition(!isClosed, "nothing follows a Close frame")
          if case .close = event { isClosed = true }
          outcomes.append(.event(event))
        }
      } catch {
        precondition(reader.isEnded, "a fault ends the reading")
        outcomes.append(.fault(error))
        rest = []
      }
      precondition(rest.isEmpty, "every byte is read")
    }
    return outcomes
  }

  // MARK: Messages

  /// Sends messages to the service, whose decisions the input makes.
  ///
  /// The first byte contains choices, and the second one determines how the input is sliced, which must not change the
  /// result. Each of the following lines is a message. The service must answer with complete frames, and with nothing
  /// after a Close frame.
  static func runAutopush(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let choices = input.byte()
    let slice = Int(input.byte()) + 1
    let lines = input.remainder().split(separator: 0x0A, omittingEmptySubsequences: false)
    var messages = lines.map(Array.init)
    if choices & 1 != 0 { messages.insert(Array(#"{"messageType":"hello"}"#.utf8), at: 0) }
    let whole = BrowserRun(choices: choices).run(messages, slice: .max)
    let sliced = BrowserRun(choices: choices).run(messages, slice: slice)
    precondition(whole == sliced, "slicing does not change what is done")
  }

  private static func pieces(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    guard size < bytes.count else { return bytes.isEmpty ? [] : [bytes] }
    return stride(from: 0, to: bytes.count, by: size).map { start in
      Array(bytes[start..<min(bytes.count, start + size)])
    }
  }
}

/// A frame that a client sends: a whole message, masked.
struct BrowserFrame {
  let bytes: [UInt8]

  init(opcode: UInt8, _ payload: [UInt8], mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]) {
    precondition(mask.count == 4, "a mask has four bytes")
    var bytes = [0x80 | opcode]
    switch payload.count {
    case 0...125: bytes.append(0x80 | UInt8(payload.count))
    case 126...0xFFFF: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default:
      bytes.append(0x80 | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
      }
    }
    bytes += mask
    for (index, byte) in payload.enumerated() { bytes.append(byte ^ mask[index & 3]) }
    self.bytes = bytes
  }

  init(_ event: WebSocketReader.Event) {
    switch event {
    case .text(let text): self.init(opcode: 0x1, text)
    case .ping(let payload): self.init(opcode: 0x9, payload)
    case .pong(let payload): self.init(opcode: 0xA, payload)
    case .close(let code):
      let bytes = code.map { [UInt8($0.rawValue >> 8), UInt8($0.rawValue & 255)] } ?? []
      self.init(opcode: 0x8, bytes)
    }
  }
}

/// The frames that a service sent, each with its opcode and its payload.
struct ServiceFrames {
  private(set) var frames: [(opcode: UInt8, payload: [UInt8])] = []
  /// The bytes of an incomplete frame, or of something that is not a frame of a service.
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
    while let frame = next() { frames.append(frame) }
  }

  private mutating func next() -> (opcode: UInt8, payload: [UInt8])? {
    var input = FuzzInput(Array(rest.prefix(10)))
    guard rest.count >= 2 else { return nil }
    let (first, second) = (input.byte(), input.byte())
    guard first & 0xF0 == 0x80, second < 128 else { return nil }
    let lengthBytes = second == 126 ? 2 : second == 127 ? 8 : 0
    let length = lengthBytes == 0 ? Int(second) : Int(clamping: input.number(lengthBytes))
    let start = 2 + lengthBytes
    guard rest.count >= start, rest.count - start >= length else { return nil }
    let payload = Array(rest.dropFirst(start).prefix(length))
    rest = rest.dropFirst(start + length)
    return (first & 0x0F, payload)
  }
}

/// A service and a client that sends it messages; everything that the service decides follows from a byte.
private final class BrowserRun {
  private let choices: UInt8
  private var server = AutopushServer(at: 0)
  private var output: [UInt8] = []
  private var actions: [AutopushServer.Action] = []
  private var time: Int64 = 0
  private var sent: UInt8 = 0

  init(choices: UInt8) { self.choices = choices }

  /// Returns the service's actions.
  func run(_ messages: [[UInt8]], slice: Int) -> [AutopushServer.Action] {
    for message in messages {
      send(BrowserFrame(opcode: 0x1, message).bytes, slice: slice)
      time += choices & 2 == 0 ? 1_000_000 : 50_000_000_000
      if let action = server.timerFired(at: time, output: &output) { actions.append(action) }
    }
    checkOutput()
    return actions
  }

  private func send(_ bytes: [UInt8], slice: Int) {
    var rest = bytes[...]
    while !rest.isEmpty {
      var piece = rest.prefix(slice)
      rest = rest.dropFirst(piece.count)
      while let action = server.next(&piece, at: time, output: &output) {
        actions.append(action)
        if perform(action) == .ended { return }
      }
    }
  }

  private enum Continuation { case goingOn, ended }

  private func perform(_ action: AutopushServer.Action) -> Continuation {
    switch action {
    case .identify(let known):
      let uaid = known ?? AutopushUserAgentID(bytes: [UInt8](repeating: choices, count: 16))
      guard let uaid else { preconditionFailure("an identifier has 16 bytes") }
      server.identify(as: uaid, at: time, output: &output)
      deliver()
    case .register(let number, let channel, _):
      precondition(server.channel(ofRequest: number) == channel, "a request keeps its channel")
      if choices & 4 == 0 {
        server.answerRegistration(number, endpoint: "https://a/push/x", output: &output)
      } else {
        server.refuse(number, status: 500, "the store failed", output: &output)
      }
    case .unregister(let number, _):
      // Requests that are not answered fill the table.
      if choices & 8 == 0 { server.answerRemoval(number, output: &output) }
    case .settled(let settlements):
      precondition(!settlements.isEmpty, "an action has an effect")
      deliver()
    case .pinged: break
    case .close: return .ended
    }
    return .goingOn
  }

  /// Sends as many messages as the client can have.
  private func deliver() {
    guard let channel = AutopushChannel(bytes: [UInt8](repeating: choices, count: 16)) else {
      preconditionFailure("a channel has 16 bytes")
    }
    while server.freeWindow > 0, sent < 40 {
      sent += 1
      let content: WebPushContent = sent & 1 == 0 ? .empty : .aes128gcm([sent, choices])
      guard
        let message = AutopushNotification(
          channel: channel, version: [UInt8](repeating: sent, count: 16), content: content)
      else { preconditionFailure("a version has 16 bytes") }
      guard
        server.deliver(message, reference: UInt64(sent), at: time, output: &output)
      else { return }
    }
  }

  private func checkOutput() {
    let frames = ServiceFrames(output)
    precondition(frames.rest.isEmpty, "the service sends complete frames")
    for (index, frame) in frames.frames.enumerated() {
      let isLast = index == frames.frames.count - 1
      precondition(isLast || frame.opcode != 0x8, "nothing follows a Close frame")
      guard frame.opcode == 0x1 else { continue }
      let limits = JSONLimits(bytes: frame.payload.count, depth: 8)
      let value = try? JSONValue(parsing: frame.payload, limits: limits)
      precondition(value?.objectValue != nil, "a message of the service is a JSON object")
    }
    precondition(server.isClosed == (frames.frames.last?.opcode == 0x8), "a closed service says so")
  }
}
