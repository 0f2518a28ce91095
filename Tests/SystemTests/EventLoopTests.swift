import Glibc
import Synchronization
import TestSupport
import Testing

@testable import System

@Suite struct EventLoopTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private func run(
    sourceLocation: SourceLocation = #_sourceLocation, until condition: () -> Bool
  ) {
    let end = SystemClock.monotonicNanoseconds + TestTimeout.standardNanoseconds
    let alarm = loop.schedule(afterNanoseconds: TestTimeout.standardNanoseconds) {}
    while !condition(), SystemClock.monotonicNanoseconds < end { loop.turn(mayBlock: true) }
    loop.cancel(alarm)
    #expect(condition(), sourceLocation: sourceLocation)
  }

  @Test
  func `timers fire after their time, in order, and not when cancelled`() {
    var fired: [Int] = []
    let start = loop.nowNanoseconds
    var elapsed: Int64 = 0
    loop.schedule(afterNanoseconds: 20_000_000) {
      fired.append(20)
      elapsed = loop.nowNanoseconds - start
    }
    loop.schedule(afterNanoseconds: 5_000_000) { fired.append(5) }
    loop.schedule(afterNanoseconds: 0) { fired.append(0) }
    loop.cancel(loop.schedule(afterNanoseconds: 10_000_000) { fired.append(10) })
    run { fired.count == 3 }
    #expect(fired == [0, 5, 20])
    #expect(elapsed >= 20_000_000)
  }

  @Test
  func `an absurd delay is taken as never`() {
    // Before the first turn, the loop's time is still its origin, so only rounding up can overflow.
    let far = [Int64.max, .max - 1, .max - 999_999].map { delay in
      loop.schedule(afterNanoseconds: delay) { Issue.record("\(delay) fired") }
    }
    var isOver = false
    loop.schedule(afterNanoseconds: 3_000_000) { isOver = true }
    run { isOver }
    far.forEach(loop.cancel)
  }

  @Test
  func `a loop that has only a timer of never sleeps`() throws {
    loop.schedule(afterNanoseconds: .max, slackNanoseconds: .max) { Issue.record("fired") }
    var isOver = false
    var turns = 0
    let mailbox = loop.mailbox(of: Int.self) { _ in isOver = true }
    let thread = try LoopThread.start(name: "waker") { other in
      other.schedule(afterNanoseconds: 20_000_000) { mailbox.post(1) }
    }
    while !isOver {
      loop.turn(mayBlock: true)
      turns += 1
    }
    #expect(turns < 5)
    thread.stop()
    thread.join()
  }

  private final class Pipe: EventHandler {
    let read: Int32
    let write: Int32
    var heard: [Readiness] = []
    var onReady: () -> Void = {}

    init() {
      var ends: [Int32] = [0, 0]
      let made = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
      #expect(made == 0)
      (read, write) = (ends[0], ends[1])
    }

    deinit {
      Glibc.close(read)
      Glibc.close(write)
    }

    func ready(_ readiness: Readiness) {
      heard.append(readiness)
      onReady()
    }

    func send() {
      var byte: UInt8 = 1
      _ = Glibc.write(write, &byte, 1)
    }
  }

  @Test
  func `a descriptor is reported while it is ready, for what was asked, until deregistered`() throws
  {
    let pipe = Pipe()
    let registration = try loop.register(pipe.read, for: .readable, handler: pipe)
    loop.turn(mayBlock: false)
    #expect(pipe.heard.isEmpty)
    pipe.send()
    loop.turn(mayBlock: true)
    loop.turn(mayBlock: true)
    #expect(pipe.heard == [.readable, .readable])
    loop.update(registration, for: .writable)
    loop.turn(mayBlock: true)
    #expect(pipe.heard.last == .writable)
    loop.update(registration, for: [])
    loop.turn(mayBlock: false)
    #expect(pipe.heard.count == 3)
    loop.deregister(registration)
    loop.deregister(registration)
    pipe.send()
    loop.turn(mayBlock: false)
    #expect(pipe.heard.count == 3)
  }

  @Test(arguments: [false, true])
  func
    `a mailbox marked as before descriptors is read before them, any other after them, each once`(
      isBefore: Bool
    ) throws
  {
    let pipe = Pipe()
    _ = try loop.register(pipe.read, for: .readable, handler: pipe)
    var heardAtMail: [Int] = []
    let mailbox = loop.mailbox(of: Int.self, isBeforeDescriptors: isBefore) { _ in
      heardAtMail.append(pipe.heard.count)
    }
    mailbox.post(1)
    pipe.send()
    loop.turn(mayBlock: true)
    #expect(heardAtMail == [isBefore ? 0 : 1] && pipe.heard == [.readable])
    loop.turn(mayBlock: false)
    #expect(heardAtMail.count == 1)
  }

  @Test
  func `a handler that is deregistered in the same turn is not called again`() throws {
    let one = Pipe()
    let other = Pipe()
    var registrations: [Registration] = []
    registrations.append(try loop.register(one.read, for: .readable, handler: one))
    registrations.append(try loop.register(other.read, for: .readable, handler: other))
    // Whichever handler runs first deregisters both.
    let drop = { [loop] in for registration in registrations { loop.deregister(registration) } }
    one.onReady = drop
    other.onReady = drop
    one.send()
    other.send()
    loop.turn(mayBlock: true)
    #expect(one.heard.count + other.heard.count == 1)
    #expect(throws: SystemFailure.self) {
      _ = try loop.register(-1, for: .readable, handler: one)
    }
  }

  private final class TurnEnd: TurnEndTarget {
    var calls = 0
    var body: () -> Void = {}

    func turnEnded() {
      calls += 1
      body()
    }
  }

  @Test
  func `turn-end targets are called once, and may call on each other within the turn`() {
    let first = TurnEnd()
    let second = TurnEnd()
    first.body = { [loop] in loop.atTurnEnd(second) }
    loop.schedule(afterNanoseconds: 0) { [loop] in loop.atTurnEnd(first) }
    run { first.calls == 1 }
    #expect(second.calls == 1)
    loop.turn(mayBlock: false)
    #expect(first.calls == 1)
    let endless = TurnEnd()
    endless.body = { [loop] in loop.atTurnEnd(endless) }
    loop.atTurnEnd(endless)
    loop.turn(mayBlock: true)
    #expect(endless.calls <= Limits.turnEndRounds)
    endless.body = {}
    loop.turn(mayBlock: true)
  }

  private struct Message: Sendable {
    let sender: Int
    let number: Int
  }

  @Test
  func `messages from several threads arrive once each, in each one's order`() throws {
    var received: [Message] = []
    let mailbox = loop.mailbox(of: Message.self) { received += $0 }
    let threads = try (0..<4).map { sender in
      try LoopThread.start(name: "sender") { loop in
        for number in 0..<2_000 { mailbox.post(Message(sender: sender, number: number)) }
        mailbox.post(contentsOf: (2_000..<2_500).map { Message(sender: sender, number: $0) })
        mailbox.post(contentsOf: [])
        loop.stop()
      }
    }
    run { received.count == 10_000 }
    for sender in 0..<4 {
      #expect(received.filter { $0.sender == sender }.map(\.number) == Array(0..<2_500))
    }
    for thread in threads { thread.join() }
  }

  @Test
  func `a message wakes a sleeping loop, and one posted on the loop itself is not lost`() throws {
    var received: [Int] = []
    let mailbox = loop.mailbox(of: Int.self) { received += $0 }
    let thread = try LoopThread.start(name: "waker") { other in
      other.schedule(afterNanoseconds: 20_000_000) { mailbox.post(1) }
    }
    run { received == [1] }
    mailbox.post(2)
    loop.turn(mayBlock: true)
    #expect(received == [1, 2])
    thread.stop()
    thread.join()
  }

  @Test
  func `mail that is unread when a loop ends, or posted afterward, is released`() {
    final class Letter: Sendable {
      let mailbox: Mailbox<Letter>
      init(_ mailbox: Mailbox<Letter>) { self.mailbox = mailbox }
    }
    let mailbox = loop.mailbox(of: Letter.self) { _ in Issue.record("received after the end") }
    weak var unread: Letter?
    weak var late: Letter?
    do {
      let letters = [Letter(mailbox), Letter(mailbox), Letter(mailbox)]
      (unread, late) = (letters[0], letters[2])
      mailbox.post(letters[0])
      loop.releaseAll()
      mailbox.post(contentsOf: [letters[1]])
      mailbox.post(letters[2])
    }
    #expect(unread == nil)
    #expect(late == nil)
  }

  @Test
  func `posting to a mailbox that is read steadily costs no allocation`() {
    var sum = 0
    let mailbox = loop.mailbox(of: Int.self) { sum += $0.count }
    for _ in 0..<2 {
      for _ in 0..<100 { mailbox.post(1) }
      loop.turn(mayBlock: false)
    }
    expectAllocations(atMost: 0) {
      for _ in 0..<50 { mailbox.post(1) }
      loop.turn(mayBlock: false)
    }
    #expect(sum > 1_000)
  }

  @Test
  func `a loop's shared object is made once`() {
    final class Buffers {}
    var made = 0
    let make = {
      made += 1
      return Buffers()
    }
    #expect(loop.shared(Buffers.self, make) === loop.shared(Buffers.self, make))
    #expect(made == 1)
  }

  @Test
  func `a thread's loop runs until it is stopped, and what it holds is let go of on its thread`()
    throws
  {
    let ended = Tally()
    let thread = try LoopThread.start(name: "a name longer than fifteen bytes") { loop in
      let held = OnEnd(ended)
      loop.schedule(afterNanoseconds: 3_600_000_000_000) { withExtendedLifetime(held) {} }
    }
    thread.stop()
    thread.join()
    thread.join()
    #expect(ended.count == 1)
  }

  @Test
  func `SIGHUP and SIGTERM become events of the loop`() throws {
    let heard = Mutex<[SignalWatcher.Signal]>([])
    let mailbox = loop.mailbox(of: SignalWatcher.Signal.self) { more in
      heard.withLock { $0 += more }
    }
    // Use a separate thread: it blocks signals, and they remain blocked, even in the programs that the thread starts.
    let thread = try LoopThread.start(name: "signals") { loop in
      let watcher = try? SignalWatcher(on: loop, for: [.hangup, .terminate]) { signal in
        mailbox.post(signal)
        if signal == .hangup { pthread_kill(pthread_self(), SIGTERM) }
      }
      pthread_kill(pthread_self(), SIGHUP)
      #expect(watcher != nil)
    }
    run { heard.withLock { $0 } == [.hangup, .terminate] }
    thread.stop()
    thread.join()
  }

  @Test
  func `host names are resolved off the loop, addresses at once`() {
    var answers: [HostResolver.Answer] = []
    HostResolver.shared(on: loop).resolve(host: "::1", port: 9) { answers.append($0) }
    #expect(answers.count == 1)
    HostResolver.shared(on: loop).resolve(host: "localhost", port: 9) { answers.append($0) }
    #expect(answers.count == 1)
    run { answers.count == 2 }
    guard case .addresses(let addresses)? = answers.last else {
      Issue.record("\(answers)")
      return
    }
    #expect(addresses.allSatisfy { $0.port == 9 && $0.isLoopback })
  }
}

/// A counter that all threads share.
private final class Tally: Sendable {
  private let total = Atomic<Int>(0)
  var count: Int { total.load(ordering: .relaxed) }
  func add() { total.wrappingAdd(1, ordering: .relaxed) }
}

private final class OnEnd {
  private let tally: Tally
  init(_ tally: Tally) { self.tally = tally }
  deinit { tally.add() }
}
