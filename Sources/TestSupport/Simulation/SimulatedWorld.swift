/// The parts that all simulated worlds have in common: a clock, random numbers, and a journal.
protocol SimulatedWorld: AnyObject {
  var time: VirtualTime { get }
  /// The random numbers, which the seed determines.
  var random: SeededGenerator { get set }
  var journal: SimulationJournal { get set }
  /// The text that precedes each journal line from this part of the world.
  var label: String { get }
}

extension SimulatedWorld {
  var label: String { "" }
}

/// A world's record of its run.
struct SimulationJournal {
  /// True if the journal retains its lines.
  ///
  /// Retaining the lines costs more than the run itself.
  let isTracing: Bool
  fileprivate(set) var lines: [String] = []
  fileprivate(set) var violation: String?

  /// Creates an empty journal.
  init(isTracing: Bool) { self.isTracing = isTracing }
}

// MARK: Chance

extension SimulatedWorld {
  func random(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
  func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
  func pick<Value>(_ values: [Value]) -> Value { values[random(0...values.count - 1)] }
  /// Returns a random number of nanoseconds, up to this number of milliseconds.
  func milliseconds(_ most: Int64) -> Int64 { random(0...most * 1_000_000) }
}

// MARK: Promises

extension SimulatedWorld {
  /// The first violation of a promise; nil if no promise was violated.
  var violation: String? { journal.violation }

  func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds { fail(promise()) }
  }

  func fail(_ promise: String) {
    guard violation == nil else { return }
    note("BROKEN: \(promise)")
    journal.violation = label + promise
  }

  /// Records an event, unless a promise has already been violated.
  func note(_ line: @autoclosure () -> String) {
    guard journal.isTracing, violation == nil else { return }
    journal.lines.append("\(Double(time.now / 1_000) / 1e6) s  \(label)\(line())")
  }
}
