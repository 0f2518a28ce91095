import System

import Transport

extension FuzzTarget {
  /// Tests the record layer against a peer that can behave in any way.
  ///
  /// The bytes determine a cipher suite, a slice size, and the records that the peer seals, changes, repeats, and sends
  /// in cleartext. The content that the layer delivers must be a prefix of the content that the peer sealed. The layer
  /// must deliver nothing after the first byte that differs from the peer's sealed records. The peer must be able to
  /// open all output with its keys.
  static func runTLS(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let suite = UInt16(0x1301 + input.choice(3))
    let slice = input.byte()
    guard let connection = RecordConnection(suite: suite, slice: slice == 0 ? .max : Int(slice))
    else { preconditionFailure("creating a connection for the cipher suite failed") }
    while !input.isEmpty, !connection.hasEnded { step(&input, connection) }
    connection.check()
  }

  private static func step(_ input: inout FuzzInput, _ connection: RecordConnection) {
    switch input.choice(10) {
    case 0: connection.send(sealed(&input, connection, .applicationData))
    case 1:
      let bytes = input.bytes(input.choice(64))
      if !bytes.isEmpty { connection.send(bytes) }
    case 2:
      var record = sealed(&input, connection, .applicationData)
      let bit = Int(input.number(2)) % (record.count * 8)
      record[bit / 8] ^= 1 << (bit % 8)
      connection.send(record)
    case 3:
      connection.send(connection.seal(.handshake, [24, 0, 0, 1, input.byte() & 1], padding: 0))
      connection.updatePeer()
    case 4:
      let type = TLSContentType(rawValue: UInt8(20 + input.choice(4))) ?? .alert
      connection.send(sealed(&input, connection, type))
    case 5: connection.send(connection.last)
    case 6 where connection.takesLong:
      // Test sizes around the maximum content length of a record.
      let count = TLSRecord.contentBytes - 2 + input.choice(5)
      let padding = input.choice(200)
      connection.send(
        connection.seal(.applicationData, [UInt8](repeating: 7, count: count), padding: padding))
    case 7: connection.send([23, 3, 3] + input.bytes(2) + input.bytes(input.choice(40)))
    case 8: connection.write(input.bytes(Int(input.number(2)) % 300))
    default:
      let record = sealed(&input, connection, .applicationData)
      connection.send(Array(record.prefix(1 + input.choice(record.count - 1))))
    }
  }

  private static func sealed(
    _ input: inout FuzzInput, _ connection: RecordConnection, _ type: TLSContentType
  ) -> [UInt8] {
    let content = input.bytes(input.choice(64))
    return connection.seal(type, content, padding: input.choice(4) * input.choice(90))
  }
}

/// A server's record layer and the state of its peer.
private final class RecordConnection {
  private static let secret = [UInt8](0..<48)
  /// The TLS context, which is used only by the single thread of a fuzzer or a test.
  private static let context = makeContext()

  private let loop: EventLoop
  private let shared: StreamLoop
  private let layer: TLSRecordLayer
  private let suite: TLS13Suite
  private let slice: Int
  private let ciphers = TLS13Ciphers()
  /// The keys with which the peer seals and opens records.
  private var sealing = TLS13Keys()
  private var opening = TLS13Keys()
  /// All content that was sealed.
  private var sent: [UInt8] = []
  private var received: [UInt8] = []
  /// All sealed records, in order, and the end of each record: its offset in `genuine` and the end of its content in
  /// `sent`.
  private var genuine: [UInt8] = []
  private var contentEnds: [(offset: Int, content: Int)] = []
  /// The bytes that the layer received.
  ///
  /// If a record was truncated, the next bytes of the input can happen to match the missing byte.
  private var fed: [UInt8] = []
  /// True if the peer has sealed a record that the protocol forbids.
  private var isRude = false
  private(set) var last: [UInt8] = [23, 3, 3, 0, 0]
  private(set) var hasEnded = false
  /// The number of long records so far.
  ///
  /// Three bytes of input can create a long record. The number is limited so that a run spends its time in the code
  /// under test.
  private var longRecords = 0

  /// Counts a long record, and returns false if the limit is reached.
  var takesLong: Bool {
    longRecords += 1
    return longRecords <= 3
  }
  private var written: [UInt8] = []

  init?(suite number: UInt16, slice: Int) {
    guard let suite = TLS13Suite(number: number), let loop = try? EventLoop() else { return nil }
    self.loop = loop
    shared = StreamLoop.of(loop)
    self.suite = suite
    self.slice = slice
    let secret = Self.secret.prefix(suite.secretBytes)
    let other = Self.secret.suffix(suite.secretBytes).reversed() as [UInt8]
    let made = secret.withUnsafeBytes { client in
      other.withUnsafeBytes { server in
        TLSRecordLayer(
          client: client, server: server, suiteNumber: number, Self.context, protocolName: nil,
          recordsSent: 0, shared: StreamLoop.of(loop))
      }
    }
    guard let made else { return nil }
    layer = made
    secret.withUnsafeBytes { sealing.start(secret: $0, suite, sequence: 0) }
    other.withUnsafeBytes { opening.start(secret: $0, suite, sequence: 0) }
  }

  private static func makeContext() -> TLSServerContext {
    do {
      let authority = try CertificateAuthority.make(
        commonName: "fuzzing", nameConstraints: .init(hostNames: ["localhost"]),
        now: 1_700_000_000)
      let identity = try authority.issueServer(
        names: ["localhost"], addresses: [], now: 1_700_000_000)
      return try TLSServerContext(
        certificateChainPEM: identity.certificateChainPEM, privateKeyPEM: identity.privateKeyPEM,
        alpn: [], takeOverRecords: true, recordsPerKey: 5)
    } catch {
      preconditionFailure("creating the server's TLS context failed: \(error)")
    }
  }

  // MARK: The peer

  /// Returns a record from the peer, sealed with the peer's next sequence number.
  func seal(_ type: TLSContentType, _ content: [UInt8], padding: Int) -> [UInt8] {
    switch type {
    case .applicationData where content.count <= TLSRecord.contentBytes: sent += content
    case .handshake where content.count == 5 && content.first == 24: break
    default: isRude = true
    }
    // In the plaintext, the padding follows the content type. Seal a padded record as content with a type of 0.
    let isPadded = padding > 0
    let inner =
      isPadded
      ? content + [type.rawValue] + [UInt8](repeating: 0, count: padding - 1) : content
    let total = TLSRecord.headerBytes + inner.count + 1 + TLSRecord.tagBytes
    var record = [UInt8](repeating: 0, count: total)
    guard let cipher = ciphers.context(suite.cipher, encrypts: true, &sealing) else {
      preconditionFailure("no cipher is available for the cipher suite")
    }
    let isSealed = record.withUnsafeMutableBufferPointer { target in
      inner.withUnsafeBytes { inner in
        target.baseAddress.map {
          TLS13Ciphers.seal(cipher, &sealing, isPadded ? 0 : type.rawValue, inner, into: $0)
        }
      }
    }
    precondition(isSealed == true)
    last = record
    genuine += record
    contentEnds.append((genuine.count, sent.count))
    return record
  }

  func updatePeer() { sealing.update(suite) }

  /// Sends a record from the peer, or arbitrary bytes.
  func send(_ bytes: [UInt8]) { feed(bytes) }

  func write(_ bytes: [UInt8]) {
    precondition(bytes.withUnsafeBytes { layer.write($0) }, "the record layer accepts the bytes")
    let before = written.count
    openOutput()
    precondition(
      Array(written[before...]) == bytes, "the peer reads exactly the bytes that were written")
  }

  private func feed(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty, !hasEnded {
      // Send long records in larger slices, so that a run spends its time in the code under test.
      let count = bytes.count > 4_096 ? max(slice, 64) : slice
      let piece = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      fed += piece
      piece.withUnsafeBytes { offered in
        shared.offer(offered)
        read()
      }
      openOutput()
    }
  }

  private func read() {
    while true {
      switch layer.read(into: shared.plaintext) {
      case .bytes(let count):
        precondition(count > 0 && count <= TLSRecord.contentBytes)
        received += shared.plaintext[..<count]
      case .needsInput:
        precondition(shared.unreadInput.isEmpty, "all available input was used")
        return
      case .ended, .failed:
        hasEnded = true
        return
      }
    }
  }

  /// Checks that the layer's output consists of genuine records, which the peer opens one at a time.
  private func openOutput() {
    var output = Array(shared.output)[...]
    shared.clearOutput()
    while !output.isEmpty {
      let header = Array(output.prefix(5))
      let total = 5 + (Int(header[3]) << 8 | Int(header[4]))
      precondition(output.count >= total, "the output consists of complete records")
      var plain = [UInt8](repeating: 0, count: total)
      guard let cipher = ciphers.context(suite.cipher, encrypts: false, &opening) else {
        preconditionFailure("no cipher is available for the cipher suite")
      }
      let count = Array(output.prefix(total)).withUnsafeBytes { record in
        plain.withUnsafeMutableBytes { target in
          target.baseAddress.flatMap {
            TLS13Ciphers.open(
              cipher, &opening, record, into: $0.assumingMemoryBound(to: UInt8.self))
          }
        }
      }
      guard let count, count > 0 else {
        preconditionFailure("the peer could not open an output record")
      }
      switch TLSContentType(rawValue: plain[count - 1]) {
      case .applicationData: written += plain[..<(count - 1)]
      case .handshake: opening.update(suite)
      case .alert: break
      default: preconditionFailure("an output record has an unexpected content type")
      }
      output = output.dropFirst(total)
    }
  }

  func check() {
    precondition(
      sent.starts(with: received), "the received content is the beginning of the sealed content")
    let own = zip(fed, genuine).prefix { $0 == $1 }.count
    let honest = contentEnds.last { $0.offset <= own }?.content ?? 0
    precondition(
      received.count <= honest, "no content is received after a byte that the peer did not send")
    if own == genuine.count, fed.count == own, !isRude {
      precondition(received == sent || hasEnded, "all sent content is received")
    }
  }
}
