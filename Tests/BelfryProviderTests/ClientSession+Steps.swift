@testable import BelfryProvider

extension ClientSession {
  /// All steps up to the next rest.
  mutating func steps(now: Int64 = 0) -> [Step] {
    var steps: [Step] = []
    while true {
      checkInvariants()
      let step = next(now: now)
      if case .wait = step { return steps }
      steps.append(step)
    }
  }
}
