import Glibc

/// A copy of the text to which a session's events point.
///
/// The memory doesn't move, so pointers into it are valid until `clear` is called. The state is behind a pointer,
/// because Swift checks each access to a property of a class at run time, and a session's callbacks change the state
/// for each header field.
@safe struct EventText {
  @unsafe private struct State {
    var block: UnsafeMutableRawPointer?
    var count = 0
  }

  private let state: UnsafeMutablePointer<State>
  private let capacity: Int

  /// Creates an empty buffer for up to `capacity` bytes, which are allocated when they are first used.
  ///
  /// The owner must call `deallocate`.
  init(capacity: Int) {
    assert(capacity > 0, "the text of an event has room")
    self.capacity = capacity
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State())
  }

  func deallocate() {
    unsafe free(state.pointee.block)
    unsafe state.deallocate()
  }

  /// Discards the copied text, which invalidates all pointers to it.
  func clear() { unsafe state.pointee.count = 0 }

  /// Copies as many bytes as fit, and returns the copy.
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let count = unsafe state.pointee.count
    let length = min(bytes.count, capacity &- count)
    guard length > 0, let source = bytes.baseAddress else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    if unsafe state.pointee.block == nil { unsafe state.pointee.block = malloc(capacity) }
    guard let block = unsafe state.pointee.block else {
      preconditionFailure("no memory for the text of events")
    }
    unsafe memcpy(block + count, source, length)
    unsafe state.pointee.count = count &+ length
    assert(unsafe state.pointee.count <= capacity, "the copy fits in the memory")
    return unsafe UnsafeRawBufferPointer(start: block + count, count: length)
  }
}
