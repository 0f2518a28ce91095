internal import Dispatch
internal import System

/// The part of a bus that connects, sends and reports, confined to the bus's thread.
///
/// The calls of the library that can block are made here, so they delay nothing but this bus.
final class BusWorker {
  /// The requests and reports that other threads post.
  enum Message: Sendable {
    case subscribe(subject: String)
    /// The outbox is no longer empty.
    case outgoing
    /// The connection of the link has ended.
    case ended(link: Int, why: String)
    /// Messages for the link were dropped.
    case lost(link: Int)
    case close
  }

  private struct Subscription {
    let subject: String
    var isConfirmed = false
  }

  private enum Phase {
    /// A timer will cause the next attempt; `failures` are those of the current round through the servers.
    case waiting(failures: [String])
    case connected(ServerLink)
    case closed
  }

  private let options: BusOptions
  private let loop: EventLoop
  private let outbox: BusOutbox
  private let gate: EventGate
  private let hasEnded: DispatchSemaphore
  private var mailbox: Mailbox<Message>?
  private var phase = Phase.waiting(failures: [])
  private var subscriptions: [Subscription] = []
  private var links = 0
  /// The index of the server for the next attempt; nodes begin with different servers.
  private var server: Int
  private var reportedReason: String?
  private var nextLossNanoseconds: Int64 = 0
  private var random = SystemRandomNumberGenerator()

  /// Creates the worker and its mailbox, which owns it.
  static func start(
    _ options: BusOptions, on loop: EventLoop, outbox: BusOutbox, gate: EventGate,
    hasEnded: DispatchSemaphore
  ) -> Mailbox<Message> {
    let worker = BusWorker(options, loop, outbox, gate, hasEnded)
    let mailbox = loop.mailbox(of: Message.self) { messages in
      for message in messages { worker.handle(message) }
    }
    worker.mailbox = mailbox
    worker.attempt(afterNanoseconds: 0)
    return mailbox
  }

  private init(
    _ options: BusOptions, _ loop: EventLoop, _ outbox: BusOutbox, _ gate: EventGate,
    _ hasEnded: DispatchSemaphore
  ) {
    self.options = options
    self.loop = loop
    self.outbox = outbox
    self.gate = gate
    self.hasEnded = hasEnded
    server = Int.random(in: 0..<max(1, options.address.servers.count), using: &random)
  }

  private func handle(_ message: Message) {
    switch (message, phase) {
    case (_, .closed): break
    case (.subscribe(let subject), .waiting): subscriptions.append(Subscription(subject: subject))
    case (.subscribe(let subject), .connected(let link)):
      subscriptions.append(Subscription(subject: subject))
      use(link) { link throws(MessageBusFailure) in
        try link.subscribe(subject)
        try self.confirm(link)
      }
    case (.outgoing, .waiting): assert(!outbox.isOpen, "only a connected bus accepts messages")
    case (.outgoing, .connected(let link)): send(link)
    case (.ended(let number, let why), .connected(let link)) where link.receiver.link == number:
      lose(link, why)
    case (.lost(let number), .connected(let link)) where link.receiver.link == number:
      reportLoss(of: link)
    // The reports of an earlier link, whose end was already reported.
    case (.ended, _), (.lost, _): break
    case (.close, _): close()
    }
  }

  // MARK: - Connecting

  private func attempt(afterNanoseconds pause: Int64) {
    loop.schedule(afterNanoseconds: pause) { [weak self] in self?.connect() }
  }

  private func connect() {
    guard case .waiting(let failures) = phase, let mailbox else { return }
    let target = options.address.servers[server]
    server = (server + 1) % options.address.servers.count
    links += 1
    let receiver = LinkReceiver(link: links, outbox: outbox, gate: gate, mailbox: mailbox)
    do throws(MessageBusFailure) {
      let link = try ServerLink(to: target, options, receiver: receiver)
      for subscription in subscriptions { try link.subscribe(subscription.subject) }
      try link.confirm(withinMilliseconds: Limits.confirmMilliseconds)
      onConnected(link)
    } catch {
      onFailure(failures + ["\(target.authority): \(error)"])
    }
  }

  private func onConnected(_ link: ServerLink) {
    phase = .connected(link)
    outbox.open(link: link.receiver.link, payloadBytesMax: link.payloadBytesMax)
    reportedReason = nil
    gate.deliver(.connected)
    reportConfirmed()
  }

  private func onFailure(_ failures: [String]) {
    assert(failures.count <= options.address.servers.count, "a round tries each server once")
    guard failures.count == options.address.servers.count else {
      phase = .waiting(failures: failures)
      return attempt(afterNanoseconds: 0)
    }
    phase = .waiting(failures: [])
    report(failures.joined(separator: "; "))
    pause()
  }

  private func pause() {
    let jitter = Int64.random(in: 0..<Limits.reconnectJitterNanoseconds, using: &random)
    attempt(afterNanoseconds: Limits.reconnectNanoseconds + jitter)
  }

  /// Reports a reason, unless it was the last one reported.
  private func report(_ why: String) {
    if let reportedReason, reportedReason.utf8.elementsEqual(why.utf8) { return }
    reportedReason = why
    gate.deliver(.disconnected(why: why))
  }

  // MARK: - Using a connection

  /// Calls `body`, and treats an error as the loss of the connection.
  private func use(_ link: ServerLink, _ body: (ServerLink) throws(MessageBusFailure) -> Void) {
    do throws(MessageBusFailure) {
      try body(link)
    } catch {
      lose(link, "\(error)")
    }
  }

  private func lose(_ link: ServerLink, _ why: String) {
    outbox.shut(link: link.receiver.link)
    phase = .waiting(failures: [])
    report(why)
    pause()
  }

  private func send(_ link: ServerLink) {
    use(link) { link throws(MessageBusFailure) in
      for message in self.outbox.take() { try link.send(message) }
    }
  }

  private func confirm(_ link: ServerLink) throws(MessageBusFailure) {
    try link.confirm(withinMilliseconds: Limits.confirmMilliseconds)
    reportConfirmed()
  }

  private func reportConfirmed() {
    for index in subscriptions.indices where !subscriptions[index].isConfirmed {
      subscriptions[index].isConfirmed = true
      gate.deliver(.subscribed(subject: subscriptions[index].subject))
    }
  }

  /// Reports lost messages now, or when the minimum interval has passed.
  private func reportLoss(of link: ServerLink) {
    let now = SystemClock.monotonicNanoseconds
    guard now >= nextLossNanoseconds else {
      let number = link.receiver.link
      loop.schedule(afterNanoseconds: nextLossNanoseconds - now) { [weak self] in
        self?.handle(.lost(link: number))
      }
      return
    }
    guard let why = link.receiver.takeLoss() else { return }
    nextLossNanoseconds = now + Limits.lossNanoseconds
    gate.deliver(.lost(why: why))
  }

  private func close() {
    if case .connected(let link) = phase {
      use(link) { link throws(MessageBusFailure) in
        for message in self.outbox.take() { try link.send(message) }
        try link.confirm(withinMilliseconds: Limits.farewellMilliseconds)
      }
    }
    phase = .closed
    mailbox = nil
    loop.stop()
    hasEnded.signal()
  }
}
