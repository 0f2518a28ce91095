import Dispatch
import Synchronization

extension LoopThread {
  /// Starts a thread, waits until `body` has run on the thread, and returns the result of `body`, such as a mailbox or
  /// a port that other threads need.
  ///
  /// The parameters are those of `start(name:_:)`. If `body` throws an error, the thread stops and the error is
  /// rethrown.
  public static func launch<Value: Sendable>(
    name: String, _ body: @escaping @Sendable (EventLoop) throws(SystemFailure) -> Value
  ) throws(SystemFailure) -> (thread: LoopThread, value: Value) {
    let made = Mutex<Result<Value, SystemFailure>?>(nil)
    let isMade = DispatchSemaphore(value: 0)
    let thread = try start(name: name) { loop in
      let result: Result<Value, SystemFailure>
      do throws(SystemFailure) {
        result = .success(try body(loop))
      } catch {
        result = .failure(error)
      }
      made.withLock { $0 = result }
      isMade.signal()
    }
    isMade.wait()
    guard let result = made.withLock({ $0 }) else {
      preconditionFailure("the thread signaled without a value")
    }
    switch result {
    case .success(let value): return (thread, value)
    case .failure(let error):
      thread.stop()
      thread.join()
      throw error
    }
  }
}
