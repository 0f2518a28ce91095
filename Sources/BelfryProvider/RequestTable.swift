/// The number of a client's request; requests are numbered in the order of submission.
struct RequestNumber: Hashable {
  let value: UInt64
  /// True if the request can be sent again after its response is lost.
  var isRepeatable = true
}

/// The requests of a client that have no outcome yet: waiting, paused, or sent on a connection.
///
/// All requests have the same timeout, so their deadlines are in the order of submission.
struct RequestTable {
  private struct Entry {
    var attempts = 0
    /// The connection on which the request was sent; `nil` while the request waits.
    var connection: ConnectionNumber?
  }

  private var entries: [RequestNumber: Entry] = [:]
  private var waiting = Queue<RequestNumber>()
  private var paused: [(due: Int64, number: RequestNumber)] = []
  private var deadlines = Queue<(due: Int64, number: RequestNumber)>()

  /// The number of requests that have no outcome yet.
  var count: Int { entries.count }

  /// Adds a request.
  mutating func add(_ number: RequestNumber, deadline: Int64) {
    assert(entries[number] == nil, "a request is submitted only once")
    assert(
      deadlines.last.map { $0.due <= deadline } ?? true, "deadlines are in ascending order")
    entries[number] = Entry()
    waiting.append(number)
    deadlines.append((deadline, number))
  }

  /// Moves the requests whose pause is over to the waiting queue.
  mutating func wake(now: Int64) {
    guard paused.contains(where: { $0.due <= now }) else { return }
    for pause in paused where pause.due <= now { waiting.append(pause.number) }
    paused.removeAll { $0.due <= now }
  }

  /// Returns true if a request waits for a connection.
  mutating func hasWaiting() -> Bool {
    while let first = waiting.first, entries[first] == nil { _ = waiting.popFirst() }
    return waiting.first != nil
  }

  /// The number of requests that wait for a connection, including cancelled requests that are still in the queue.
  var waitingCount: Int { waiting.count }

  /// Marks the next waiting request as sent on `connection`, counts the attempt, and returns the request.
  mutating func send(on connection: ConnectionNumber) -> RequestNumber? {
    guard hasWaiting(), let number = waiting.popFirst() else { return nil }
    assert(entries[number]?.connection == nil, "a waiting request has no connection")
    entries[number]?.attempts += 1
    entries[number]?.connection = connection
    return number
  }

  /// Returns the number of a request's attempts and its connection, or `nil` if the request already has an outcome.
  func sent(_ number: RequestNumber) -> (attempts: Int, connection: ConnectionNumber?)? {
    entries[number].map { ($0.attempts, $0.connection) }
  }

  /// Removes a request once it has an outcome.
  mutating func remove(_ number: RequestNumber) { entries[number] = nil }

  /// Moves a request to the front of the waiting queue.
  ///
  /// `counts` is false if the service did not process the request, in which case the attempt does not count.
  mutating func requeue(_ number: RequestNumber, counts: Bool) {
    guard var entry = entries[number] else {
      preconditionFailure("a request that already had an outcome was requeued")
    }
    assert(entry.connection != nil && entry.attempts > 0, "only a sent request is requeued")
    entry.connection = nil
    if !counts { entry.attempts -= 1 }
    entries[number] = entry
    waiting.prepend(number)
  }

  /// Pauses a request until `due`.
  mutating func requeue(_ number: RequestNumber, from due: Int64) {
    guard entries[number] != nil else {
      preconditionFailure("a request that already had an outcome was requeued")
    }
    entries[number]?.connection = nil
    paused.append((due, number))
  }

  /// Returns the unanswered requests of a connection.
  func unanswered(on connection: ConnectionNumber) -> [RequestNumber] {
    entries.filter { $0.value.connection == connection }.map(\.key).sorted { $0.value < $1.value }
  }

  /// Returns the requests that are waiting or paused, and are not assigned to a connection.
  func unsent() -> [RequestNumber] {
    entries.filter { $0.value.connection == nil }.map(\.key).sorted { $0.value < $1.value }
  }

  /// Removes and returns a request whose deadline has passed.
  mutating func popOverdue(now: Int64) -> (number: RequestNumber, connection: ConnectionNumber?)? {
    while let first = deadlines.first {
      guard let entry = entries[first.number] else {
        _ = deadlines.popFirst()
        continue
      }
      guard first.due <= now else { return nil }
      _ = deadlines.popFirst()
      entries[first.number] = nil
      return (first.number, entry.connection)
    }
    return nil
  }

  /// Asserts that each request without an outcome is in exactly one place and has a deadline.
  func checkInvariants() {
    var places: [RequestNumber: Int] = [:]
    for number in waiting.all where entries[number] != nil { places[number, default: 0] += 1 }
    for pause in paused where entries[pause.number] != nil { places[pause.number, default: 0] += 1 }
    let limited = Set(deadlines.all.map(\.number))
    for (number, entry) in entries {
      let expected = entry.connection == nil ? 1 : 0
      precondition(
        places[number, default: 0] == expected,
        "request \(number) is either sent or waiting in exactly one place")
      precondition(limited.contains(number), "request \(number) has a deadline")
      precondition(
        entry.attempts >= (entry.connection == nil ? 0 : 1),
        "a sent request has at least one attempt")
    }
  }

  /// Returns the time at which the next deadline or pause expires.
  mutating func nextDue() -> Int64? {
    while let first = deadlines.first, entries[first.number] == nil { _ = deadlines.popFirst() }
    return [deadlines.first?.due, paused.map(\.due).min()].compactMap { $0 }.min()
  }
}

/// A first-in, first-out queue whose operations at both ends take amortized constant time.
struct Queue<Element> {
  private var elements: [Element] = []
  private var start = 0
  /// The elements that were returned to the front of the queue, in reverse order: the last element is the next to
  /// leave.
  private var front: [Element] = []

  var first: Element? {
    front.last ?? (start < elements.count ? elements[start] : nil)
  }

  var last: Element? { start < elements.count ? elements.last : front.first }

  var count: Int { front.count + elements.count - start }

  /// All elements, in queue order.
  var all: [Element] { front.reversed() + elements[start...] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func prepend(_ element: Element) { front.append(element) }

  mutating func popFirst() -> Element? {
    if let element = front.popLast() { return element }
    guard start < elements.count else { return nil }
    let element = elements[start]
    start += 1
    // Half of the storage is unused. Move the remaining elements to the start, which costs at most one move per removed
    // element.
    if start > 1_024, start * 2 > elements.count {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }
}
