/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Bytes of one PEM or DER file that is read: real chains take 10 KB, so this is generous and
  /// still far under what would hurt.
  static let credentialBytesMax = 1_048_576
  /// Seconds that a fresh certificate is valid before its making: clocks differ.
  static let clockSkewSeconds: Int64 = 300
  /// Bytes of a common name: X.509's ub-common-name (RFC 5280 appendix A).
  static let commonNameBytesMax = 64
  /// Rounds of PKCS#12's key derivation: OpenSSL's default, which old readers bear.
  static let passwordIterations: Int32 = 2_048

  // MARK: streams

  /// Bytes of one read(2): one turn's work for one stream, and about what a socket holds.
  static let readBytes = 65_536
  /// Bytes of plaintext of one read: its records, and one whose first part came before.
  static let plaintextBytes = readBytes + TLSRecord.ciphertextBytes
  /// Bytes waiting for the peer above which a stream's writer should stop.
  static let highWaterBytes = 262_144
  /// Bytes waiting for the peer at which a stopped writer may go on.
  static let lowWaterBytes = 65_536
  /// Bytes waiting for the peer at which it is given up: it has not read for long.
  static let unsentOutputBytes = 8_388_608
  /// Bytes encrypted at once: a dozen records share one write(2).
  static let encryptedAtOnceBytes = 196_608
  /// Bytes written to one stream in one turn, so that one reader cannot hold up the others.
  static let writtenPerTurnBytes = 1_048_576
  /// Bytes of a stream's first output buffer: a device's frames of one turn.
  static let smallBufferBytes = 2_048
  /// Bytes of an output buffer that has outgrown the first: a provider's answers of one turn.
  static let largeBufferBytes = 32_768
  /// Small buffers that a loop keeps for reuse: 2 MB.
  static let smallBuffersKept = 1_024
  /// Large buffers that a loop keeps for reuse: 2 MB.
  static let largeBuffersKept = 64
  /// Connections that one listener accepts in one turn.
  static let acceptedPerTurn = 64
  /// Nanoseconds for a TLS handshake: many round trips of a bad mobile path.
  static let handshakeNanoseconds: Int64 = 10_000_000_000
  /// Handshakes that a loop has under way: each holds about 60 KB of OpenSSL's.
  static let handshakesMax = 1_000
  /// Nanoseconds for the last output after `close`.
  static let flushNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds for which what a closed peer still sends is read and dropped, so that a reset does
  /// not overtake the last output.
  static let lingerNanoseconds: Int64 = 2_000_000_000
  /// Bytes that are dropped in that time at most.
  static let lingerBytes = 1_048_576
  /// Nanoseconds until a listener without descriptors looks again.
  static let acceptPauseNanoseconds: Int64 = 100_000_000
  /// Bytes of the protocol names in an ALPN list (its length is two bytes on the wire).
  static let alpnBytes = 65_535

  // MARK: Keys

  /// Bits of a provider's RSA key: what Apple's certificates have, and enough until 2030 (NIST
  /// SP 800-57).
  static let rsaKeyBits: Int32 = 2_048

  // MARK: HTTP/2

  /// Points of a fresh connection, and the most it can have: a client may do a hundred odd things.
  static let floodPoints: Int32 = 4_000
  /// Points given back a second: a PING each second costs nothing in the long run.
  static let floodPointsPerSecond: Int64 = 20
  /// Points for a whole request: pays for its frames, and for WINDOW_UPDATEs after its answer.
  static let requestPoints: Int32 = 30
  /// Octets of DATA that are worth a frame of their own.
  static let usefulDataBytes = 256
  /// Overhead that a header field counts with (RFC 9113 section 6.5.2).
  static let fieldOverheadBytes = 32
  /// Bytes of frames that a session makes before its owner takes them.
  static let sessionOutputBytes = 1_048_576
  /// Bytes of an output buffer that a session keeps for its next turn.
  static let sessionBufferKept = 16_384
  /// Bytes of an answer's body that need no allocation: an error's JSON has up to 90.
  static let smallBodyBytes = 232
  /// Bytes of large bodies that may wait in one session: all that a client can have open, and a list of
  /// 10,000 channels many times.
  static let sessionBodyBytes = 16_777_216
  /// Answers waiting for the peer's window whose small bodies are kept for reuse.
  static let smallBodiesKept = 1_024
  /// Requests of a client that are open at once, whatever the server allows.
  static let clientStreams = 2_000

  // MARK: HTTP/1.1

  /// Bytes of a request's line and fields: as many as HTTP/2's header list may have.
  static let http1HeadBytes = 8_192
  /// Bytes that a client may send ahead of a response: one read with what was left of the last.
  static let http1PipelinedBytes = 262_144
  /// Connections of the console and its tools at once; for one more, the one that has waited longest
  /// for its request is closed.
  static let httpConnections = 128
  /// Of those, what is left to this machine, whatever comes over the network.
  static let httpConnectionsOfLoopback = 32
  /// Connections of one address of the network: some browsers' and a scraper's.
  static let httpConnectionsOfAddress = 32
  /// Nanoseconds for which a connection may be without a whole request head: a browser keeps one that
  /// long for its next request.
  static let httpIdleNanoseconds: Int64 = 60_000_000_000
  /// Nanoseconds for a request, from its first byte to its last: 1 MB at 35 KB a second.
  static let httpRequestNanoseconds: Int64 = 30_000_000_000
  /// Threads that run handlers: one that waits for the disk leaves the others to the probes.
  static let httpHandlerThreads = 4
  /// Bytes of a long response that wait for a client that does not read.
  static let httpStreamBytes = 1_048_576
}
