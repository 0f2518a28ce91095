import Glibc

/// The events that a session has read from its peer's bytes and that its owner hasn't taken yet, in order.
///
/// A session reads one frame at a time, so the queue holds the events of at most one frame.
struct SessionEvents<Event>: ~Copyable {
  private var events: [Event] = []
  private var taken = 0

  mutating func append(_ event: Event) {
    assert(taken <= events.count, "only events in the queue were taken")
    events.append(event)
  }

  /// Removes and returns the oldest event.
  mutating func next() -> Event? {
    guard taken < events.count else {
      if taken > 0 {
        events.removeAll(keepingCapacity: true)
        taken = 0
      }
      return nil
    }
    taken += 1
    return events[taken - 1]
  }
}

/// A copy of the text that a session's events point to.
///
/// The memory doesn't move, so pointers into it are valid until `clear` is called.
@safe struct EventText: ~Copyable {
  private var block: UnsafeMutableRawPointer?
  private let capacity: Int
  private var count = 0

  /// Creates a copy of up to `capacity` bytes; the memory is allocated when it is first used.
  init(capacity: Int) {
    unsafe block = nil
    self.capacity = capacity
    assert(capacity > 0, "a frame's text has room")
  }

  deinit { unsafe free(block) }

  /// Copies as many bytes as there is room for.
  mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let length = min(bytes.count, capacity - count)
    guard length > 0, let source = bytes.baseAddress else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    if unsafe block == nil { unsafe block = malloc(capacity) }
    guard let block = unsafe block else { preconditionFailure("no memory for a frame's text") }
    let target = unsafe block + count
    unsafe memcpy(target, source, length)
    count += length
    assert(count <= capacity, "the copy fits in the memory")
    return unsafe UnsafeRawBufferPointer(start: target, count: length)
  }

  /// Makes room for the text of the next frame.
  mutating func clear() { count = 0 }
}
