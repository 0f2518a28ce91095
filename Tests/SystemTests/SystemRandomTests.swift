import TestSupport
import Testing

@testable import System

@Suite struct SystemRandomTests {
  @Test
  func `bytes are as many as asked for, and not the same twice`() {
    #expect(SystemRandom.bytes(0).isEmpty)
    #expect(SystemRandom.bytes(1_000).count == 1_000)
    #expect(SystemRandom.bytes(32) != SystemRandom.bytes(32))
    #expect(Set(SystemRandom.bytes(10_000)).count > 200)
  }

  @Test
  func `copies of a generator do not repeat each other`() {
    var generator = SystemRandom.Generator()
    var copy = generator
    let words = (0..<600).map { _ in generator.next() } + (0..<600).map { _ in copy.next() }
    #expect(Set(words).count == 1_200)
  }

  @Test
  func `drawing costs no allocation`() {
    var generator = SystemRandom.Generator()
    expectAllocations(atMost: 0) { _ = generator.next() }
  }

  @Test
  func `the clocks go forward`() {
    let first = SystemClock.monotonicNanoseconds
    #expect(SystemClock.monotonicNanoseconds >= first)
    #expect(SystemClock.unixMilliseconds > 1_700_000_000_000)
  }
}
