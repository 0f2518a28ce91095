import COpenSSL
public import System

/// What counts one accepted connection; its end is that of the socket.
open class StreamPlace {
  /// The stream that has it; nil once it was given away.
  public final weak var stream: ByteStream?

  /// A place of no stream yet.
  public init() {}
}

/// A TCP or UNIX socket, plain or with TLS, confined to its loop.
///
/// The loop keeps an open stream alive. An idle one holds no buffer: reading goes through the loop's
/// buffer, and output buffers are given back when they have been sent.
public final class ByteStream {
  enum State: UInt8 {
    case connecting
    case handshaking
    case open
    /// Sends what is queued, then ends for the reason of `ending`.
    case closing
    /// Over for its owner; what the peer still sends is discarded for a moment.
    case lingering
    case detached
    case closed
  }

  struct Flags: OptionSet {
    let rawValue: UInt8

    /// The loop will call `turnEnded` in this turn.
    static let turnEndScheduled = Flags(rawValue: 1)
    static let paused = Flags(rawValue: 2)
    /// Unsent output went over the high-water mark.
    static let aboveHigh = Flags(rawValue: 4)
    static let waitsForWritable = Flags(rawValue: 8)
    /// Ends at the end of this turn without sending anything more.
    static let aborted = Flags(rawValue: 16)
    /// This stream's input is in the loop's exchange buffer.
    static let decrypting = Flags(rawValue: 32)
    /// The next step of the handshake waits in the loop's queue.
    static let awaitsHandshakeStep = Flags(rawValue: 64)
    /// The peer sends nothing more, and the handler still answers what it has asked.
    static let inputEnded = Flags(rawValue: 128)
  }

  /// Input that arrived while reading was paused.
  final class PendingInput {
    var plaintext: [UInt8] = []
    /// Bytes from the socket, behind those of `plaintext`; of a plain stream there are none.
    var ciphertext: [UInt8] = []
  }

  /// Why the stream is ending.
  ///
  /// Boxed, so that it takes no memory in open streams.
  final class Ending {
    let reason: StreamClosure
    init(_ reason: StreamClosure) { self.reason = reason }
  }

  /// Boxed to keep the streams of idle devices, which have none, small.
  final class AcceptedPeer {
    let address: SocketAddress
    /// What the handshake begins with once its first bytes are read: until then the connection costs next to nothing.
    var context: TLSServerContext?
    /// When the handshake last made a step, in the loop's nanoseconds.
    var handshakeProgress: Int64 = 0
    var place: StreamPlace?
    init(_ address: SocketAddress) { self.address = address }
  }

  /// An object that the owner may attach to the stream.
  public var context: AnyObject?
  /// Bytes read from the socket so far.
  public internal(set) var bytesIn: UInt64 = 0
  /// Bytes written to the socket so far.
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
        "a stream that has ended does not open again")
      if oldValue == .handshaking, isPaced, tls != nil { shared.handshakes.end() }
    }
  }
  var flags: Flags = []
  var pendingInput: PendingInput?
  var ending: Ending?
  var attempt: ConnectAttempt?
  /// Where an accepted connection came from; the kernel forgets it with a reset.
  var acceptedFrom: AcceptedPeer?

  init(_ shared: StreamLoop, descriptor: Int32, state: State, handler: (any StreamHandler)?) {
    self.shared = shared
    self.descriptor = descriptor
    self.state = state
    self.handler = handler
  }

  deinit {
    // The loop releases its streams when it ends.
    if descriptor >= 0 { Socket.close(descriptor) }
  }

  /// The loop that it lives on.
  public var loop: EventLoop { shared.loop }

  /// False once `close` was called or the stream has ended.
  public var isOpen: Bool {
    switch state {
    case .connecting, .handshaking, .open: !flags.contains(.aborted)
    case .closing, .lingering, .detached, .closed: false
    }
  }

  /// The peer's address such as "127.0.0.1:50000", "unix", or "gone" when it is no longer known.
  public var peerDescription: String {
    if let peerAddress { return peerAddress.description }
    return descriptor >= 0 && localAddress == nil ? "unix" : "gone"
  }

  /// The peer's address; nil for a UNIX socket, or a connection of this side's that is gone.
  public var peerAddress: SocketAddress? {
    acceptedFrom?.address ?? (descriptor >= 0 ? Socket.peerAddress(descriptor) : nil)
  }

  /// This end's address; nil for a UNIX socket.
  public var localAddress: SocketAddress? {
    descriptor >= 0 ? Socket.localAddress(descriptor) : nil
  }

  /// What its owner counts an accepted connection of the network by: kept until the socket is closed, also when the
  /// stream moves, unless its records are taken over.
  public var place: StreamPlace? {
    get { acceptedFrom?.place }
    set {
      acceptedFrom?.place = newValue
      newValue?.stream = self
    }
  }

  /// Whether our own record layer has taken over from OpenSSL's.
  public var hasOwnRecords: Bool { tls is TLSRecordLayer }

  /// The protocol that ALPN chose.
  public var negotiatedProtocol: String? { tls?.negotiatedProtocol }

  /// The peer's verified certificate: until `streamOpened` has returned where records are taken
  /// over, else for the stream's life.
  public var peerCertificate: PeerCertificate? { tls?.peerCertificate }

  /// Who is at the other end of a UNIX socket.
  public var peerCredentials: Socket.PeerCredentials? {
    descriptor >= 0 ? Socket.peerCredentials(descriptor) : nil
  }

  /// The process at the other end of a UNIX socket, held so that its number stays its own.
  public func peerProcess() throws(SystemFailure) -> PeerProcess {
    guard let pid = peerCredentials?.pid else {
      throw .unusable(text: peerDescription, reason: "it has no process")
    }
    return try PeerProcess(peerOf: descriptor, pid: pid)
  }

  /// Bytes that are queued and not written to the socket yet.
  public var pendingOutputBytes: Int { plain.count + (tls?.unsent.count ?? 0) }

  /// Traps in debug builds when the fields contradict each other; run at the end of each turn.
  func checkInvariants() {
    switch state {
    case .connecting: assert(attempt != nil && tls == nil, "there is no TLS before TCP")
    case .handshaking:
      assert(tls != nil || acceptedFrom?.context != nil, "a handshake has TLS, or will have it")
      assert(descriptor >= 0, "a handshake has a socket")
    case .open:
      assert(attempt == nil && ending == nil || flags.contains(.aborted), "open or ending")
    case .closing: assert(ending != nil, "a stream that closes has a reason")
    case .lingering: assert(handler == nil && tls == nil, "nobody hears of a lingering stream")
    case .detached, .closed:
      assert(descriptor == -1 && registration == nil, "an ended stream has no descriptor")
      assert(timer == nil && plain.isEmpty, "an ended stream waits for nothing")
    }
    assert(registration == nil || descriptor >= 0, "only a descriptor can be registered")
    assert(pendingInput == nil || state == .open, "only an open stream retains input")
    assert(
      !flags.contains(.inputEnded) || state != .open || timer != nil || flags.contains(.aborted),
      "answers to a peer that sends nothing more have a time limit")
    plain.checkInvariants()
  }

  // MARK: details that several files share

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

  /// Watches the descriptor for what the state needs.
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
  /// The phase as a timer's tag; nil is lingering.
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
