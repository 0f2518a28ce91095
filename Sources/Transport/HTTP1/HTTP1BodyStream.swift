import Synchronization

/// The body of a long response, written piece by piece from any thread.
public final class HTTP1BodyStream: Sendable {
  /// What the connection has to send, and whether more will follow.
  struct Piece {
    var bytes: [UInt8]
    /// Nothing follows these bytes.
    var isLast: Bool
    /// The reader was too slow or is gone: the body cannot be completed.
    var isBroken: Bool
  }

  private struct State {
    /// What the body begins with, of any size; sent before `pending`.
    var beginning: [UInt8] = []
    /// Bytes of the beginning that are sent.
    var begun = 0
    var pending: [UInt8] = []
    var isFinished = false
    var isClosed = false
    var onClose: (@Sendable () -> Void)?
    /// Tells the connection that there is something to send.
    var onChange: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  /// A body without a reader yet; of what is written it holds up to 1 MB for a client that does not read.
  ///
  /// `onClose` is called once, when the client is gone or has got everything.
  public init(onClose: (@Sendable () -> Void)? = nil) {
    state = Mutex(State(onClose: onClose))
  }

  /// A body of which everything is there.
  convenience init(whole bytes: [UInt8]) {
    self.init()
    begin(with: bytes)
    finish()
  }

  /// Begins the body with bytes of any number, before what was written; only before it has a reader.
  public func begin(with bytes: [UInt8]) {
    state.withLock { state in
      assert(state.beginning.isEmpty && state.onChange == nil, "a body begins once, unread")
      state.beginning = bytes
    }
  }

  /// Appends a piece; false when the client is gone or reads too slowly, so that writing can stop.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool {
    let (isAccepted, onChange) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard !state.isClosed, !state.isFinished else { return (false, nil) }
      guard state.pending.count + bytes.count <= Limits.httpStreamBytes else {
        state.isClosed = true
        return (false, state.onChange)
      }
      // The connection knows of bytes that are pending already.
      let isNews = state.pending.isEmpty
      state.pending += bytes
      return (true, isNews ? state.onChange : nil)
    }
    onChange?()
    return isAccepted
  }

  /// Completes the body.
  public func finish() {
    let onChange = state.withLock { state in
      state.isFinished = true
      return state.onChange
    }
    onChange?()
  }

  /// Ends the body on the reader's side.
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

  /// Sets what is called, from any thread, whenever `next` has something new.
  func onChange(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onChange = body }
  }

  /// Removes and returns what is to be sent next: up to that many bytes of the beginning, later all that was
  /// written since the last call.
  func next(beginningBytes count: Int = Limits.highWaterBytes) -> Piece {
    assert(count > 0, "a piece has bytes")
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
