import CLinux
import Glibc

/// One thread's loop: descriptors (epoll, level-triggered), timers, mail from other threads, and a
/// last word at the end of each turn.
///
/// Not `Sendable`: what is made on a loop stays on its thread.
@safe public final class EventLoop {
  /// Monotonic nanoseconds, read once a turn.
  public private(set) var nowNanoseconds: Int64
  /// Wall clock in milliseconds since 1970, read once a turn.
  public private(set) var unixMilliseconds: Int64

  private struct Slot {
    var handler: (any EventHandler)?
    var descriptor: Int32
    var generation: UInt32
    var nextFree: Int32
  }

  let waker: LoopWaker
  private let clock: any LoopClock
  private let origin: Int64
  private var slots: [Slot] = []
  private var freeSlot: Int32 = -1
  private var timers: TimerWheel
  private var slackTimers = SlackTimers()
  private var receivers: [any MailboxReceiver] = []
  /// Those that are read before descriptors.
  private var firstReceivers: [any MailboxReceiver] = []
  private var mail: [Int] = []
  private var turnEnd: [any TurnEndTarget] = []
  private var turnEndRound: [any TurnEndTarget] = []
  private var attachments: [ObjectIdentifier: AnyObject] = [:]
  /// Owned by this object alone, freed with it, never handed out.
  private let events: UnsafeMutablePointer<epoll_event>
  private static let wakerData = UInt64.max

  /// A loop for the calling thread.
  ///
  /// Under another clock than the machine's the loop is turned by hand, with ``turn(mayBlock:polls:)`` and
  /// `false`, whenever ``nextWakeup`` has come or a descriptor may be ready.
  public convenience init(clock: any LoopClock = SystemLoopClock.shared) throws(SystemFailure) {
    try self.init(waker: LoopWaker(), clock: clock)
  }

  init(waker: LoopWaker, clock: any LoopClock = SystemLoopClock.shared) {
    self.waker = waker
    self.clock = clock
    nowNanoseconds = clock.monotonicNanoseconds
    unixMilliseconds = clock.unixMilliseconds
    origin = nowNanoseconds
    timers = TimerWheel(now: 0)
    unsafe events = .allocate(capacity: Limits.eventsPerTurn)
    _ = belfry_epoll_control(
      waker.epoll, EPOLL_CTL_ADD, waker.event, EPOLLIN.rawValue, Self.wakerData)
  }

  deinit { unsafe events.deallocate() }

  // MARK: running

  /// Turns until `stop()`.
  public func run() {
    while !waker.isStopping { turn(mayBlock: true) }
  }

  /// Makes `run()` return after the current turn; from another thread use `LoopThread.stop()`.
  public func stop() { waker.stop() }

  /// Whether ``stop()`` was called.
  public var isStopping: Bool { waker.isStopping }

  /// Releases handlers, timers, turn-end targets and unread mail while the loop is still there for them:
  /// their ends may reach back to it.
  ///
  /// For owners that drive the loop themselves; ``LoopThread`` drives its own.
  public func releaseAll() {
    for index in slots.indices where slots[index].handler != nil {
      let handler = slots[index].handler
      slots[index].handler = nil
      handler?.loopEnded()
      withExtendedLifetime(handler) {}
    }
    timers = TimerWheel(now: timers.now)
    slackTimers = SlackTimers()
    turnEnd = []
    for receiver in receivers { receiver.close() }
    receivers = []
    firstReceivers = []
  }

  /// The time, by this loop's clock, at which it has something to do by itself: a timer, mail, or the
  /// end of a turn; `.max`: only when a descriptor becomes ready.
  public var nextWakeup: Int64 {
    if isPending { return nowNanoseconds }
    let next = min(timers.nextWakeup ?? .max, slackTimers.nextWakeup ?? .max)
    return next == .max ? .max : origin &+ next &* 1_000_000
  }

  /// Whether mail or the end of a turn waits for the loop to turn.
  public var isPending: Bool { !turnEnd.isEmpty || waker.mayHaveMail }

  /// One turn: waits when nothing is due and `mayBlock`, then handles what there is; whether there was
  /// anything.
  ///
  /// Without `polls` it leaves the descriptors for another turn, which costs no system call: for who turns
  /// the loop by hand and knows that none is ready.
  @discardableResult
  public func turn(mayBlock: Bool, polls: Bool = true) -> Bool {
    assert(turnEndRound.isEmpty, "a turn must not begin within another one")
    assert(polls || !mayBlock, "who waits for descriptors has to look at them")
    let count = polls ? wait(mayBlock: mayBlock) : 0
    let monotonic = clock.monotonicNanoseconds
    assert(monotonic >= nowNanoseconds, "the monotonic clock went back")
    nowNanoseconds = monotonic
    unixMilliseconds = clock.unixMilliseconds
    if waker.mayHaveMail { for receiver in firstReceivers { receiver.receive() } }
    var index: Int32 = 0
    while index < count {
      let data = unsafe belfry_epoll_data(events, index)
      let flags = unsafe belfry_epoll_events(events, index)
      index += 1
      if data == Self.wakerData {
        waker.acknowledge()
      } else {
        dispatch(data, Readiness(epollEvents: flags))
      }
    }
    waker.takeMail(into: &mail)
    var next = 0
    while next < mail.count {
      receivers[mail[next]].receive()
      next += 1
    }
    let hasFired = fireTimers()
    let hasEnded = endTurn()
    return count > 0 || next > 0 || hasFired || hasEnded
  }

  private func wait(mayBlock: Bool) -> Int32 {
    var timeout: Int32 = 0
    if mayBlock, turnEnd.isEmpty {
      timeout = sleepMilliseconds()
    }
    let sleeps = timeout > 0 && waker.prepareToSleep()
    let count = unsafe epoll_wait(
      waker.epoll, events, Int32(Limits.eventsPerTurn), sleeps ? timeout : 0)
    if sleeps { waker.awoke() }
    return count
  }

  private func sleepMilliseconds() -> Int32 {
    let next = min(timers.nextWakeup ?? .max, slackTimers.nextWakeup ?? .max)
    guard next != .max else { return Int32(Limits.longestSleepMilliseconds) }
    let elapsed = clock.monotonicNanoseconds - origin
    assert(elapsed >= 0, "the monotonic clock only goes on")
    // In milliseconds, since a timer may be due in 292 years.
    let wait = next - elapsed / 1_000_000
    return Int32(max(0, min(wait, Limits.longestSleepMilliseconds)))
  }

  private func dispatch(_ data: UInt64, _ readiness: Readiness) {
    let index = Int(truncatingIfNeeded: data & 0xffff_ffff)
    // An event of this batch may speak of a descriptor that an earlier one has taken away.
    guard index < slots.count, slots[index].generation == UInt32(truncatingIfNeeded: data >> 32)
    else { return }
    slots[index].handler?.ready(readiness)
  }

  private func fireTimers() -> Bool {
    let tick = (nowNanoseconds &- origin) / 1_000_000
    timers.advance(to: tick)
    var fired = 0
    while fired < Limits.timersPerTurn, let due = timers.popDue() {
      due.target.timerFired(tag: due.tag)
      fired += 1
    }
    while fired < Limits.timersPerTurn, let due = slackTimers.popDue(at: tick) {
      due.target.timerFired(tag: due.tag)
      fired += 1
    }
    return fired > 0
  }

  private func endTurn() -> Bool {
    var round = 0
    // A target may call on another one: a session's output becomes its stream's.
    while !turnEnd.isEmpty, round < Limits.turnEndRounds {
      swap(&turnEnd, &turnEndRound)
      var next = 0
      while next < turnEndRound.count {
        turnEndRound[next].turnEnded()
        next += 1
      }
      turnEndRound.removeAll(keepingCapacity: true)
      round += 1
    }
    return round > 0
  }

  // MARK: descriptors

  /// Calls `handler` each turn in which `descriptor` is ready for one of `interests`.
  ///
  /// The loop keeps the handler alive until `deregister`; the descriptor stays the caller's.
  public func register(
    _ descriptor: Int32, for interests: Readiness, handler: any EventHandler
  ) throws(SystemFailure) -> Registration {
    let index: Int
    if freeSlot >= 0 {
      index = Int(freeSlot)
      freeSlot = slots[index].nextFree
    } else {
      index = slots.count
      slots.append(Slot(handler: nil, descriptor: -1, generation: 0, nextFree: -1))
    }
    slots[index].handler = handler
    slots[index].descriptor = descriptor
    let registration = Registration(index: UInt32(index), generation: slots[index].generation)
    guard control(EPOLL_CTL_ADD, registration, interests) == 0 else {
      let failure = SystemFailure.last("epoll_ctl", "descriptor \(descriptor)")
      release(index)
      throw failure
    }
    return registration
  }

  /// Changes what the descriptor is watched for; `hangup` is reported whatever is asked.
  public func update(_ registration: Registration, for interests: Readiness) {
    guard isCurrent(registration) else { return }
    _ = control(EPOLL_CTL_MOD, registration, interests)
  }

  /// Stops watching the descriptor and releases its handler.
  ///
  /// Call it before closing the descriptor.
  public func deregister(_ registration: Registration) {
    guard isCurrent(registration) else { return }
    _ = control(EPOLL_CTL_DEL, registration, [])
    release(Int(registration.index))
  }

  private func isCurrent(_ registration: Registration) -> Bool {
    let index = Int(registration.index)
    return index < slots.count && slots[index].generation == registration.generation
      && slots[index].handler != nil
  }

  private func control(
    _ operation: Int32, _ registration: Registration, _ interests: Readiness
  ) -> Int32 {
    let data = UInt64(registration.generation) << 32 | UInt64(registration.index)
    return belfry_epoll_control(
      waker.epoll, operation, slots[Int(registration.index)].descriptor, interests.epollEvents,
      data)
  }

  private func release(_ index: Int) {
    assert(index != Int(freeSlot), "a slot is freed twice")
    slots[index].handler = nil
    slots[index].generation &+= 1
    slots[index].nextFree = freeSlot
    freeSlot = Int32(index)
  }

  // MARK: timers

  /// Calls `target` once, not before `afterNanoseconds` from this turn's time.
  ///
  /// The loop keeps the target alive until then.
  @discardableResult
  public func schedule(
    afterNanoseconds: Int64, _ target: any TimerTarget, tag: UInt64 = 0
  ) -> TimerID {
    timers.insert(deadline: self.tick(afterNanoseconds), target, tag: tag)
  }

  /// Calls `target` once, not before `afterNanoseconds` from this turn's time: with the first turn
  /// then that something else brings about, at the latest `slackNanoseconds` later.
  ///
  /// For timers that may be late, so that they do not wake the processor by themselves: retries,
  /// housekeeping. Meant for few timers at a time.
  @discardableResult
  public func schedule(
    afterNanoseconds: Int64, slackNanoseconds: Int64, _ target: any TimerTarget, tag: UInt64 = 0
  ) -> TimerID {
    let latest = max(0, afterNanoseconds).addingReportingOverflow(max(0, slackNanoseconds))
    let number = slackTimers.insert(
      due: tick(afterNanoseconds), latest: tick(latest.overflow ? .max : latest.partialValue),
      target, tag: tag)
    return TimerID(index: .max, generation: number)
  }

  /// Calls `body` once, with slack.
  @discardableResult
  public func schedule(
    afterNanoseconds: Int64, slackNanoseconds: Int64, _ body: @escaping () -> Void
  ) -> TimerID {
    schedule(
      afterNanoseconds: afterNanoseconds, slackNanoseconds: slackNanoseconds, TimerClosure(body))
  }

  /// The tick that is not before a time from this turn's.
  private func tick(_ afterNanoseconds: Int64) -> Int64 {
    let due = (nowNanoseconds &- origin).addingReportingOverflow(max(0, afterNanoseconds))
    // Room to round up: what is beyond is never.
    let latest = Int64.max - 1_000_000
    let nanoseconds = due.overflow ? latest : min(due.partialValue, latest)
    return (nanoseconds + 999_999) / 1_000_000
  }

  /// Calls `body` once; it allocates, so it is for the edges, not for each connection or message.
  @discardableResult
  public func schedule(afterNanoseconds: Int64, _ body: @escaping () -> Void) -> TimerID {
    schedule(afterNanoseconds: afterNanoseconds, TimerClosure(body))
  }

  /// Forgets a timer; one that has fired or was cancelled is left alone.
  public func cancel(_ timer: TimerID) {
    // No timer of the wheel has this index.
    guard timer.index == .max else {
      timers.cancel(timer)
      return
    }
    slackTimers.cancel(timer.generation)
  }

  // MARK: turn end and mail

  /// Calls `target` once at the end of this turn; a target that asks twice is called twice.
  public func atTurnEnd(_ target: any TurnEndTarget) {
    turnEnd.append(target)
  }

  /// A way in for other threads: `receive` gets what was posted, in batches, on this loop's thread.
  ///
  /// A mailbox that comes before descriptors has, when what a peer sent is read, been read as far as anything was
  /// posted before the peer sent it. Any other is read after the descriptors that were ready before it was posted to.
  public func mailbox<Message: Sendable>(
    of type: Message.Type, isBeforeDescriptors: Bool = false,
    _ receive: @escaping ([Message]) -> Void
  ) -> Mailbox<Message> {
    let mailbox = Mailbox<Message>(waker: waker, number: receivers.count)
    let slot = MailboxSlot(mailbox, receive)
    receivers.append(slot)
    if isBeforeDescriptors { firstReceivers.append(slot) }
    return mailbox
  }

  /// The loop's one object of this type, made when first asked for: buffers that connections share.
  public func shared<Object: AnyObject>(_ type: Object.Type, _ make: () -> Object) -> Object {
    if let object = attachments[ObjectIdentifier(type)] as? Object { return object }
    let object = make()
    attachments[ObjectIdentifier(type)] = object
    return object
  }
}

private final class TimerClosure: TimerTarget {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  func timerFired(tag: UInt64) { body() }
}
