import Synchronization
import Testing

@testable import Storage

@Suite struct BatchThreadTests {
  private final class Work: Sendable {
    let batches = Mutex<[[Int]]>([])
    /// The number of calls in which `perform` reports that more work remains.
    let rounds: Mutex<Int>

    init(rounds: Int = 0) { self.rounds = Mutex(rounds) }

    func perform(_ batch: [Int]) -> Bool {
      batches.withLock { $0.append(batch) }
      return rounds.withLock { rounds in
        guard rounds > 0 else { return false }
        rounds -= 1
        return true
      }
    }

    var all: [Int] { batches.withLock { $0.flatMap { $0 } } }
  }

  @Test
  func `everything that was posted is worked on once and in order, then the thread ends`() throws {
    let work = Work()
    let thread = try BatchThread(name: "test") { work.perform($0) }
    for number in 1...1_000 {
      #expect(thread.post(number))
      if number % 100 == 1 { thread.checkInvariants() }
    }
    thread.close()
    thread.checkInvariants()
    #expect(work.all == Array(1...1_000))
    #expect(!work.batches.withLock { $0.contains([]) }, "no batch is empty")
    #expect(!thread.post(1_001), "a closed thread accepts no messages")
    thread.close()
    #expect(work.all.count == 1_000)
  }

  @Test
  func `work that has more to do is called again, also when the thread is closed`() throws {
    let work = Work(rounds: 7)
    let thread = try BatchThread(name: "test") { work.perform($0) }
    #expect(thread.post(1))
    thread.close()
    #expect(work.all == [1])
    #expect(work.batches.withLock { $0.count } == 8)
    thread.checkInvariants()
  }
}
