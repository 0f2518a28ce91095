internal import BelfryWire

/// The server side of the autopush protocol, with which browsers receive messages (docs/web-push.md), from the opening
/// of a WebSocket until it is closed.
///
/// The server does no I/O: it receives bytes, times and decisions, appends bytes to the caller's `output`, and returns
/// actions. The shell must do the following:
///
/// - Pass every received byte to ``next(_:at:output:)``.
/// - Run the timer at ``deadline``.
/// - While the client leaves too much output unread, pass no bytes, and report this with ``outputStalled(at:)``.
/// - Decide on each action.
/// - Send all bytes that were appended to `output` after each call.
/// - After ``Action/close(_:_:)``, send the output and close the connection.
public struct AutopushServer: Sendable {
  /// An action for the shell to carry out.
  public enum Action: Equatable, Sendable {
    /// Find the device with this identifier or, if it is nil, create a device. Then call
    /// ``identify(as:at:output:)`` or ``close(_:_:output:)``.
    case identify(AutopushUserAgentID?)
    /// Decide on the subscription, and call ``answerRegistration(_:endpoint:output:)`` or
    /// ``refuse(_:status:_:output:)``. Only a sender with the key can send to the subscription, unless the key is nil.
    case register(UInt16, AutopushChannel, VAPIDPublicKey?)
    /// End the subscription, and call ``answerRemoval(_:output:)`` or ``refuse(_:status:_:output:)``.
    case unregister(UInt16, AutopushChannel)
    /// The client has processed the messages with these references.
    case settled([Settlement])
    /// The client sent a ping, so it is awake.
    case pinged
    /// Send the output, then close the connection. The text is a description in ASCII.
    case close(WebSocketCloseCode, String)  // text: this gateway wrote it
  }

  /// The outcome of one message.
  public struct Settlement: Equatable, Sendable {
    /// The reference with which the message was delivered.
    public let reference: UInt64
    /// The outcome at the client.
    public let outcome: AutopushOutcome
  }

  private enum State {
    /// The WebSocket is open; waiting for `hello` until the given time.
    case greeting(until: Int64)
    /// The decision on the device is pending, until the given time.
    case identifying(broadcasts: [UTF8Text], until: Int64)
    case ready
    case closed
  }

  /// A request that has not been answered.
  private struct Request {
    let channel: AutopushChannel
    let isRegistration: Bool
  }

  private struct Delivery {
    let version: [UInt8]
    let reference: UInt64
  }

  private var state: State
  private var reader = WebSocketReader(messageBytesMax: AutopushLimits.messageBytesMax)
  /// The messages that the client has not acknowledged, oldest first: at most ``AutopushLimits/window``.
  private var deliveries: [Delivery] = []
  private var requests: [UInt16: Request] = [:]
  private var lastRequest: UInt16 = 0
  private var lastHeard: Int64
  /// The time at which the Ping frame was sent that the client has not answered.
  private var pingSent: Int64?
  private var lastClientPing: Int64?
  /// The time at which the first byte of an incomplete message arrived.
  private var messageSince: Int64?
  /// The time since which the client has left too much output unread.
  private var stalledSince: Int64?
  /// The time since which an acknowledgment has been due: the time of the first message or of the latest
  /// acknowledgment, whichever is later; nil if every message was acknowledged.
  private var unacknowledgedSince: Int64?

  /// Creates the server side of a WebSocket that was opened at `now`, in monotonic nanoseconds.
  public init(at now: Int64) {
    state = .greeting(until: now + AutopushLimits.helloNanoseconds)
    lastHeard = now
  }

  /// True if the WebSocket is closed, or is about to be.
  public var isClosed: Bool {
    if case .closed = state { true } else { false }
  }

  /// True if the client is identified and can receive messages.
  public var isReady: Bool {
    if case .ready = state { true } else { false }
  }

  /// The number of messages that can be sent before the client acknowledges one.
  public var freeWindow: Int { AutopushLimits.window - deliveries.count }

  /// The time at which ``timerFired(at:output:)`` must be called, in monotonic nanoseconds.
  public var deadline: Int64 {
    switch state {
    case .greeting(let until), .identifying(_, let until): until
    case .closed: .max
    case .ready:
      min(livenessDeadline, acknowledgmentDeadline, messageDeadline, unreadDeadline)
    }
  }

  /// The time at which a Ping frame must be sent, or must have been answered.
  private var livenessDeadline: Int64 {
    guard let pingSent else { return lastHeard + AutopushLimits.pingNanoseconds }
    return pingSent + AutopushLimits.pongNanoseconds
  }

  private var acknowledgmentDeadline: Int64 {
    unacknowledgedSince.map { $0 + AutopushLimits.unacknowledgedNanoseconds } ?? .max
  }

  private var messageDeadline: Int64 {
    messageSince.map { $0 + AutopushLimits.messageNanoseconds } ?? .max
  }

  private var unreadDeadline: Int64 {
    stalledSince.map { $0 + AutopushLimits.unreadNanoseconds } ?? .max
  }

  /// Returns the channel of a request that has not been answered; nil if there is no such request.
  public func channel(ofRequest number: UInt16) -> AutopushChannel? { requests[number]?.channel }

  // MARK: Input

  /// Returns the next action that the client's bytes require, and removes the bytes that were read; returns nil if all
  /// bytes were read.
  public mutating func next(
    _ input: inout ArraySlice<UInt8>, at now: Int64, output: inout [UInt8]
  ) -> Action? {
    if !input.isEmpty {
      lastHeard = now
      pingSent = nil
    }
    do throws(WebSocketFault) {
      while !isClosed, let event = try reader.next(&input) {
        // A control frame between the frames of a message does not extend the message's time limit.
        if !reader.hasPartialMessage { messageSince = nil }
        if let action = try handle(event, at: now, &output) {
          checkInvariants()
          return action
        }
      }
    } catch {
      return close(error.code, error.message, output: &output)
    }
    messageSince = reader.hasPartialMessage && !isClosed ? messageSince ?? now : nil
    checkInvariants()
    return nil
  }

  private mutating func handle(
    _ event: WebSocketReader.Event, at now: Int64, _ output: inout [UInt8]
  ) throws(WebSocketFault) -> Action? {
    switch event {
    case .text(let text):
      return try handle(try AutopushRequest(text), at: now, &output)
    case .ping(let payload):
      WebSocketFrame.append(.pong, payload, to: &output)
      return nil
    case .pong:
      return nil
    case .close(let code):
      return close(code ?? .normal, "", output: &output)
    }
  }

  private mutating func handle(
    _ request: AutopushRequest, at now: Int64, _ output: inout [UInt8]
  ) throws(WebSocketFault) -> Action? {
    switch state {
    case .greeting:
      guard case .hello(let uaid, let broadcasts) = request else {
        throw WebSocketFault(.protocolError, "the first message is not hello")
      }
      state = .identifying(
        broadcasts: broadcasts, until: now + AutopushLimits.identificationNanoseconds)
      return .identify(uaid)
    case .identifying:
      throw WebSocketFault(.protocolError, "a message arrived before hello was answered")
    case .ready:
      return try handleWhenReady(request, at: now, &output)
    case .closed:
      return nil
    }
  }

  private mutating func handleWhenReady(
    _ request: AutopushRequest, at now: Int64, _ output: inout [UInt8]
  ) throws(WebSocketFault) -> Action? {
    switch request {
    case .hello:
      throw WebSocketFault(.protocolError, "hello was sent twice")
    case .register(let channel, let key):
      let vapidKey: VAPIDPublicKey?
      switch key {
      case .anySender: vapidKey = nil
      case .only(let only): vapidKey = only
      case .invalid:
        refuse(
          AutopushRefusal(
            isRegistration: true, channel: channel, status: 400,
            message: "key is not an uncompressed point of P-256 in base64url"), &output)
        return nil
      }
      guard let number = begin(Request(channel: channel, isRegistration: true), &output) else {
        return nil
      }
      return .register(number, channel, vapidKey)
    case .unregister(let channel):
      guard let number = begin(Request(channel: channel, isRegistration: false), &output) else {
        return nil
      }
      return .unregister(number, channel)
    case .acknowledgment(let updates):
      let settled = settle(updates, at: now)
      return settled.isEmpty ? nil : .settled(settled)
    case .failure:
      return nil
    case .broadcastSubscribe(let broadcasts):
      append(AutopushAnswer.broadcast(broadcasts), to: &output)
      return nil
    case .ping:
      if let lastClientPing, now - lastClientPing < AutopushLimits.clientPingNanoseconds {
        let limit = Self.seconds(AutopushLimits.clientPingNanoseconds)
        return close(
          .staysAway, "the client pings more often than every \(limit)", output: &output)
      }
      lastClientPing = now
      append(AutopushAnswer.ping, to: &output)
      return .pinged
    }
  }

  /// Returns the number of a new request, or refuses it and returns nil if too many have not been answered.
  private mutating func begin(_ request: Request, _ output: inout [UInt8]) -> UInt16? {
    guard requests.count < AutopushLimits.requestsMax else {
      refuse(
        AutopushRefusal(
          isRegistration: request.isRegistration, channel: request.channel, status: 500,
          message: "more than \(AutopushLimits.requestsMax) requests were not answered yet"),
        &output)
      return nil
    }
    repeat { lastRequest &+= 1 } while requests[lastRequest] != nil
    requests[lastRequest] = request
    return lastRequest
  }

  /// Returns the settlements of the messages that were delivered and not settled before.
  private mutating func settle(
    _ updates: [AutopushRequest.Update], at now: Int64
  ) -> [Settlement] {
    var settled: [Settlement] = []
    for update in updates {
      // There are at most ten deliveries.
      guard let index = deliveries.firstIndex(where: { $0.version == update.version }) else {
        continue
      }
      settled.append(
        Settlement(reference: deliveries[index].reference, outcome: update.outcome))
      deliveries.remove(at: index)
    }
    if !settled.isEmpty { unacknowledgedSince = deliveries.isEmpty ? nil : now }
    return settled
  }

  // MARK: Output

  /// Handles a client that has left so much output unread that the shell stopped reading from it.
  public mutating func outputStalled(at now: Int64) {
    if !isClosed, stalledSince == nil { stalledSince = now }
  }

  /// Handles a client that has read most of its output, so that the shell reads from it again.
  public mutating func outputDrained() { stalledSince = nil }

  // MARK: Decisions

  /// Answers `hello`: the client is the device with this identifier.
  ///
  /// If the identifier differs from the client's, the client drops its subscriptions.
  public mutating func identify(
    as uaid: AutopushUserAgentID, at now: Int64, output: inout [UInt8]
  ) {
    guard case .identifying(let broadcasts, _) = state else {
      assert(isClosed, "a client is identified only once, after hello")
      return
    }
    state = .ready
    lastHeard = now
    append(AutopushAnswer.hello(uaid, broadcasts: broadcasts), to: &output)
  }

  /// Answers a registration with the URL of its endpoint.
  public mutating func answerRegistration(
    _ number: UInt16, endpoint: String, output: inout [UInt8]
  ) {
    guard let request = end(number) else { return }
    assert(request.isRegistration, "request \(number) is a registration")
    append(AutopushAnswer.registered(request.channel, endpoint: endpoint), to: &output)
  }

  /// Confirms that a subscription has ended, or that it did not exist.
  public mutating func answerRemoval(_ number: UInt16, output: inout [UInt8]) {
    guard let request = end(number) else { return }
    assert(!request.isRegistration, "request \(number) ends a subscription")
    append(AutopushAnswer.unregistered(request.channel), to: &output)
  }

  /// Refuses a request; `message` is ASCII.
  public mutating func refuse(
    _ number: UInt16, status: Int, _ message: String, output: inout [UInt8]
  ) {
    assert(status >= 400, "a refusal has an error's status")
    guard let request = end(number) else { return }
    refuse(
      AutopushRefusal(
        isRegistration: request.isRegistration, channel: request.channel, status: status,
        message: message), &output)
  }

  /// Removes a request; returns nil if the WebSocket is closed, because no answer can be sent then.
  private mutating func end(_ number: UInt16) -> Request? {
    let request = requests.removeValue(forKey: number)
    assert(request != nil || isClosed, "request \(number) was not answered before")
    return isClosed ? nil : request
  }

  private func refuse(_ refusal: AutopushRefusal, _ output: inout [UInt8]) {
    append(AutopushAnswer.refused(refusal), to: &output)
  }

  /// Sends a message; returns false if the client is not ready or has too many unacknowledged messages.
  ///
  /// The reference identifies the message in ``Action/settled(_:)``.
  public mutating func deliver(
    _ notification: AutopushNotification, reference: UInt64, at now: Int64,
    output: inout [UInt8]
  ) -> Bool {
    guard isReady, freeWindow > 0 else { return false }
    if deliveries.isEmpty { unacknowledgedSince = now }
    deliveries.append(Delivery(version: notification.version, reference: reference))
    append(notification.text, to: &output)
    checkInvariants()
    return true
  }

  /// Closes the WebSocket; `text` is ASCII.
  public mutating func close(
    _ code: WebSocketCloseCode, _ text: String, output: inout [UInt8]
  ) -> Action {
    if !isClosed { WebSocketFrame.appendClose(code, text, to: &output) }
    state = .closed
    pingSent = nil
    unacknowledgedSince = nil
    messageSince = nil
    stalledSince = nil
    // Release the bytes of an incomplete message.
    reader = WebSocketReader(messageBytesMax: AutopushLimits.messageBytesMax)
    deliveries.removeAll()
    requests.removeAll()
    checkInvariants()
    return .close(code, text)
  }

  /// Handles the end of a time limit; does nothing if ``deadline`` has not passed.
  public mutating func timerFired(at now: Int64, output: inout [UInt8]) -> Action? {
    guard now >= deadline else { return nil }
    switch state {
    case .greeting:
      let limit = Self.seconds(AutopushLimits.helloNanoseconds)
      return close(.protocolError, "no hello within \(limit)", output: &output)
    case .identifying:
      let limit = Self.seconds(AutopushLimits.identificationNanoseconds)
      return close(
        .internalError, "the gateway cannot identify the client within \(limit)", output: &output)
    case .ready where now >= unreadDeadline:
      let limit = Self.seconds(AutopushLimits.unreadNanoseconds)
      return close(.internalError, "the client read nothing for \(limit)", output: &output)
    case .ready where now >= messageDeadline:
      let limit = Self.seconds(AutopushLimits.messageNanoseconds)
      return close(.protocolError, "a message was not complete within \(limit)", output: &output)
    case .ready where now >= acknowledgmentDeadline:
      let limit = Self.seconds(AutopushLimits.unacknowledgedNanoseconds)
      return close(
        .internalError, "no message was acknowledged within \(limit)", output: &output)
    case .ready where pingSent != nil:
      return close(.internalError, "a Ping frame was not answered", output: &output)
    case .ready:
      pingSent = now
      WebSocketFrame.append(.ping, [], to: &output)
      return nil
    case .closed:
      return nil
    }
  }

  /// Returns a time limit in words, such as `5 s`.
  private static func seconds(_ nanoseconds: Int64) -> String {
    "\(nanoseconds / 1_000_000_000) s"
  }

  private func append(_ text: [UInt8], to output: inout [UInt8]) {
    WebSocketFrame.append(.text, text, to: &output)
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert(
      deliveries.count <= AutopushLimits.window, "the client has no more messages than allowed")
    assert(requests.count <= AutopushLimits.requestsMax, "no more requests wait than allowed")
    assert(isReady || deliveries.isEmpty && requests.isEmpty, "only an identified client has work")
    assert(isReady || pingSent == nil, "only an identified client is pinged")
    assert(
      !isClosed || messageSince == nil && stalledSince == nil, "a closed WebSocket has no limits")
    assert(
      deliveries.isEmpty == (unacknowledgedSince == nil),
      "an acknowledgment is due while there are messages")
  }
}
