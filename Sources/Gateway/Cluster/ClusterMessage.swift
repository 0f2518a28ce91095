import BelfryWire
import PushWire
import Storage

/// A message between the nodes of a cluster, which can be lost, doubled, or late (docs/cluster.md).
enum ClusterMessage {
  /// A push for a device that the receiver owns; the sender expects an outcome with the same address.
  case push(Submission)
  /// The outcome of a push that the receiver forwarded.
  case outcome(ReplyAddress, ForwardedOutcome)
  /// The sender has claimed a device that the receiver owned.
  case claimed(device: UInt64)
  /// The database contains a change with this number.
  case changed(number: Int64)
  /// A broadcast that is not stored, for the devices that are connected to the receiver.
  case broadcast(Broadcast)
  /// An administrator asks the receiver to stop.
  case drain
}

/// The outcome of a push at the node that owns its device.
enum ForwardedOutcome: Equatable, Sendable {
  case accepted
  /// The push was refused; the timestamp, in milliseconds since 1970, is for 410 responses only.
  case refused(Rejection, timestampMilliseconds: Int64?)
  /// Another node is the device's owner.
  case moved(NodeNumber)

  init(_ answer: ProviderAnswer) {
    self =
      switch answer {
      case .accepted: .accepted
      case .refused(let rejection, let timestamp):
        .refused(rejection, timestampMilliseconds: timestamp)
      }
  }
}

extension ClusterMessage {
  /// The version of the encoding; a node ignores messages with another version, because the store delivers instead.
  static let version: UInt8 = 1

  private enum Kind: UInt8 {
    case push = 1
    case outcome, claimed, changed, broadcast, drain
  }

  /// The message's encoding: the version, the sender's number, the kind, and the fields in big-endian order.
  func encoded(from sender: NodeNumber) -> [UInt8] {
    var bytes: [UInt8] = []
    func put<Value: FixedWidthInteger>(_ value: Value) {
      for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> Value(shift)))
      }
    }
    func put(_ id: NotificationID, _ uniqueID: NotificationID) {
      put(id.high)
      put(id.low)
      put(UInt8(id.isLowercase ? 1 : 0))
      put(uniqueID.high)
      put(uniqueID.low)
    }
    assert(sender != 0, "node numbers start at 1")
    put(Self.version)
    put(sender)
    switch self {
    case .push(let push):
      bytes.reserveCapacity(128 + push.collapseID.count + push.payload.count)
      put(Kind.push.rawValue)
      put(push.reply?.connection ?? 0)
      put(UInt16(clamping: push.reply?.front.loop ?? 0))
      put(push.key.device)
      put(push.key.app)
      put(push.key.kind)
      put(push.generation)
      put(push.id, push.uniqueID)
      put(push.expiration)
      put(push.priority)
      put(push.pushType.rawValue)
      put(push.acceptedMilliseconds)
      put(push.keep)
      assert(push.collapseID.count <= 64, "the admission has checked the collapse ID")
      put(UInt8(clamping: push.collapseID.count))
      bytes += push.collapseID
      bytes += push.payload
    case .outcome(let address, let outcome):
      put(Kind.outcome.rawValue)
      put(address.connection)
      put(UInt16(clamping: address.front.loop))
      switch outcome {
      case .accepted: put(UInt8(0))
      case .refused(let rejection, let timestamp):
        put(UInt8(1))
        put(rejection.rawValue)
        put(timestamp ?? -1)
      case .moved(let node):
        put(UInt8(2))
        put(node)
      }
    case .claimed(let device):
      put(Kind.claimed.rawValue)
      put(device)
    case .changed(let number):
      put(Kind.changed.rawValue)
      put(number)
    case .broadcast(let broadcast):
      assert(!broadcast.isKept, "a stored broadcast is read from the store")
      put(Kind.broadcast.rawValue)
      put(broadcast.channel.high)
      put(broadcast.channel.low)
      put(broadcast.app)
      put(broadcast.id, broadcast.uniqueID)
      put(broadcast.priority)
      put(broadcast.acceptedMilliseconds)
      bytes += broadcast.payload
    case .drain: put(Kind.drain.rawValue)
    }
    return bytes
  }

  /// Decodes a message; nil if it is malformed or has another version.
  static func decode(_ bytes: [UInt8]) -> (message: ClusterMessage, sender: NodeNumber)? {
    var reader = Reader(bytes: bytes)
    guard reader.take(UInt8.self) == version, let sender = reader.takeNode(),
      let kind = reader.take(UInt8.self).flatMap(Kind.init)
    else { return nil }
    let message: ClusterMessage?
    switch kind {
    case .push: message = push(&reader, sender)
    case .outcome: message = outcome(&reader, sender)
    case .claimed: message = reader.take(UInt64.self).map { .claimed(device: $0) }
    case .changed: message = reader.take(Int64.self).map { .changed(number: $0) }
    case .broadcast: message = broadcast(&reader)
    case .drain: message = reader.rest.isEmpty ? .drain : nil
    }
    return message.map { ($0, sender) }
  }

  private static func push(_ reader: inout Reader, _ sender: NodeNumber) -> ClusterMessage? {
    guard let number = reader.take(UInt64.self), let loop = reader.take(UInt16.self),
      let device = reader.take(UInt64.self), let app = reader.take(UInt32.self),
      let kind = reader.take(UInt8.self), let generation = reader.take(UInt16.self),
      let (id, uniqueID) = reader.takeIDs(), let expiration = reader.take(Int64.self),
      let priority = reader.take(UInt8.self),
      let pushType = reader.take(UInt8.self).flatMap(PushType.init),
      let accepted = reader.take(Int64.self), let keep = reader.take(UInt32.self),
      let collapseCount = reader.take(UInt8.self),
      let collapseID = reader.take(bytes: Int(collapseCount))
    else { return nil }
    // A row with a value that the device's link cannot carry would block the device's queue.
    guard [1, 5, 10].contains(priority), TokenKind(rawValue: kind) != nil, collapseCount <= 64,
      reader.rest.count <= Limits.forwardedPayloadMax, expiration >= 0, accepted >= 0
    else { return nil }
    return .push(
      Submission(
        key: NotificationKey(device: device, app: app, kind: kind), generation: generation,
        id: id, uniqueID: uniqueID, expiration: expiration, priority: priority, pushType: pushType,
        collapseID: collapseID, payload: reader.rest,
        acceptedMilliseconds: accepted, keep: keep,
        reply: ReplyAddress(
          node: sender, front: Route(loop: Int(loop)), connection: number, stream: 0)))
  }

  private static func outcome(_ reader: inout Reader, _ sender: NodeNumber) -> ClusterMessage? {
    guard let number = reader.take(UInt64.self), let loop = reader.take(UInt16.self),
      let kind = reader.take(UInt8.self)
    else { return nil }
    let address = ReplyAddress(
      node: sender, front: Route(loop: Int(loop)), connection: number, stream: 0)
    switch kind {
    case 0: return .outcome(address, .accepted)
    case 1:
      guard let rejection = reader.take(UInt8.self).flatMap(Rejection.init(rawValue:)),
        let timestamp = reader.take(Int64.self)
      else { return nil }
      return .outcome(
        address, .refused(rejection, timestampMilliseconds: timestamp < 0 ? nil : timestamp))
    case 2: return reader.takeNode().map { .outcome(address, .moved($0)) }
    default: return nil
    }
  }

  private static func broadcast(_ reader: inout Reader) -> ClusterMessage? {
    guard let channelHigh = reader.take(UInt64.self), let channelLow = reader.take(UInt64.self),
      let app = reader.take(UInt32.self), let (id, uniqueID) = reader.takeIDs(),
      let priority = reader.take(UInt8.self), let accepted = reader.take(Int64.self)
    else { return nil }
    guard [1, 5, 10].contains(priority), reader.rest.count <= Limits.forwardedPayloadMax,
      accepted >= 0
    else { return nil }
    return .broadcast(
      Broadcast(
        channel: ChannelID(high: channelHigh, low: channelLow), app: app,
        id: id, uniqueID: uniqueID, expiration: 0,
        priority: priority, payload: reader.rest, acceptedMilliseconds: accepted, isKept: false))
  }

  /// A reader of big-endian fields, which returns nil at the end of the message.
  private struct Reader {
    let bytes: [UInt8]
    private var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var rest: [UInt8] { Array(bytes[offset...]) }

    mutating func take<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
      let size = Value.bitWidth / 8
      guard bytes.count - offset >= size else { return nil }
      var value: Value = 0
      for byte in bytes[offset..<offset + size] {
        value = Value.bitWidth == 8 ? Value(truncatingIfNeeded: byte) : value << 8 | Value(byte)
      }
      offset += size
      return value
    }

    /// Returns an `apns-id` and an `apns-unique-id`.
    mutating func takeIDs() -> (id: NotificationID, uniqueID: NotificationID)? {
      guard let high = take(UInt64.self), let low = take(UInt64.self),
        let isLowercase = take(UInt8.self), let uniqueHigh = take(UInt64.self),
        let uniqueLow = take(UInt64.self)
      else { return nil }
      return (
        NotificationID(high: high, low: low, isLowercase: isLowercase == 1),
        NotificationID(high: uniqueHigh, low: uniqueLow)
      )
    }

    /// Returns the number of a node; 0 would mean this node.
    mutating func takeNode() -> NodeNumber? {
      take(NodeNumber.self).flatMap { $0 == 0 ? nil : $0 }
    }

    mutating func take(bytes count: Int) -> [UInt8]? {
      assert(count >= 0 && offset <= bytes.count, "the offset is within the message")
      guard bytes.count - offset >= count else { return nil }
      defer { offset += count }
      return Array(bytes[offset..<offset + count])
    }
  }
}
