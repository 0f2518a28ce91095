/// The events of one frame that a session's owner hasn't taken yet, in order.
///
/// The state is behind a pointer, because Swift checks each access to a property of a class at run time, and a
/// session's callbacks change the state for each header field.
@safe struct SessionEvents<Event: BitwiseCopyable> {
  @unsafe private struct State {
    var events: UnsafeMutablePointer<Event>
    var capacity: Int
    var count = 0
    var taken = 0
  }

  private let state: UnsafeMutablePointer<State>

  /// Creates an empty queue; the owner must call `deallocate`.
  init() {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(
      to: State(
        events: .allocate(capacity: Limits.sessionEventsKept), capacity: Limits.sessionEventsKept))
  }

  func deallocate() {
    unsafe state.pointee.events.deallocate()
    unsafe state.deallocate()
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
    assert(unsafe state.pointee.taken <= state.pointee.count, "each event is taken once")
    return event
  }
}
