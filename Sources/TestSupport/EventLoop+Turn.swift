public import System

extension EventLoop {
  /// Runs turns of the loop until `isMissing` is false.
  ///
  /// Fails after ``TestTimeout/standard``. A timer ensures that no turn blocks for longer than that, because a blocked
  /// turn would occupy one of the few threads that all tests share.
  public func turn(while isMissing: @autoclosure () throws -> Bool) throws {
    let end = SystemClock.monotonicNanoseconds + TestTimeout.standardNanoseconds
    let timer = schedule(afterNanoseconds: TestTimeout.standardNanoseconds) {}
    defer { cancel(timer) }
    while try isMissing() {
      guard SystemClock.monotonicNanoseconds < end else {
        throw ProgramFailure.unreadable("timed out while running turns of the loop")
      }
      turn(mayBlock: true)
    }
  }
}
