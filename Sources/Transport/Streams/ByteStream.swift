import COpenSSL
public import System

/// An object that represents one accepted connection while a listener's owner counts the connection.
///
/// The stream releases the slot when its socket is closed.
open class StreamSlot {
  /// The stream that occupies the slot; nil once the stream has released the slot.
  public final weak var stream: ByteStream?

  /// Creates a slot without a stream.
  public init() {}
}

/// A TCP or UNIX socket, plain or with TLS, confined to its loop.
///
/// The loop keeps an open stream alive. An idle stream holds no buffer: reading goes through the loop's buffer, and
/// output buffers are released after they have been sent.
public final class ByteStream {
  enum State: UInt8 {
    case connecting
    case handshaking
    case open
    /// The stream sends queued bytes, and then closes for the reason in `ending`.
    case closing
    /// The stream is closed from the owner's point of view. Further input from the peer is discarded for a short time.
    case lingering
    case detached
    case closed
  }

  struct Flags: OptionSet {
    let rawValue: UInt8

    /// The loop will call `turnEnded` in this turn.
    static let turnEndScheduled = Flags(rawValue: 1)
    static let paused = Flags(rawValue: 2)
    /// Unsent output exceeded the high-water mark.
    static let aboveHigh = Flags(rawValue: 4)
    static let waitsForWritable = Flags(rawValue: 8)
    /// The stream closes at the end of this turn without sending more data.
    static let aborted = Flags(rawValue: 16)
    /// This stream's input is in the loop's exchange buffer.
    static let decrypting = Flags(rawValue: 32)
    /// The next step of the handshake is waiting in the loop's queue.
    static let awaitsHandshakeStep = Flags(rawValue: 64)
    /// The peer has finished sending, and the handler is still answering its requests.
    static let inputEnded = Flags(rawValue: 128)
  }

  /// Input that arrived while reading was paused.
  final class PendingInput {
    var plaintext: [UInt8] = []
    /// The bytes from the socket that follow those in `plaintext`; empty for a plain stream.
    var ciphertext: [UInt8] = []
  }

  /// The reason why the stream is closing.
  ///
  /// The reason is a separate object, so that an open stream stores only a pointer.
  final class Ending {
    let reason: StreamClosure
    init(_ reason: StreamClosure) { self.reason = reason }
  }

  /// The peer of an accepted connection.
  ///
  /// The peer is a separate object, because the streams of idle devices don't need it and must stay small.
  final class AcceptedPeer {
    let address: SocketAddress
    /// The context for the handshake, which begins when the first bytes arrive.
    ///
    /// Until then, the connection uses almost no memory.
    var context: TLSServerContext?
    /// The time at which the handshake last made progress, in nanoseconds on the loop clock.
    var handshakeProgress: Int64 = 0
    var slot: StreamSlot?
    init(_ address: SocketAddress) { self.address = address }
  }

  /// An object that the owner can attach to the stream.
  public var context: AnyObject?
  /// The number of bytes read from the socket so far.
  public internal(set) var bytesIn: UInt64 = 0
  /// The number of bytes written to the socket so far.
  public internal(set) var bytesOut: UInt64 = 0

  let shared: StreamLoop
  var handler: (any StreamHandler)?
  var tls: TLSLayer?
  var plain = OutputQueue()
  var descriptor: Int32
  var registration: Registration?
  var timer: TimerID?
  var state: State {
    didSet {
      guard oldValue != state else { return }
      assert(
        oldValue.rawValue < State.lingering.rawValue || state.rawValue >= State.lingering.rawValue,
        "an ended stream does not reopen")
      if oldValue == .handshaking, isPaced, tls != nil { shared.handshakes.end() }
    }
  }
  var flags: Flags = []
  var pendingInput: PendingInput?
  var ending: Ending?
  var attempt: ConnectAttempt?
  /// The peer of an accepted connection; it must be stored, because the kernel forgets the address after a reset.
  var acceptedFrom: AcceptedPeer?

  init(_ shared: StreamLoop, descriptor: Int32, state: State, handler: (any StreamHandler)?) {
    self.shared = shared
    self.descriptor = descriptor
    self.state = state
    self.handler = handler
  }

  deinit {
    // The loop releases its streams when it stops.
    if descriptor >= 0 { Socket.close(descriptor) }
  }

  /// The loop to which the stream belongs.
  public var loop: EventLoop { shared.loop }

  /// False once `close` has been called or the stream has closed.
  public var isOpen: Bool {
    switch state {
    case .connecting, .handshaking, .open: !flags.contains(.aborted)
    case .closing, .lingering, .detached, .closed: false
    }
  }

  /// The peer's address, such as "127.0.0.1:50000" or "unix", or "gone" if the address is no longer known.
  public var peerDescription: String {
    if let peerAddress { return peerAddress.description }
    return descriptor >= 0 && localAddress == nil ? "unix" : "gone"
  }

  /// The peer's address; nil for a UNIX socket, or for an outbound connection that has closed.
  public var peerAddress: SocketAddress? {
    acceptedFrom?.address ?? (descriptor >= 0 ? Socket.peerAddress(descriptor) : nil)
  }

  /// This end's address; nil for a UNIX socket.
  public var localAddress: SocketAddress? {
    descriptor >= 0 ? Socket.localAddress(descriptor) : nil
  }

  /// The slot with which the owner counts an accepted network connection.
  ///
  /// The stream retains the slot until the socket is closed, even if the stream moves to another loop. However, a
  /// stream whose records are taken over gives up its slot when it is detached.
  public var slot: StreamSlot? {
    get { acceptedFrom?.slot }
    set {
      acceptedFrom?.slot = newValue
      newValue?.stream = self
    }
  }

  /// True if this module's own record layer has replaced OpenSSL's record layer.
  public var hasOwnRecords: Bool { tls is TLSRecordLayer }

  /// The protocol that ALPN selected.
  public var negotiatedProtocol: String? { tls?.negotiatedProtocol }

  /// The peer's verified certificate.
  ///
  /// If the stream's records are taken over, the certificate is available until `streamOpened` has returned. Otherwise,
  /// the certificate is available as long as the stream exists.
  public var peerCertificate: PeerCertificate? { tls?.peerCertificate }

  /// The credentials of the peer at the other end of a UNIX socket.
  public var peerCredentials: Socket.PeerCredentials? {
    descriptor >= 0 ? Socket.peerCredentials(descriptor) : nil
  }

  /// Returns the process at the other end of a UNIX socket.
  ///
  /// The returned value holds a reference to the process, so that the process ID isn't reused.
  public func peerProcess() throws(SystemFailure) -> PeerProcess {
    guard let pid = peerCredentials?.pid else {
      throw .unusable(text: peerDescription, reason: "it has no process")
    }
    return try PeerProcess(peerOf: descriptor, pid: pid)
  }

  /// The number of bytes that are queued but not yet written to the socket.
  public var pendingOutputBytes: Int { plain.count + (tls?.unsent.count ?? 0) }

  /// Traps in debug builds if the fields are inconsistent.
  ///
  /// The check runs at the end of each turn.
  func checkInvariants() {
    switch state {
    case .connecting:
      assert(attempt != nil && tls == nil, "TLS starts only after TCP has connected")
    case .handshaking:
      assert(tls != nil || acceptedFrom?.context != nil, "a handshake has TLS, or will have it")
      assert(descriptor >= 0, "a handshake has a socket")
    case .open:
      assert(
        attempt == nil && ending == nil || flags.contains(.aborted),
        "an open stream is neither connecting nor ending, unless it was aborted")
    case .closing: assert(ending != nil, "a stream that closes has a reason")
    case .lingering:
      assert(handler == nil && tls == nil, "a lingering stream has neither a handler nor TLS")
    case .detached, .closed:
      assert(descriptor == -1 && registration == nil, "an ended stream has no descriptor")
      assert(
        timer == nil && plain.isEmpty, "an ended stream has neither a timer nor pending output")
    }
    assert(registration == nil || descriptor >= 0, "only a descriptor can be registered")
    assert(pendingInput == nil || state == .open, "only an open stream retains input")
    assert(
      !flags.contains(.inputEnded) || state != .open || timer != nil || flags.contains(.aborted),
      "an open stream whose input ended has a time limit")
    plain.checkInvariants()
  }

  // MARK: shared by several files

  func scheduleTurnEnd() {
    guard !flags.contains(.turnEndScheduled) else { return }
    flags.insert(.turnEndScheduled)
    loop.atTurnEnd(self)
  }

  func setTimer(_ phase: StreamClosure.Phase?, _ nanoseconds: Int64) {
    cancelTimer()
    timer = loop.schedule(afterNanoseconds: nanoseconds, self, tag: phase.timerTag)
  }

  func cancelTimer() {
    guard let timer else { return }
    loop.cancel(timer)
    self.timer = nil
  }

  /// Watches the descriptor for the events that the current state requires.
  func updateInterests() {
    guard let registration else { return }
    var interests: Readiness = []
    switch state {
    case .handshaking:
      if !flags.contains(.awaitsHandshakeStep) { interests.insert(.readable) }
    case .lingering: interests.insert(.readable)
    case .open where flags.isDisjoint(with: [.paused, .inputEnded]): interests.insert(.readable)
    default: break
    }
    if state == .connecting || flags.contains(.waitsForWritable) { interests.insert(.writable) }
    loop.update(registration, for: interests)
  }

  func register() {
    do throws(SystemFailure) {
      registration = try loop.register(descriptor, for: [], handler: self)
      updateInterests()
    } catch {
      abort(.connectFailed(error.description))
    }
  }
}

extension StreamClosure.Phase? {
  /// The timer tag of this phase; the tag of nil is used while the stream lingers.
  var timerTag: UInt64 {
    switch self {
    case .connect: 1
    case .handshake: 2
    case .flush: 3
    case nil: 4
    case .answers: 5
    }
  }

  init(timerTag: UInt64) {
    switch timerTag {
    case 1: self = .connect
    case 2: self = .handshake
    case 3: self = .flush
    case 5: self = .answers
    default: self = nil
    }
  }
}
