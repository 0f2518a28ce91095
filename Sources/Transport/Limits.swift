/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Wrong tokens from one address, after which it is told to wait; the right one is let through at all times.
  static let wrongTokens = 10
  /// Nanoseconds after the first of them when it need wait no more, and between lines of the log.
  static let wrongTokenNanoseconds: Int64 = 60_000_000_000
  /// Addresses whose wrong tokens are counted; the oldest makes room.
  static let wrongTokenAddresses = 1_024
  /// Bytes of a PEM or DER file: real chains have some 10 KB.
  static let credentialBytesMax = 1_048_576
  /// Seconds by which a new certificate's validity begins in the past, since clocks differ.
  static let clockSkewSeconds: Int64 = 300
  /// Seconds of a server certificate's whole validity: Apple's clients accept 825 days of a private authority's.
  static let serverCertificateSecondsMax: Int64 = 825 * 86_400
  /// Bytes of a common name: X.509's ub-common-name (RFC 5280 appendix A).
  static let commonNameBytesMax = 64
  /// Iterations of PKCS#12's key derivation: OpenSSL's default, which older readers support.
  static let passwordIterations: Int32 = 2_048

  // MARK: streams

  /// Bytes of one read(2): one turn's work for one stream, and about what a socket holds.
  static let readBytes = 65_536
  /// Bytes of plaintext of one read: its records, and one whose first part came before.
  static let plaintextBytes = readBytes + TLSRecord.ciphertextBytes
  /// Bytes of unsent output above which a stream's writer should stop.
  static let highWaterBytes = 262_144
  /// Bytes of unsent output at which a stopped writer may resume.
  static let lowWaterBytes = 65_536
  /// Bytes of unsent output at which the connection is closed: the peer has not read for long.
  static let unsentOutputBytes = 8_388_608
  /// Bytes encrypted at a time: a dozen records share one write(2).
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
  /// Connections that one listener accepts in one turn: each costs some 20 µs.
  static let acceptedPerTurn = 16
  /// Nanoseconds for a TLS handshake: many round trips on a bad mobile network.
  static let handshakeNanoseconds: Int64 = 10_000_000_000
  /// Concurrent handshakes of a loop, beyond which none begins: each holds about 60 KB in OpenSSL.
  static let handshakesMax = 1_000
  /// Steps of handshakes in one turn, each with a signature to make or to verify: 1 ms or so, for which all that is
  /// open waits.
  static let handshakeStepsPerTurn = 2
  /// Steps that may wait while listeners accept: some 30 ms of work, so that a loop never runs dry.
  static let handshakeStepsWaitingMax = 64
  /// Nanoseconds without progress after which a handshake makes room for a new one, where there is no other: honest
  /// peers answer in a round trip.
  static let handshakeStallNanoseconds: Int64 = 1_000_000_000
  /// Nanoseconds for sending the remaining output after `close`.
  static let flushNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds for the answers to a peer that has shut down its sending side: a commit on a slow disk many times over.
  static let answersNanoseconds: Int64 = 30_000_000_000
  /// Nanoseconds for which input is read and discarded after closing, so that a reset does not overtake the last
  /// output.
  static let lingerNanoseconds: Int64 = 2_000_000_000
  /// Bytes discarded in that time before the connection is reset.
  static let lingerBytes = 1_048_576
  /// Nanoseconds before a listener that ran out of file descriptors accepts again.
  static let acceptPauseNanoseconds: Int64 = 100_000_000
  /// Bytes of the protocol names in an ALPN list (its length is two bytes on the wire).
  static let alpnBytes = 65_535

  // MARK: Keys

  /// Bits of a provider's RSA key: what Apple's certificates have, and enough until 2030 (NIST
  /// SP 800-57).
  static let rsaKeyBits: Int32 = 2_048

  // MARK: HTTP/2

  /// Points of a new connection, and the maximum: enough for a hundred unusual frames.
  static let floodPoints: Int32 = 4_000
  /// Points restored per second, so that one PING per second costs nothing in the long run.
  static let floodPointsPerSecond: Int64 = 20
  /// Points restored by a complete request: they pay for its frames and for WINDOW_UPDATEs after its answer.
  static let requestPoints: Int32 = 30
  /// Octets of DATA that are worth a frame of their own.
  static let usefulDataBytes = 256
  /// Overhead that a header field counts with (RFC 9113 section 6.5.2).
  static let fieldOverheadBytes = 32
  /// Bytes of frames that a session produces before its owner sends them.
  static let sessionOutputBytes = 1_048_576
  /// Bytes of an output buffer that a session retains for its next turn.
  static let sessionBufferKept = 16_384
  /// Bytes of an answer's body that need no allocation: an error's JSON has up to 90.
  static let smallBodyBytes = 232
  /// Bytes of large response bodies waiting in one session: a list of 10,000 channels many times over.
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
  /// Connections of an HTTP/1.1 server at once, unless its owner says less; for one more, the one that has waited
  /// longest for its request is closed.
  static let httpConnections = 128
  /// Nanoseconds for which a connection may be without a whole request head: a browser keeps one that
  /// long for its next request.
  static let httpIdleNanoseconds: Int64 = 60_000_000_000
  /// Nanoseconds for a request, from its first byte to its last: 1 MB at 35 KB a second.
  static let httpRequestNanoseconds: Int64 = 30_000_000_000
  /// Nanoseconds for which a connection may have each answer followed by the next request at once, when another one
  /// needs its place: a browser's page has some twenty files.
  static let httpPipeliningNanoseconds: Int64 = 2_000_000_000
  /// Threads that run handlers: one that waits for the disk leaves the others to the probes.
  static let httpHandlerThreads = 4
  /// Bytes of a long response that wait for a client that does not read.
  static let httpStreamBytes = 1_048_576
}
