import CSystemd
import Glibc
package import System

/// A connection to a message bus on the agent's loop; no method blocks.
@safe package final class BusConnection: EventHandler, TimerTarget {
  /// The bus to connect to.
  package enum Bus {
    case session
    case system
    /// A bus at a D-Bus address.
    case at(String)
  }

  package typealias Reply = (Result<[BusValue], BusFailure>) -> Void

  private let bus: OpaquePointer
  private let loop: EventLoop
  private let descriptor: Int32
  private var registration: Registration?
  private var timer: TimerID?
  private var calls: [UInt64: PendingCall] = [:]
  private var nextCall: UInt64 = 1
  private var matches: [MatchHandler] = []
  /// The number of match rules that this connection has added.
  var matchCount: Int { matches.count }
  private var objects: [ObjectHandler] = []
  private var isClosed = false
  /// Called once when the connection to the bus is lost.
  var onDisconnect: () -> Void = {}

  /// Connects to the bus; throws if it is not available.
  package init(_ which: Bus, on loop: EventLoop) throws(BusFailure) {
    var pointer: OpaquePointer?
    let result =
      switch which {
      case .session: unsafe sd_bus_open_user(&pointer)
      case .system: unsafe sd_bus_open_system(&pointer)
      case .at(let address): unsafe Self.open(&pointer, address)
      }
    guard result >= 0 else { throw BusFailure.connecting(result) }
    guard let pointer = unsafe pointer else { throw BusFailure(name: "", message: "no connection") }
    unsafe bus = pointer
    descriptor = unsafe sd_bus_get_fd(pointer)
    self.loop = loop
    do {
      registration = try loop.register(descriptor, for: .readable, handler: self)
    } catch {
      throw BusFailure(name: "register", message: "\(error)")
    }
    update()
  }

  private static func open(_ pointer: inout OpaquePointer?, _ address: String) -> Int32 {
    var result = unsafe sd_bus_new(&pointer)
    if result >= 0 { result = unsafe sd_bus_set_address(pointer, address) }
    if result >= 0 { result = unsafe sd_bus_set_bus_client(pointer, 1) }
    return result < 0 ? result : unsafe sd_bus_start(pointer)
  }

  deinit {
    unsafe sd_bus_flush_close_unref(bus)
  }

  /// Sends the queued messages, then disconnects.
  ///
  /// Calls that are still unanswered fail.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    if let registration { loop.deregister(registration) }
    registration = nil
    if let timer { loop.cancel(timer) }
    timer = nil
    unsafe sd_bus_flush(bus)
    for handler in matches { handler.release() }
    for handler in objects { handler.release() }
    matches = []
    objects = []
    let pending = calls
    calls = [:]
    for call in pending.values {
      call.release()
      call.reply(.failure(BusFailure(name: "closed", message: "the bus connection was closed")))
    }
    // The bus releases the names of the connection, even if an object still refers to this one.
    unsafe sd_bus_close(bus)
  }

  // MARK: - Calls

  /// Calls a method; `reply` runs later, exactly once.
  ///
  /// If `mayStart` is false, the call does not cause the bus to start a service, because the bus might choose a service
  /// that cannot run (linux-parts 1).
  package func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String,
    _ arguments: [BusValue] = [], mayStart: Bool = false, timeoutSeconds: UInt64 = 25,
    _ reply: @escaping Reply
  ) {
    do {
      let message = try unsafe message { pointer in
        unsafe sd_bus_message_new_method_call(
          bus, pointer, destination, path, interface, member)
      }
      try message.append(arguments)
      if !mayStart { unsafe sd_bus_message_set_auto_start(message.pointer, 0) }
      let call = PendingCall(number: nextCall, owner: self, reply: reply)
      nextCall += 1
      var slot: OpaquePointer?
      let result = unsafe sd_bus_call_async(
        bus, &slot, message.pointer,
        { message, context, _ in
          guard let message = unsafe message, let context = unsafe context else { return 0 }
          let call = unsafe Unmanaged<PendingCall>.fromOpaque(context).takeUnretainedValue()
          call.owner?.answered(call, unsafe BusMessage(borrowing: message))
          return 1
        }, Unmanaged.passUnretained(call).toOpaque(), timeoutSeconds * 1_000_000)
      _ = try BusFailure.check(result, "sd_bus_call_async")
      unsafe call.slot = slot
      calls[call.number] = call
      update()
    } catch {
      loop.schedule(afterNanoseconds: 0) { reply(.failure(error)) }
    }
  }

  /// Runs `body` after a delay, on the connection's loop.
  func after(_ nanoseconds: Int64, _ body: @escaping () -> Void) {
    loop.schedule(afterNanoseconds: nanoseconds) { [weak self] in
      if self?.isClosed == false { body() }
    }
  }

  /// Calls a method that has no answer; throws if the message cannot be sent.
  func send(
    _ destination: String, _ path: String, _ interface: String, _ member: String,
    _ arguments: [BusValue]
  ) throws(BusFailure) {
    let message = try unsafe message { pointer in
      unsafe sd_bus_message_new_method_call(bus, pointer, destination, path, interface, member)
    }
    try message.append(arguments)
    unsafe sd_bus_message_set_auto_start(message.pointer, 0)
    unsafe sd_bus_message_set_expect_reply(message.pointer, 0)
    _ = try BusFailure.check(unsafe sd_bus_send(bus, message.pointer, nil), "sd_bus_send")
    update()
  }

  /// Emits a signal.
  func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
    do {
      let message = try unsafe message { pointer in
        unsafe sd_bus_message_new_signal(bus, pointer, path, interface, member)
      }
      try message.append(arguments)
      _ = try BusFailure.check(unsafe sd_bus_send(bus, message.pointer, nil), "sd_bus_send")
    } catch {
      // Ignore the failure: a signal has no reply, so no caller is waiting.
    }
    update()
  }

  /// Calls `body` for each message that matches the rule.
  ///
  /// `body` can also receive messages that match only another rule, so it must check each message.
  func match(_ rule: String, _ body: @escaping (BusMessage) -> Void) throws(BusFailure) {
    let handler = MatchHandler(body: body)
    var slot: OpaquePointer?
    let result = unsafe sd_bus_add_match_async(
      bus, &slot, rule,
      { message, context, _ in
        guard let message = unsafe message, let context = unsafe context else { return 0 }
        let handler = unsafe Unmanaged<MatchHandler>.fromOpaque(context).takeUnretainedValue()
        handler.body(unsafe BusMessage(borrowing: message))
        return 0
      }, nil, Unmanaged.passUnretained(handler).toOpaque())
    _ = try BusFailure.check(result, "sd_bus_add_match")
    unsafe handler.slot = slot
    matches.append(handler)
    update()
  }

  /// Answers calls on a path.
  ///
  /// `body` returns the reply's arguments, or nil if the object does not implement the member.
  func export(
    _ path: String, _ body: @escaping (BusMessage) -> Result<[BusValue], BusFailure>?
  ) throws(BusFailure) {
    try serve(path) { call in
      guard let result = body(call.message) else { return false }
      call.reply(result)
      return true
    }
  }

  /// Passes calls on a path to `body`, which replies to each call now or later.
  ///
  /// `body` returns false if the object does not implement the member.
  func serve(_ path: String, _ body: @escaping (BusCall) -> Bool) throws(BusFailure) {
    let handler = ObjectHandler(owner: self, body: body)
    var slot: OpaquePointer?
    let result = unsafe sd_bus_add_object(
      bus, &slot, path,
      { message, context, _ in
        guard let message = unsafe message, let context = unsafe context else { return 0 }
        let handler = unsafe Unmanaged<ObjectHandler>.fromOpaque(context).takeUnretainedValue()
        return handler.handle(unsafe BusMessage(borrowing: message)) ? 1 : 0
      }, Unmanaged.passUnretained(handler).toOpaque())
    _ = try BusFailure.check(result, "sd_bus_add_object")
    unsafe handler.slot = slot
    objects.append(handler)
  }

  fileprivate func reply(to call: BusMessage, _ result: Result<[BusValue], BusFailure>) {
    switch result {
    case .success(let arguments):
      guard
        let message = try? unsafe message({ pointer in
          unsafe sd_bus_message_new_method_return(call.pointer, pointer)
        }), (try? message.append(arguments)) != nil
      else { return }
      _ = unsafe sd_bus_send(bus, message.pointer, nil)
    case .failure(let failure):
      var error = unsafe sd_bus_error()
      unsafe sd_bus_error_set(&error, failure.name, failure.message)
      _ = unsafe sd_bus_reply_method_error(call.pointer, &error)
      unsafe sd_bus_error_free(&error)
    }
    update()
  }

  private func message(_ make: (UnsafeMutablePointer<OpaquePointer?>) -> Int32)
    throws(BusFailure) -> BusMessage
  {
    var pointer: OpaquePointer?
    let result = unsafe withUnsafeMutablePointer(to: &pointer) { unsafe make($0) }
    _ = try BusFailure.check(result, "sd_bus_message_new")
    guard let pointer = unsafe pointer else {
      throw BusFailure(name: "sd_bus_message_new", message: "")
    }
    return unsafe BusMessage(adopting: pointer)
  }

  private func answered(_ call: PendingCall, _ message: BusMessage) {
    guard calls.removeValue(forKey: call.number) != nil else { return }
    let result: Result<[BusValue], BusFailure>
    if let failure = message.failure {
      result = .failure(failure)
    } else {
      do { result = .success(try message.read()) } catch { result = .failure(error) }
    }
    call.reply(result)
    call.release()
  }

  // MARK: - The loop

  /// Processes the bus when its socket is ready.
  package func ready(_ readiness: Readiness) { process() }

  /// Processes the bus after the timeout of a call or of sd-bus itself.
  package func timerFired(tag: UInt64) {
    timer = nil
    process()
  }

  private func process() {
    while !isClosed {
      let result = unsafe sd_bus_process(bus, nil)
      if result < 0 {
        close()
        onDisconnect()
        return
      }
      if result == 0 { break }
    }
    update()
  }

  /// Updates the events and the timeout that the loop watches for the bus.
  private func update() {
    guard !isClosed, let registration else { return }
    let events = unsafe sd_bus_get_events(bus)
    var interests: Readiness = []
    if events < 0 || events & Int32(POLLIN) != 0 { interests.insert(.readable) }
    if events > 0, events & Int32(POLLOUT) != 0 { interests.insert(.writable) }
    loop.update(registration, for: interests)
    if let timer { loop.cancel(timer) }
    timer = nil
    var deadline: UInt64 = 0
    guard unsafe sd_bus_get_timeout(bus, &deadline) > 0, deadline != UInt64.max else { return }
    let now = UInt64(max(0, SystemClock.monotonicNanoseconds)) / 1_000
    let wait = deadline > now ? deadline - now : 0
    timer = loop.schedule(
      afterNanoseconds: Int64(clamping: min(wait, 3_600_000_000)) * 1_000, self)
  }
}

/// A call whose answer is pending.
@safe private final class PendingCall {
  let number: UInt64
  weak var owner: BusConnection?
  let reply: BusConnection.Reply
  var slot: OpaquePointer?

  init(number: UInt64, owner: BusConnection, reply: @escaping BusConnection.Reply) {
    self.number = number
    self.owner = owner
    self.reply = reply
    unsafe slot = nil
  }

  func release() {
    unsafe sd_bus_slot_unref(slot)
    unsafe slot = nil
  }
}

/// The receiver of a match rule's messages.
@safe private final class MatchHandler {
  let body: (BusMessage) -> Void
  var slot: OpaquePointer?

  init(body: @escaping (BusMessage) -> Void) {
    self.body = body
    unsafe slot = nil
  }

  func release() {
    unsafe sd_bus_slot_unref(slot)
    unsafe slot = nil
  }
}

/// A call of an object's method, which is answered at most once.
final class BusCall {
  let message: BusMessage
  private weak var owner: BusConnection?

  init(_ message: BusMessage, on owner: BusConnection?) {
    self.message = message
    self.owner = owner
  }

  /// Replies to the call, unless the bus was lost or the caller expects no reply.
  func reply(_ result: Result<[BusValue], BusFailure>) {
    owner?.reply(to: message, result)
    owner = nil
  }
}

/// An object that other programs call.
@safe private final class ObjectHandler {
  weak var owner: BusConnection?
  let body: (BusCall) -> Bool
  var slot: OpaquePointer?

  init(owner: BusConnection, body: @escaping (BusCall) -> Bool) {
    self.owner = owner
    self.body = body
    unsafe slot = nil
  }

  func handle(_ message: BusMessage) -> Bool {
    body(BusCall(message, on: owner))
  }

  func release() {
    unsafe sd_bus_slot_unref(slot)
    unsafe slot = nil
  }
}
