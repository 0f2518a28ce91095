/// The limits of this module, each with its unit and its reason.
package enum Limits {
  /// The number of wrong tokens from one address after which clients at that address must wait; the correct token is
  /// always accepted.
  static let wrongTokens = 10
  /// The time, in nanoseconds after the first wrong token, at which clients at the address no longer have to wait; also
  /// the interval between log lines that include an address.
  static let wrongTokenNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of addresses whose wrong tokens are counted; a new address replaces the oldest.
  static let wrongTokenAddresses = 1_024
  /// The maximum number of bytes in a PEM or DER file; real chains have about 10 KB.
  static let credentialBytesMax = 1_048_576
  /// The number of seconds by which the start of a new certificate's validity precedes its creation, because clocks
  /// differ.
  static let clockSkewSeconds: Int64 = 300
  /// The maximum validity period of a server certificate, in seconds: Apple's clients accept 825 days from a private
  /// authority.
  static let serverCertificateSecondsMax: Int64 = 825 * 86_400
  /// The maximum number of bytes in a common name: X.509's ub-common-name (RFC 5280 appendix A).
  static let commonNameBytesMax = 64
  /// The number of iterations in PKCS#12's key derivation: OpenSSL's default, which older readers support.
  static let passwordIterations: Int32 = 2_048

  // MARK: streams

  /// The maximum number of bytes in one read(2) call, which is the work for one stream in one turn.
  ///
  /// A socket's buffer has about the same capacity.
  static let readBytes = 65_536
  /// The maximum number of bytes of plaintext from one read: the records in the read, plus one record whose first part
  /// arrived earlier.
  static let plaintextBytes = readBytes + TLSRecord.ciphertextBytes
  /// The number of bytes of unsent output above which a stream's writer should stop.
  static let highWaterBytes = 262_144
  /// The number of bytes of unsent output at which a stopped writer may resume.
  static let lowWaterBytes = 65_536
  /// The number of bytes of unsent output at which the connection is closed, because the peer hasn't read for a long
  /// time.
  static let unsentOutputBytes = 8_388_608
  /// The maximum number of bytes that are encrypted together: a dozen records share one write(2).
  static let encryptedAtOnceBytes = 196_608
  /// The maximum number of bytes written to one stream in one turn, so that one reader can't delay the others.
  static let writtenPerTurnBytes = 1_048_576
  /// The number of bytes in a stream's first output buffer: one turn's frames for a device.
  static let smallBufferBytes = 2_048
  /// The number of bytes in an output buffer after it outgrows the first size: one turn's answers to a provider.
  static let largeBufferBytes = 32_768
  /// The maximum number of small buffers that a loop retains for reuse; together, they take up 2 MB.
  static let smallBuffersKept = 1_024
  /// The maximum number of large buffers that a loop retains for reuse; together, they take up 2 MB.
  static let largeBuffersKept = 64
  /// The maximum number of connections that one listener accepts in one turn; each costs about 20 µs.
  static let acceptedPerTurn = 16
  /// The maximum number of nanoseconds for a TLS handshake: many round trips on a poor mobile network.
  static let handshakeNanoseconds: Int64 = 10_000_000_000
  /// The maximum number of concurrent handshakes on a loop; at this number, no new handshake begins.
  ///
  /// Each handshake uses about 60 KB of memory in OpenSSL.
  static let handshakesMax = 1_000
  /// The maximum number of handshake steps in one turn.
  ///
  /// Each step creates or verifies a signature, which delays all open connections by about 1 ms.
  static let handshakeStepsPerTurn = 2
  /// The number of waiting handshake steps at which listeners stop accepting connections: about 30 ms of work, which
  /// keeps the loop busy.
  static let handshakeStepsWaitingMax = 64
  /// The number of nanoseconds without progress after which a new handshake can replace a handshake in progress if the
  /// loop has reached its limit.
  ///
  /// Legitimate peers answer within a round trip.
  static let handshakeStallNanoseconds: Int64 = 1_000_000_000
  /// The maximum number of nanoseconds for sending the remaining output after `close`.
  static let flushNanoseconds: Int64 = 10_000_000_000
  /// The maximum number of nanoseconds for the answers to a peer that has shut down its sending side: many times longer
  /// than a commit on a slow disk.
  static let answersNanoseconds: Int64 = 30_000_000_000
  /// The time, in nanoseconds, during which input is read and discarded after closing, so that a reset doesn't destroy
  /// the last output.
  static let lingerNanoseconds: Int64 = 2_000_000_000
  /// The maximum number of bytes of input that are discarded after closing before the connection is reset.
  static let lingerBytes = 1_048_576
  /// The number of nanoseconds after which a listener that ran out of file descriptors resumes accepting.
  static let acceptPauseNanoseconds: Int64 = 100_000_000
  /// The maximum number of bytes in the protocol names of an ALPN list, whose total length is stored in two bytes on
  /// the wire.
  static let alpnBytes = 65_535

  // MARK: Keys

  /// The number of bits in a provider's RSA key: the same as in Apple's certificates, and sufficient until 2030 (NIST
  /// SP 800-57).
  static let rsaKeyBits: Int32 = 2_048

  // MARK: HTTP/2

  /// The number of points that a new connection has, which is also the maximum: enough for a hundred unusual frames.
  static let floodPoints: Int32 = 4_000
  /// The number of points restored per second, so that one PING per second has no cost in the long run.
  static let floodPointsPerSecond: Int64 = 20
  /// The number of points restored by a complete request; the points cover the request's frames and the WINDOW_UPDATEs
  /// after the answer.
  static let requestPoints: Int32 = 30
  /// The minimum number of octets of DATA that justifies a separate frame.
  static let usefulDataBytes = 256
  /// The number of bytes of overhead counted for each header field (RFC 9113 section 6.5.2).
  static let fieldOverheadBytes = 32
  /// The maximum number of bytes of frames that a session produces before the owner sends them.
  static let sessionOutputBytes = 1_048_576
  /// The maximum number of bytes in an output buffer that a session retains for its next turn.
  static let sessionBufferKept = 16_384
  /// The maximum number of bytes in an answer's body that requires no allocation; an error's JSON has up to 90 bytes.
  static let smallBodyBytes = 232
  /// The maximum number of bytes in the large response bodies that wait in one session: several times the size of a
  /// list of 10,000 channels.
  static let sessionBodyBytes = 16_777_216
  /// The maximum number of records with small bodies that are retained for reuse by answers that wait for the peer's
  /// window.
  static let smallBodiesKept = 1_024
  /// The initial room for the events of one frame: the header fields of a push, and its body.
  static let sessionEventsKept = 32
  /// The maximum number of bytes of an encoded name or value of a field: the same limit as nghttp2's.
  static let fieldStringBytes = 65_536
  /// The number of bytes of memory for a decoded field that a session retains: a field within the limit on lists.
  static let fieldTextKept = 8_192
  /// The maximum number of bytes of an encoded provider token that is compared with the previous one: five times the
  /// size of real tokens.
  static let secretBytes = 1_024
  /// The maximum number of bytes that a session retains for incomplete frames and fields.
  static let heldBytesKept = 1_024
  /// The maximum number of CONTINUATION frames after HEADERS: nine frames have room for a list of eighteen times the
  /// allowed size.
  static let continuationsMax = 8
  /// The maximum number of settings in one SETTINGS frame: several times the number of settings that exist.
  static let settingsEntriesMax = 32
  /// The number of SETTINGS frames without an acknowledgment after which further values join the last ones.
  static let settingsInFlight = 32
  /// The maximum number of acknowledgments of SETTINGS and PING for one block of input: the same limit as nghttp2's.
  static let acknowledgmentsMax = 1_000
  /// The maximum number of bytes in a response's header list; a push service sends less than 1 KB.
  static let clientHeaderListBytes = 16_384
  /// The maximum number of concurrently open requests of a client, regardless of the server's limit.
  static let clientStreams = 2_000

  // MARK: HTTP/1.1

  /// The maximum number of bytes in a request's line and fields: the same limit as for HTTP/2's header list.
  static let http1HeadBytes = 8_192
  /// The maximum number of bytes of a field or of a piece of a body in one event.
  static let http1EventBytes = 16_384
  /// The number of bytes that a client may send ahead of a response.
  ///
  /// With more bytes, the server stops reading until it has answered. One more read can exceed the limit.
  static let http1PipelinedBytes = 262_144
  /// The maximum number of simultaneous connections of an HTTP/1.1 server, unless its owner specifies a lower number.
  ///
  /// To make room for another connection, the connection that has waited longest for its request is closed.
  static let httpConnections = 128
  /// The maximum time, in nanoseconds, that a connection may wait for a complete request head: browsers keep a
  /// connection open this long for the next request.
  static let httpIdleNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of nanoseconds for a request, from its first byte to its last: 1 MB at 35 KB per second.
  static let httpRequestNanoseconds: Int64 = 30_000_000_000
  /// The maximum time, in nanoseconds, that a connection may send requests without a pause if another connection needs
  /// its slot: a page in a browser has about 20 files.
  static let httpPipeliningNanoseconds: Int64 = 2_000_000_000
  /// The number of threads that run handlers, in addition to the thread for probes.
  static let httpHandlerThreads = 4
  /// The maximum number of bytes of a long response that are buffered for a client that doesn't read.
  static let httpStreamBytes = 1_048_576
}
