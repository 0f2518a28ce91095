/// Names one request of a client, in the order they were handed over.
struct RequestNumber: Hashable {
  let value: UInt64
}

/// Which requests wait, which are on which connection, and when each gives up.
///
/// Every request has the same time, so the order of their deadlines is the order they came in.
struct RequestLedger {
  private struct Entry {
    var attempts = 0
    /// The connection it was sent on; `nil` while it waits.
    var connection: ConnectionNumber?
  }

  private var entries: [RequestNumber: Entry] = [:]
  private var waiting = Queue<RequestNumber>()
  private var paused: [(due: Int64, number: RequestNumber)] = []
  private var deadlines = Queue<(due: Int64, number: RequestNumber)>()

  /// Requests that have no outcome yet.
  var count: Int { entries.count }

  /// Takes a request.
  mutating func add(_ number: RequestNumber, deadline: Int64) {
    entries[number] = Entry()
    waiting.append(number)
    deadlines.append((deadline, number))
  }

  /// Moves requests whose pause is over to those that wait.
  mutating func wake(now: Int64) {
    guard paused.contains(where: { $0.due <= now }) else { return }
    for pause in paused where pause.due <= now { waiting.append(pause.number) }
    paused.removeAll { $0.due <= now }
  }

  /// Whether a request waits for a connection.
  mutating func hasWaiting() -> Bool {
    while let first = waiting.first, entries[first] == nil { _ = waiting.popFirst() }
    return waiting.first != nil
  }

  /// The next waiting request, now sent on `connection`; how often it has been sent is counted.
  mutating func send(on connection: ConnectionNumber) -> RequestNumber? {
    guard hasWaiting(), let number = waiting.popFirst() else { return nil }
    entries[number]?.attempts += 1
    entries[number]?.connection = connection
    return number
  }

  /// How often the request has been sent, and on what; `nil` for one that has its outcome.
  func sent(_ number: RequestNumber) -> (attempts: Int, connection: ConnectionNumber?)? {
    entries[number].map { ($0.attempts, $0.connection) }
  }

  /// The request has its outcome.
  mutating func remove(_ number: RequestNumber) { entries[number] = nil }

  /// The request is sent again, before all that wait.
  ///
  /// `counts` is false where the service did nothing with it, so that it is no attempt.
  mutating func sendAgain(_ number: RequestNumber, counts: Bool) {
    guard entries[number] != nil else { return }
    entries[number]?.connection = nil
    if !counts { entries[number]?.attempts -= 1 }
    waiting.prepend(number)
  }

  /// The request is sent again from `due` on.
  mutating func sendAgain(_ number: RequestNumber, from due: Int64) {
    guard entries[number] != nil else { return }
    entries[number]?.connection = nil
    paused.append((due, number))
  }

  /// The requests that `connection` has not answered.
  func unanswered(on connection: ConnectionNumber) -> [RequestNumber] {
    entries.filter { $0.value.connection == connection }.map(\.key).sorted { $0.value < $1.value }
  }

  /// The requests that are on no connection.
  func unsent() -> [RequestNumber] {
    entries.filter { $0.value.connection == nil }.map(\.key).sorted { $0.value < $1.value }
  }

  /// Takes out a request whose time is over.
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

  /// The next moment at which a pause or a request's time ends.
  mutating func nextDue() -> Int64? {
    while let first = deadlines.first, entries[first.number] == nil { _ = deadlines.popFirst() }
    return [deadlines.first?.due, paused.map(\.due).min()].compactMap { $0 }.min()
  }
}

/// A first-in first-out queue whose ends are cheap.
struct Queue<Element> {
  private var elements: [Element] = []
  private var start = 0
  /// Elements put back, the next one last.
  private var front: [Element] = []

  var first: Element? {
    front.last ?? (start < elements.count ? elements[start] : nil)
  }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func prepend(_ element: Element) { front.append(element) }

  mutating func popFirst() -> Element? {
    if let element = front.popLast() { return element }
    guard start < elements.count else { return nil }
    let element = elements[start]
    start += 1
    // Half of the storage is spent: the rest moves up, once for as many elements as it holds.
    if start > 1_024, start * 2 > elements.count {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }
}
