internal import CNATS

/// A connection to a server, until it is lost; used only on the bus's thread.
@safe final class ServerLink {
  @safe private struct Subscription {
    let pointer: OpaquePointer
    /// The number of the receiver of the messages.
    let number: UInt
  }

  let receiver: LinkReceiver
  private let connection: OpaquePointer
  private let number: UInt
  private var subscriptions: [Subscription] = []

  /// The largest payload that the server accepts, in bytes.
  var payloadBytesMax: Int { unsafe Int(clamping: natsConnection_GetMaxPayload(connection)) }

  /// Connects to a server, which takes up to `Limits.connectMilliseconds` for each of the host's addresses.
  ///
  /// A TLS handshake that the server does not complete has no time limit in the library.
  init(
    to server: BusAddress.Server, _ options: BusOptions, receiver: LinkReceiver
  ) throws(MessageBusFailure) {
    let number = LinkReceiver.all.add(receiver)
    do throws(MessageBusFailure) {
      let options = try LibraryOptions(options, server: server, receiver: number)
      var made: OpaquePointer?
      let status = unsafe natsConnection_Connect(&made, options.pointer)
      guard status == NATS_OK, let connection = unsafe made else {
        throw .library(why: LibraryText.error(status))
      }
      unsafe self.connection = connection
    } catch {
      LinkReceiver.all.remove(number)
      throw error
    }
    self.receiver = receiver
    self.number = number
  }

  deinit {
    // No callback finds its receiver from here on. The connection is closed first, so that the end of a subscription
    // is not written to a server that might be frozen.
    LinkReceiver.all.remove(number)
    for subscription in subscriptions {
      SubscriptionReceiver.all.remove(subscription.number)
    }
    unsafe natsConnection_Close(connection)
    for subscription in subscriptions {
      unsafe natsSubscription_Destroy(subscription.pointer)
    }
    unsafe natsConnection_Destroy(connection)
  }

  /// Subscribes to a subject; the server has not confirmed it yet.
  func subscribe(_ subject: String) throws(MessageBusFailure) {
    let number = SubscriptionReceiver.all.add(SubscriptionReceiver(receiver))
    var made: OpaquePointer?
    let closure = unsafe CallbackRegistry<SubscriptionReceiver>.closure(number)
    let status = unsafe natsConnection_Subscribe(&made, connection, subject, onMessage, closure)
    guard status == NATS_OK, let subscription = unsafe made else {
      SubscriptionReceiver.all.remove(number)
      throw .library(why: LibraryText.error(status))
    }
    subscriptions.append(unsafe Subscription(pointer: subscription, number: number))
    try accept(
      unsafe natsSubscription_SetPendingLimits(
        subscription, Limits.pendingMessages, Limits.pendingBytes))
  }

  /// Waits until the server has processed everything that was sent before.
  func confirm(withinMilliseconds limit: Int64) throws(MessageBusFailure) {
    assert(limit > 0, "the time limit is positive")
    try accept(unsafe natsConnection_FlushTimeout(connection, limit))
  }

  /// Writes a message to the socket, which can block if the server does not read.
  func send(_ message: BusOutbox.Message) throws(MessageBusFailure) {
    assert(message.payload.count <= Int32.max, "the outbox accepts what the server accepts")
    let status = unsafe message.payload.withUnsafeBytes { bytes in
      unsafe natsConnection_Publish(
        connection, message.subject, bytes.baseAddress, Int32(clamping: bytes.count))
    }
    try accept(status)
  }

  private func accept(_ status: natsStatus) throws(MessageBusFailure) {
    guard status == NATS_OK else { throw .library(why: LibraryText.error(status)) }
  }
}

/// Called by the library for each message, on the subscription's thread.
private let onMessage: natsMsgHandler = { _, subscription, message, closure in
  defer { unsafe natsMsg_Destroy(message) }
  guard let receiver = unsafe SubscriptionReceiver.all.receiver(closure),
    let subject = unsafe natsMsg_GetSubject(message)
  else { return }
  let count = unsafe Int(natsMsg_GetDataLength(message))
  let bytes = unsafe UnsafeRawBufferPointer(
    start: natsMsg_GetData(message), count: count)
  var dropped: Int64 = 0
  _ = unsafe natsSubscription_GetDropped(subscription, &dropped)
  unsafe receiver.onMessage(
    subject: String(cString: subject), payload: [UInt8](bytes), dropped: dropped)
}
