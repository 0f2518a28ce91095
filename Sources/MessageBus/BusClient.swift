internal import Dispatch
internal import Synchronization
internal import System

/// A connection to NATS that carries messages which may be lost, doubled or delayed.
///
/// The bus connects in the background and never stops trying. No message that was published while it was not connected
/// is sent later. Every event except ``Event/message(subject:payload:)`` means that messages might be missing, or can be
/// missed from now on, so the receiver reads the store again.
public final class BusClient: Sendable {
  /// The events that a bus reports.
  public enum Event: Sendable {
    /// A message arrived for a subscription.
    case message(subject: String, payload: [UInt8])
    /// A server is connected, and has confirmed all subscriptions made so far.
    ///
    /// Messages that were published before are missing.
    case connected
    /// The server has confirmed a subscription for the first time.
    ///
    /// Reported once for each call of ``BusClient/subscribe(_:)`` that returned true. Messages that other clients
    /// publish from now on arrive.
    case subscribed(subject: String)
    /// The connection was lost, or no server can be reached, for the reason `why`.
    ///
    /// Repeated attempts that fail for the same reason are reported once.
    case disconnected(why: String)
    /// Messages were dropped although the connection continues, for example because the handler is too slow.
    ///
    /// Reported at most ten times per second, and always after the last loss.
    case lost(why: String)
  }

  private let gate: EventGate
  private let outbox = BusOutbox()
  private let subjects = Mutex<[String]>([])
  private let thread: LoopThread
  private let mailbox: Mailbox<BusWorker.Message>
  private let hasEnded = DispatchSemaphore(value: 0)
  private let isClosed = Atomic<Bool>(false)
  private let isJoined = Atomic<Bool>(false)

  /// Checks the options, and begins to connect in the background.
  ///
  /// `onEvent` is called on several threads at a time; the messages of one subscription arrive in order on one thread.
  /// If it blocks, further messages wait, and are lost beyond 65,536 messages or 64 MiB for a subscription.
  public init(
    _ options: BusOptions, onEvent: @escaping @Sendable (Event) -> Void
  ) throws(MessageBusFailure) {
    // The options are read again for each connection.
    for server in options.address.servers {
      _ = try LibraryOptions(options, server: server, receiver: LinkReceiver.none)
    }
    let gate = EventGate(onEvent)
    self.gate = gate
    do throws(SystemFailure) {
      (thread, mailbox) = try LoopThread.launch(name: "bus") {
        [outbox, hasEnded] loop throws(SystemFailure) in
        BusWorker.start(options, on: loop, outbox: outbox, gate: gate, hasEnded: hasEnded)
      }
    } catch {
      throw .system(error)
    }
  }

  /// Closes the bus.
  deinit { close() }

  /// True while a server is connected; a frozen server is noticed after about three seconds.
  public var isConnected: Bool { outbox.isOpen }

  /// Subscribes to a subject, which may contain the wildcards of NATS, now and after each reconnection.
  ///
  /// A bus also receives its own messages. Returns false if the bus is closed, if the subject is invalid or was
  /// subscribed before, or if the bus already has 64 subscriptions.
  @discardableResult
  public func subscribe(_ subject: String) -> Bool {
    guard BusSubject.canSubscribe(to: subject), !isClosed.load(ordering: .relaxed) else {
      return false
    }
    let isNew = subjects.withLock { subjects in
      guard subjects.count < Limits.subscriptions,
        !subjects.contains(where: { $0.utf8.elementsEqual(subject.utf8) })
      else { return false }
      subjects.append(subject)
      return true
    }
    if isNew { mailbox.post(.subscribe(subject: subject)) }
    return isNew
  }

  /// Sends a message without blocking, and returns whether the bus accepted it.
  ///
  /// The bus refuses a message if no server is connected, if the payload is larger than the server accepts (1 MiB by
  /// default), if the subject is invalid, or if 65,536 messages or 16 MiB already wait. An accepted message can still be
  /// lost.
  @discardableResult
  public func publish(_ payload: [UInt8], to subject: String) -> Bool {
    guard BusSubject.canPublish(to: subject) else { return false }
    switch outbox.add(BusOutbox.Message(subject: subject, payload: payload)) {
    case .refused: return false
    case .first: mailbox.post(.outgoing)
    case .further: break
    }
    return true
  }

  /// Sends the accepted messages, and disconnects.
  ///
  /// After this call returns, no event is reported, and no handler is running except one that calls this method. The
  /// call waits up to three seconds for the thread, which might be connecting to a server. Further calls have no effect.
  public func close() {
    if !isClosed.exchange(true, ordering: .relaxed) {
      outbox.close()
      mailbox.post(.close)
    }
    let isHandler = gate.close()
    // A handler can run on the bus's own thread, which cannot wait for itself; a later call waits then.
    guard !isHandler, !isJoined.exchange(true, ordering: .relaxed) else { return }
    let limit = DispatchTime.now() + .nanoseconds(Limits.closeNanoseconds)
    if hasEnded.wait(timeout: limit) == .success { thread.join() }
  }
}
