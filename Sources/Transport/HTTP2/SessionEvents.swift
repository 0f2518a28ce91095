import Glibc

/// The events of one frame that a session's owner hasn't taken yet, in order, and a copy of the text to which they
/// point.
///
/// The state is behind a pointer, because a session's callbacks change it for each header field, and each access to a
/// property of a class is checked at run time. The memory for the text doesn't move, so pointers into it are valid until
/// `begin` is called.
@safe struct SessionEvents<Event: BitwiseCopyable> {
  @unsafe private struct State {
    var events: UnsafeMutablePointer<Event>
    var capacity: Int
    var count = 0
    var taken = 0
    var text: UnsafeMutableRawPointer?
    var textCount = 0
  }

  private let state: UnsafeMutablePointer<State>
  private let textCapacity: Int

  /// Creates an empty queue with room for `textBytes` bytes of text, which are allocated when they are first used.
  ///
  /// The owner must call `deallocate`.
  init(textBytes: Int) {
    assert(textBytes > 0, "a frame's text has room")
    textCapacity = textBytes
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(
      to: State(
        events: .allocate(capacity: Limits.sessionEventsKept), capacity: Limits.sessionEventsKept))
  }

  func deallocate() {
    unsafe state.pointee.events.deallocate()
    unsafe free(state.pointee.text)
    unsafe state.deallocate()
  }

  /// Makes room for the events of the next frame.
  func begin() {
    assert(unsafe state.pointee.taken == state.pointee.count, "the owner has taken all events")
    unsafe state.pointee.count = 0
    unsafe state.pointee.taken = 0
    unsafe state.pointee.textCount = 0
  }

  func append(_ event: Event) {
    if unsafe state.pointee.count == state.pointee.capacity { grow() }
    unsafe (state.pointee.events + state.pointee.count).initialize(to: event)
    unsafe state.pointee.count &+= 1
  }

  private func grow() {
    let capacity = unsafe state.pointee.capacity * 2
    let events = UnsafeMutablePointer<Event>.allocate(capacity: capacity)
    unsafe events.moveInitialize(from: state.pointee.events, count: state.pointee.count)
    unsafe state.pointee.events.deallocate()
    unsafe state.pointee.events = events
    unsafe state.pointee.capacity = capacity
  }

  /// Removes and returns the oldest event.
  func next() -> Event? {
    guard unsafe state.pointee.taken < state.pointee.count else {
      unsafe state.pointee.count = 0
      unsafe state.pointee.taken = 0
      return nil
    }
    let event = unsafe state.pointee.events[state.pointee.taken]
    unsafe state.pointee.taken &+= 1
    return event
  }

  /// Copies as many bytes as there is room for.
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let count = unsafe state.pointee.textCount
    let length = min(bytes.count, textCapacity &- count)
    guard length > 0, let source = bytes.baseAddress else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    if unsafe state.pointee.text == nil { unsafe state.pointee.text = malloc(textCapacity) }
    guard let text = unsafe state.pointee.text else {
      preconditionFailure("no memory for a frame's text")
    }
    unsafe memcpy(text + count, source, length)
    unsafe state.pointee.textCount = count &+ length
    assert(unsafe state.pointee.textCount <= textCapacity, "the copy fits in the memory")
    return unsafe UnsafeRawBufferPointer(start: text + count, count: length)
  }
}
