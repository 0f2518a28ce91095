import CLinux
import Glibc

/// The event loop of a thread, which handles descriptors (epoll, level-triggered), timers, messages from other threads,
/// and callbacks at the end of each turn.
///
/// The type is not `Sendable`: all objects that are created on a loop stay on its thread.
@safe public final class EventLoop {
  /// Monotonic nanoseconds, read once per turn.
  public private(set) var nowNanoseconds: Int64
  /// The wall clock in milliseconds since 1970, read once per turn.
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
  /// The mailboxes that are read before descriptors.
  private var firstReceivers: [any MailboxReceiver] = []
  private var mail: [Int] = []
  private var turnEnd: [any TurnEndTarget] = []
  private var turnEndRound: [any TurnEndTarget] = []
  private var attachments: [ObjectIdentifier: AnyObject] = [:]
  /// The buffer for events, which this object owns and never exposes; it is freed with the object.
  private let events: UnsafeMutablePointer<epoll_event>
  private static let wakerData = UInt64.max

  /// Creates a loop for the calling thread.
  ///
  /// If the clock is not the machine's clock, the owner must call ``turn(mayBlock:polls:)`` with `false` whenever
  /// ``nextWakeup`` is reached or a descriptor might be ready.
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

  /// Runs turns until `stop()` is called.
  public func run() {
    while !waker.isStopping { turn(mayBlock: true) }
  }

  /// Causes `run()` to return after the current turn.
  ///
  /// From another thread, call `LoopThread.stop()` instead.
  public func stop() { waker.stop() }

  /// True if ``stop()`` was called.
  public var isStopping: Bool { waker.isStopping }

  /// Releases handlers, timers, turn-end targets, and unread messages while the loop still exists, because their
  /// deinitializers can call the loop.
  ///
  /// Call this method if you drive the loop yourself; ``LoopThread`` does so for its own loop.
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

  /// The time, on this loop's clock, at which a timer, a message, or an end-of-turn call is due; `.max` if only a
  /// descriptor can wake the loop.
  public var nextWakeup: Int64 {
    if isPending { return nowNanoseconds }
    let next = min(timers.nextWakeup ?? .max, slackTimers.nextWakeup ?? .max)
    return next == .max ? .max : origin &+ next &* 1_000_000
  }

  /// True if messages or end-of-turn calls are waiting for the next turn.
  public var isPending: Bool { !turnEnd.isEmpty || waker.mayHaveMail }

  /// Runs one turn: waits if nothing is due and `mayBlock` is true, then handles all events.
  ///
  /// Returns true if the turn handled an event. If `polls` is false, the turn does not check the descriptors, which
  /// saves a system call. Pass false if you drive the loop yourself and know that no descriptor is ready.
  @discardableResult
  public func turn(mayBlock: Bool, polls: Bool = true) -> Bool {
    assert(turnEndRound.isEmpty, "a turn must not begin within another one")
    assert(polls || !mayBlock, "a turn that may block polls the descriptors")
    let count = polls ? wait(mayBlock: mayBlock) : 0
    let monotonic = clock.monotonicNanoseconds
    assert(monotonic >= nowNanoseconds, "the monotonic clock does not go backward")
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
    assert(elapsed >= 0, "the monotonic clock does not go backward")
    // Compute in milliseconds, because nanoseconds could overflow: a timer can be due 292 years from now.
    let wait = next - elapsed / 1_000_000
    return Int32(max(0, min(wait, Limits.longestSleepMilliseconds)))
  }

  private func dispatch(_ data: UInt64, _ readiness: Readiness) {
    let index = Int(truncatingIfNeeded: data & 0xffff_ffff)
    // An event in this batch can refer to a descriptor that an earlier event deregistered.
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
    // A target can schedule another target. For example, a session's output becomes output of its stream.
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

  /// Calls `handler` in each turn in which `descriptor` is ready for one of `interests`.
  ///
  /// The loop retains the handler until `deregister`; the caller still owns the descriptor.
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

  /// Changes the events for which the descriptor is watched; `hangup` is always included.
  public func update(_ registration: Registration, for interests: Readiness) {
    guard isCurrent(registration) else { return }
    _ = control(EPOLL_CTL_MOD, registration, interests)
  }

  /// Stops watching the descriptor and releases its handler.
  ///
  /// Call this method before closing the descriptor.
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
    assert(index != Int(freeSlot), "a slot is freed only once")
    slots[index].handler = nil
    slots[index].generation &+= 1
    slots[index].nextFree = freeSlot
    freeSlot = Int32(index)
  }

  // MARK: timers

  /// Calls `target` once, at least `afterNanoseconds` after this turn's time.
  ///
  /// The loop retains the target until the timer fires.
  @discardableResult
  public func schedule(
    afterNanoseconds: Int64, _ target: any TimerTarget, tag: UInt64 = 0
  ) -> TimerID {
    timers.insert(deadline: self.tick(afterNanoseconds), target, tag: tag)
  }

  /// Calls `target` once, no earlier than `afterNanoseconds` after this turn's time and at most `slackNanoseconds`
  /// later.
  ///
  /// Between these times, the target is called in the first turn that the loop runs for another reason. Use this method
  /// for a small number of timers that can be late, such as retries and housekeeping, so that they do not wake the
  /// processor themselves.
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

  /// Calls `body` once, no earlier than `afterNanoseconds` after this turn's time and at most `slackNanoseconds` later.
  @discardableResult
  public func schedule(
    afterNanoseconds: Int64, slackNanoseconds: Int64, _ body: @escaping () -> Void
  ) -> TimerID {
    schedule(
      afterNanoseconds: afterNanoseconds, slackNanoseconds: slackNanoseconds, TimerClosure(body))
  }

  /// Returns the first tick that is at least `afterNanoseconds` after this turn's time.
  private func tick(_ afterNanoseconds: Int64) -> Int64 {
    let due = (nowNanoseconds &- origin).addingReportingOverflow(max(0, afterNanoseconds))
    // Leave enough range to round up; later times are never due.
    let latest = Int64.max - 1_000_000
    let nanoseconds = due.overflow ? latest : min(due.partialValue, latest)
    return (nanoseconds + 999_999) / 1_000_000
  }

  /// Calls `body` once.
  ///
  /// This method allocates memory, so do not use it for each connection or message.
  @discardableResult
  public func schedule(afterNanoseconds: Int64, _ body: @escaping () -> Void) -> TimerID {
    schedule(afterNanoseconds: afterNanoseconds, TimerClosure(body))
  }

  /// Cancels a timer.
  ///
  /// Has no effect if the timer has fired or was already cancelled.
  public func cancel(_ timer: TimerID) {
    // Timers in the wheel never have this index.
    guard timer.index == .max else {
      timers.cancel(timer)
      return
    }
    slackTimers.cancel(timer.generation)
  }

  // MARK: turn end and mail

  /// Calls `target` once at the end of this turn.
  ///
  /// A target that is passed twice is called twice.
  public func atTurnEnd(_ target: any TurnEndTarget) {
    turnEnd.append(target)
  }

  /// Creates a mailbox to which other threads post messages; `receive` is called with batches of messages on this
  /// loop's thread.
  ///
  /// If `isBeforeDescriptors` is true, the mailbox is read before descriptors. When data from a peer is handled, all
  /// messages that were posted before the peer sent the data have therefore already been handled. Otherwise, the
  /// mailbox is read after the descriptors that were ready before the message was posted.
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

  /// Returns the loop's single object of this type, such as buffers that connections share.
  ///
  /// The object is created on first use.
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
