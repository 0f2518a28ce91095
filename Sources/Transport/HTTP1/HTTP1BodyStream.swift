import Synchronization

/// The body of a long response, which can be written piece by piece from any thread.
public final class HTTP1BodyStream: Sendable {
  /// The bytes for the connection to send, and the state of the body after these bytes.
  struct Piece {
    var bytes: [UInt8]
    /// True if no more bytes follow.
    var isLast: Bool
    /// True if the body can't be completed, because the reader was too slow or has disconnected.
    var isBroken: Bool
  }

  private struct State {
    /// The beginning of the body, of any size, which precedes `pending`.
    var beginning: [UInt8] = []
    /// The number of bytes of the beginning that have been sent.
    var begun = 0
    var pending: [UInt8] = []
    var isFinished = false
    var isClosed = false
    /// A closure that returns true as long as the client may receive more; nil if the client may always receive more.
    var isAllowed: (@Sendable () -> Bool)?
    var onClose: (@Sendable () -> Void)?
    /// The closure that notifies the connection that there is data to send.
    var onChange: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  /// Creates a body without a reader.
  ///
  /// The body buffers up to 1 MB for a client that doesn't read.
  ///
  /// `onClose` is called once, when the client has disconnected or has received the entire body.
  public init(onClose: (@Sendable () -> Void)? = nil) {
    state = Mutex(State(onClose: onClose))
  }

  /// Creates a body that is already complete.
  convenience init(whole bytes: [UInt8]) {
    self.init()
    begin(with: bytes)
    finish()
  }

  /// Sets the beginning of the body, which precedes all written bytes and can have any size.
  ///
  /// Call this method only before the body has a reader.
  public func begin(with bytes: [UInt8]) {
    state.withLock { state in
      assert(
        state.beginning.isEmpty && state.onChange == nil,
        "the beginning is set once, before the body has a reader")
      state.beginning = bytes
    }
  }

  /// Appends a piece of the body.
  ///
  /// Returns false if the client has disconnected or reads too slowly; the caller should then stop writing.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool {
    let isAllowed = state.withLock { $0.isAllowed }
    guard isAllowed?() ?? true else {
      finish()
      return false
    }
    let (isAccepted, onChange) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard !state.isClosed, !state.isFinished else { return (false, nil) }
      guard state.pending.count + bytes.count <= Limits.httpStreamBytes else {
        state.isClosed = true
        return (false, state.onChange)
      }
      // If bytes are already pending, an earlier write has notified the connection.
      let isNewer = state.pending.isEmpty
      state.pending += bytes
      return (true, isNewer ? state.onChange : nil)
    }
    onChange?()
    return isAccepted
  }

  /// Sets a condition that each further write checks.
  ///
  /// If `isAllowed` returns false, the write completes the body instead of adding to it.
  public func end(unless isAllowed: @escaping @Sendable () -> Bool) {
    state.withLock { $0.isAllowed = isAllowed }
  }

  /// Completes the body.
  ///
  /// No more pieces can be written.
  public func finish() {
    let onChange = state.withLock { state in
      state.isFinished = true
      return state.onChange
    }
    onChange?()
  }

  /// Closes the body on the reader's side, because no more bytes can be sent.
  func close() {
    let onClose = state.withLock { state in
      state.isClosed = true
      state.beginning = []
      state.begun = 0
      state.pending = []
      state.onChange = nil
      let onClose = state.onClose
      state.onClose = nil
      return onClose
    }
    onClose?()
  }

  /// Sets the closure that is called, from any thread, whenever `next` has new bytes or a new state.
  func onChange(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onChange = body }
  }

  /// Removes and returns the next bytes to send: up to `count` bytes of the beginning, and then all bytes written since
  /// the last call.
  func next(beginningBytes count: Int = Limits.highWaterBytes) -> Piece {
    assert(count > 0, "a piece may have at least one byte")
    return state.withLock { state in
      if state.begun < state.beginning.count {
        let end = min(state.begun + count, state.beginning.count)
        let bytes = Array(state.beginning[state.begun..<end])
        state.begun = end
        let isAll = end == state.beginning.count
        if isAll {
          state.beginning = []
          state.begun = 0
        }
        return Piece(
          bytes: bytes, isLast: isAll && state.isFinished && state.pending.isEmpty,
          isBroken: state.isClosed)
      }
      let piece = Piece(
        bytes: state.pending, isLast: state.isFinished, isBroken: state.isClosed)
      state.pending = []
      return piece
    }
  }
}
