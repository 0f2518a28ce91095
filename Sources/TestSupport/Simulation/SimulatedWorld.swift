/// What every simulated world has: a clock, chance, and a journal.
protocol SimulatedWorld: AnyObject {
  var time: VirtualTime { get }
  /// Determined by the seed.
  var random: SeededGenerator { get set }
  var journal: SimulationJournal { get set }
}

/// What a world has noted of its run.
struct SimulationJournal {
  /// Whether lines are kept: they cost more than the run itself.
  let isTracing: Bool
  fileprivate(set) var lines: [String] = []
  fileprivate(set) var violation: String?

  /// An empty journal.
  init(isTracing: Bool) { self.isTracing = isTracing }
}

// MARK: Chance

extension SimulatedWorld {
  func random(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
  func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
  func pick<Value>(_ values: [Value]) -> Value { values[random(0...values.count - 1)] }
  /// Nanoseconds up to so many milliseconds.
  func milliseconds(_ most: Int64) -> Int64 { random(0...most * 1_000_000) }
}

// MARK: Promises

extension SimulatedWorld {
  /// The first promise that was broken.
  var violation: String? { journal.violation }

  func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds { fail(promise()) }
  }

  func fail(_ promise: String) {
    guard violation == nil else { return }
    note("BROKEN: \(promise)")
    journal.violation = promise
  }

  /// Notes what happens, up to the first broken promise.
  func note(_ line: @autoclosure () -> String) {
    guard journal.isTracing, violation == nil else { return }
    journal.lines.append("\(Double(time.now / 1_000) / 1e6) s  \(line())")
  }
}
