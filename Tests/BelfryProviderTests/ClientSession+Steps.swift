@testable import BelfryProvider

extension ClientSession {
  /// Returns all the steps that the session takes until it is idle.
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
