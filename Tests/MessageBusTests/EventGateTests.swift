import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import MessageBus

@Suite(.timeLimit(.minutes(5))) struct EventGateTests {
  @Test func `Closing waits for a running handler, and later events are dropped`() async throws {
    let isRunning = DispatchSemaphore(value: 0)
    let isClosed = DispatchSemaphore(value: 0)
    let results = Mutex<[DispatchTimeoutResult]>([])
    let gate = EventGate { _ in
      isRunning.signal()
      // Closing must not end while the handler runs, so this wait reaches its limit.
      let result = isClosed.wait(timeout: .now() + .milliseconds(300))
      results.withLock { $0.append(result) }
    }
    DispatchQueue.global().async { gate.deliver(.connected) }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        isRunning.wait()
        #expect(!gate.close())
        isClosed.signal()
        continuation.resume()
      }
    }
    #expect(results.withLock { $0 } == [.timedOut])
    gate.deliver(.connected)
    #expect(results.withLock { $0.count } == 1)
  }

  @Test func `Handlers on several threads can close the gate at the same time`() async throws {
    let closed = Mutex<(@Sendable () -> Bool)?>(nil)
    let isRunning = DispatchSemaphore(value: 0)
    let isReleased = DispatchSemaphore(value: 0)
    let isEnded = DispatchSemaphore(value: 0)
    let gate = EventGate { _ in
      isRunning.signal()
      isReleased.wait()
      let isHandler = closed.withLock { $0 }?()
      #expect(isHandler == true)
    }
    closed.withLock { $0 = { gate.close() } }
    let isDone = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        for _ in 0..<2 {
          DispatchQueue.global().async {
            gate.deliver(.connected)
            isEnded.signal()
          }
          isRunning.wait()
        }
        for _ in 0..<2 { isReleased.signal() }
        let limit = DispatchTime.now() + .seconds(10)
        let results = (0..<2).map { _ in isEnded.wait(timeout: limit) }
        continuation.resume(returning: results.allSatisfy { $0 == .success })
      }
    }
    #expect(isDone)
    closed.withLock { $0 = nil }
  }
}
