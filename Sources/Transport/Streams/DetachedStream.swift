import Synchronization
public import System

/// A stream in transit between two loops.
///
/// Attach the stream exactly once. If this object is released before the stream is attached, the stream closes.
public final class DetachedStream: Sendable {
  /// The parts of a stream, without its loop and its owner.
  struct Parts: ~Copyable {
    var descriptor: Int32
    var tls: TLSLayer?
    var plain: OutputQueue
    var pendingInput: ByteStream.PendingInput?
    var flags: ByteStream.Flags
    var bytesIn: UInt64
    var bytesOut: UInt64
    var acceptedFrom: ByteStream.AcceptedPeer?

    deinit { if descriptor >= 0 { Socket.close(descriptor) } }
  }

  /// The parts, which are used by one thread at a time: first by the thread that detaches the stream, and then by the
  /// thread that attaches it.
  private struct Sealed: ~Copyable, @unchecked Sendable {
    var parts: Parts?
  }

  private let sealed: Mutex<Sealed>

  init(_ parts: consuming Parts) { sealed = Mutex(Sealed(parts: parts)) }

  /// Attaches the stream to `loop`, which must belong to the calling thread.
  ///
  /// The handler then receives input that has already arrived.
  ///
  /// `streamOpened` isn't called again. If the stream had already closed, or was attached before, the result is a
  /// stream that closes immediately.
  public func attach(to loop: EventLoop, handler: any StreamHandler) -> ByteStream {
    let shared = StreamLoop.of(loop)
    let taken = sealed.withLock { sealed in
      let taken = Sealed(parts: sealed.parts.take())
      return taken
    }
    return ByteStream(shared, taken.parts, handler: handler)
  }
}

extension ByteStream {
  /// Removes the stream from its loop, so that it can be attached to another loop.
  ///
  /// `unread` is delivered before any new input.
  ///
  /// The handler receives no more calls, not even when the stream closes.
  public func detach(unread: [UInt8] = []) -> DetachedStream {
    let canMove = state == .open && !flags.contains(.aborted)
    if flags.contains(.decrypting) {
      if canMove { retain(ciphertext: unsafe Array(shared.unreadInput)) }
      unsafe shared.offer(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    if !unread.isEmpty, canMove {
      let pending = pendingInput ?? PendingInput()
      pending.plaintext = unread + pending.plaintext
      pendingInput = pending
    }
    cancelTimer()
    if let registration { loop.deregister(registration) }
    registration = nil
    handler = nil
    (tls as? TLSRecordLayer)?.releasePeer()
    let parts = DetachedStream.Parts(
      descriptor: canMove ? descriptor : -1, tls: tls, plain: exchangePlain(),
      pendingInput: pendingInput,
      flags: flags.intersection([.paused, .aboveHigh]), bytesIn: bytesIn, bytesOut: bytesOut,
      // There are many streams with their own record layer. They don't retain the peer, because they must be small
      // while idle.
      acceptedFrom: tls is TLSRecordLayer ? nil : acceptedFrom)
    if canMove { descriptor = -1 } else { closeDescriptor() }
    state = .detached
    tls = nil
    pendingInput = nil
    return DetachedStream(parts)
  }

  private func exchangePlain() -> OutputQueue {
    var empty = OutputQueue()
    swap(&plain, &empty)
    return empty
  }

  fileprivate convenience init(
    _ shared: StreamLoop, _ parts: consuming DetachedStream.Parts?, handler: any StreamHandler
  ) {
    self.init(shared, descriptor: -1, state: .open, handler: handler)
    guard var parts = parts.take(), parts.descriptor >= 0 else {
      abort(.local)
      return
    }
    descriptor = parts.descriptor
    parts.descriptor = -1
    tls = parts.tls
    tls?.use(shared)
    swap(&plain, &parts.plain)
    pendingInput = parts.pendingInput
    flags = parts.flags
    bytesIn = parts.bytesIn
    bytesOut = parts.bytesOut
    acceptedFrom = parts.acceptedFrom
    acceptedFrom?.slot?.stream = self
    register()
    scheduleTurnEnd()
  }
}
