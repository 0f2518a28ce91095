/// The limits of this module, each with its unit and its reason.
enum Limits {
  /// Wrong tokens from one address after which clients there must wait; the correct token is always accepted.
  static let wrongTokens = 10
  /// Nanoseconds after the first wrong token until clients at the address no longer have to wait; also the interval
  /// between log lines.
  static let wrongTokenNanoseconds: Int64 = 60_000_000_000
  /// Addresses whose wrong tokens are counted; a new address replaces the oldest.
  static let wrongTokenAddresses = 1_024
  /// Bytes of a PEM or DER file; real chains have about 10 KB.
  static let credentialBytesMax = 1_048_576
  /// Seconds by which a new certificate's validity starts in the past, because clocks differ.
  static let clockSkewSeconds: Int64 = 300
  /// Seconds of a server certificate's total validity: Apple's clients accept 825 days from a private authority.
  static let serverCertificateSecondsMax: Int64 = 825 * 86_400
  /// Bytes of a common name: X.509's ub-common-name (RFC 5280 appendix A).
  static let commonNameBytesMax = 64
  /// Iterations of PKCS#12's key derivation: OpenSSL's default, which older readers support.
  static let passwordIterations: Int32 = 2_048

  // MARK: streams

  /// Bytes of one read(2): one turn's work for one stream, and about the capacity of a socket's buffer.
  static let readBytes = 65_536
  /// Bytes of plaintext from one read: the records in the read, plus one record whose first part arrived earlier.
  static let plaintextBytes = readBytes + TLSRecord.ciphertextBytes
  /// Bytes of unsent output above which a stream's writer should stop.
  static let highWaterBytes = 262_144
  /// Bytes of unsent output at which a stopped writer may resume.
  static let lowWaterBytes = 65_536
  /// Bytes of unsent output at which the connection is closed, because the peer hasn't read for a long time.
  static let unsentOutputBytes = 8_388_608
  /// Bytes that are encrypted together: a dozen records share one write(2).
  static let encryptedAtOnceBytes = 196_608
  /// Bytes written to one stream in one turn, so that one reader can't delay the others.
  static let writtenPerTurnBytes = 1_048_576
  /// Bytes of a stream's first output buffer: one turn's frames for a device.
  static let smallBufferBytes = 2_048
  /// Bytes of an output buffer after it outgrows the first size: one turn's answers to a provider.
  static let largeBufferBytes = 32_768
  /// Small buffers that a loop retains for reuse: 2 MB.
  static let smallBuffersKept = 1_024
  /// Large buffers that a loop retains for reuse: 2 MB.
  static let largeBuffersKept = 64
  /// Connections that one listener accepts in one turn; each costs about 20 µs.
  static let acceptedPerTurn = 16
  /// Nanoseconds for a TLS handshake: many round trips on a poor mobile network.
  static let handshakeNanoseconds: Int64 = 10_000_000_000
  /// Concurrent handshakes on a loop; at this number, no new handshake begins.
  ///
  /// Each holds about 60 KB in OpenSSL.
  static let handshakesMax = 1_000
  /// Handshake steps in one turn: all open connections wait for about 1 ms while a step creates or verifies a
  /// signature.
  static let handshakeStepsPerTurn = 2
  /// Handshake steps that may wait while listeners accept: about 30 ms of work, so that the loop stays busy.
  static let handshakeStepsWaitingMax = 64
  /// Nanoseconds without progress after which a new handshake can replace a handshake in progress if the loop has
  /// reached its limit.
  ///
  /// Legitimate peers answer within a round trip.
  static let handshakeStallNanoseconds: Int64 = 1_000_000_000
  /// Nanoseconds for sending the remaining output after `close`.
  static let flushNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds for the answers to a peer that has shut down its sending side: many times longer than a commit on a
  /// slow disk.
  static let answersNanoseconds: Int64 = 30_000_000_000
  /// Nanoseconds for which input is read and discarded after closing, so that a reset doesn't arrive before the last
  /// output.
  static let lingerNanoseconds: Int64 = 2_000_000_000
  /// Bytes of input that are discarded after closing before the connection is reset.
  static let lingerBytes = 1_048_576
  /// Nanoseconds after which a listener that ran out of file descriptors resumes accepting.
  static let acceptPauseNanoseconds: Int64 = 100_000_000
  /// Bytes of the protocol names in an ALPN list, whose length is two bytes on the wire.
  static let alpnBytes = 65_535

  // MARK: Keys

  /// Bits of a provider's RSA key: the same as in Apple's certificates, and sufficient until 2030 (NIST SP 800-57).
  static let rsaKeyBits: Int32 = 2_048

  // MARK: HTTP/2

  /// Points of a new connection, and also the maximum: enough for a hundred unusual frames.
  static let floodPoints: Int32 = 4_000
  /// Points restored per second, so that one PING per second has no cost in the long run.
  static let floodPointsPerSecond: Int64 = 20
  /// Points restored by a complete request, which cover the request's frames and the WINDOW_UPDATEs after the answer.
  static let requestPoints: Int32 = 30
  /// Octets of DATA that justify a separate frame.
  static let usefulDataBytes = 256
  /// The overhead counted for each header field (RFC 9113 section 6.5.2).
  static let fieldOverheadBytes = 32
  /// Bytes of frames that a session produces before the owner sends them.
  static let sessionOutputBytes = 1_048_576
  /// Bytes of an output buffer that a session retains for its next turn.
  static let sessionBufferKept = 16_384
  /// Bytes of an answer's body that require no allocation; an error's JSON has up to 90 bytes.
  static let smallBodyBytes = 232
  /// Bytes of large response bodies that wait in one session: several times the size of a list of 10,000 channels.
  static let sessionBodyBytes = 16_777_216
  /// Records with small bodies that are retained for reuse by answers that wait for the peer's window.
  static let smallBodiesKept = 1_024
  /// Bytes of a response's header list that a client accepts; a push service sends less than 1 KB.
  static let clientHeaderListBytes = 16_384
  /// Concurrently open requests of a client, regardless of the server's limit.
  static let clientStreams = 2_000

  // MARK: HTTP/1.1

  /// Bytes of a request's line and fields: the same limit as for HTTP/2's header list.
  static let http1HeadBytes = 8_192
  /// Bytes of a field or of a piece of a body that one event can contain.
  static let http1EventBytes = 16_384
  /// Bytes that a client may send ahead of a response: one read in addition to the remainder of the previous read.
  static let http1PipelinedBytes = 262_144
  /// Simultaneous connections of an HTTP/1.1 server, unless its owner specifies fewer.
  ///
  /// To make room for another connection, the connection that has waited longest for its request is closed.
  static let httpConnections = 128
  /// Nanoseconds for which a connection may be without a complete request head: browsers keep a connection open this
  /// long for the next request.
  static let httpIdleNanoseconds: Int64 = 60_000_000_000
  /// Nanoseconds for a request, from its first byte to its last: 1 MB at 35 KB per second.
  static let httpRequestNanoseconds: Int64 = 30_000_000_000
  /// Nanoseconds for which a connection may send requests without a pause if another connection needs its slot: a page
  /// in a browser has about 20 files.
  static let httpPipeliningNanoseconds: Int64 = 2_000_000_000
  /// Threads that run handlers, in addition to the thread for probes.
  static let httpHandlerThreads = 4
  /// Bytes of a long response that are buffered for a client that doesn't read.
  static let httpStreamBytes = 1_048_576
}
