import BelfryWire
import PushWire
import Storage

/// A message between the nodes of a cluster, which can be lost, doubled, or late (docs/cluster.md).
enum ClusterMessage {
  /// A push, or the request to withdraw one, for a device that the receiver owns; the sender expects an outcome with the
  /// same address.
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
  /// A question, which the receiver answers with the same number.
  case question(number: UInt64, ClusterQuestion)
  /// A part of the answer to the receiver's question.
  case answer(ClusterAnswerPart)
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
  private enum Kind: UInt8 {
    case push = 1
    case outcome, claimed, changed, broadcast, drain, question, answer
    /// A node of an earlier release ignores this kind, and the sender then claims the device.
    case withdrawal
  }

  /// Appends the message's encoding: the kind, and the fields in big-endian order.
  func encode(into bytes: inout [UInt8]) {
    func put<Value: FixedWidthInteger>(_ value: Value) { bytes.append(field: value) }
    func put(_ id: NotificationID, _ uniqueID: NotificationID) {
      bytes.append(fields: id)
      put(uniqueID.high)
      put(uniqueID.low)
    }
    switch self {
    case .push(let push):
      put((push.isWithdrawal ? Kind.withdrawal : Kind.push).rawValue)
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
    case .question(let number, let question):
      put(Kind.question.rawValue)
      put(number)
      question.encode(into: &bytes)
    case .answer(let part):
      put(Kind.answer.rawValue)
      put(part.question)
      put(part.index)
      put(UInt8(part.isLast ? 1 : 0))
      bytes += part.bytes
    }
  }

  /// Decodes a message of another node; nil if it is malformed.
  static func decode(_ bytes: ArraySlice<UInt8>, from sender: NodeNumber) -> ClusterMessage? {
    var reader = ClusterReader(bytes)
    guard let kind = reader.take(UInt8.self).flatMap(Kind.init) else { return nil }
    return switch kind {
    case .push: push(&reader, sender, isWithdrawal: false)
    case .withdrawal: push(&reader, sender, isWithdrawal: true)
    case .outcome: outcome(&reader, sender)
    case .claimed: reader.take(UInt64.self).map { .claimed(device: $0) }
    case .changed: reader.take(Int64.self).map { .changed(number: $0) }
    case .broadcast: broadcast(&reader)
    case .drain: reader.rest.isEmpty ? .drain : nil
    case .question: question(&reader)
    case .answer: answer(&reader)
    }
  }

  private static func push(
    _ reader: inout ClusterReader, _ sender: NodeNumber, isWithdrawal: Bool
  ) -> ClusterMessage? {
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
      reader.rest.count <= Limits.forwardedPayloadMax, expiration >= 0, accepted >= 0,
      !isWithdrawal || reader.rest.isEmpty
    else { return nil }
    return .push(
      Submission(
        key: NotificationKey(device: device, app: app, kind: kind), generation: generation,
        id: id, uniqueID: uniqueID, expiration: expiration, priority: priority, pushType: pushType,
        collapseID: Array(collapseID), payload: Array(reader.rest),
        acceptedMilliseconds: accepted, keep: keep, isWithdrawal: isWithdrawal,
        reply: ReplyAddress(
          node: sender, front: Route(loop: Int(loop)), connection: number, stream: 0)))
  }

  private static func outcome(_ reader: inout ClusterReader, _ sender: NodeNumber)
    -> ClusterMessage?
  {
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

  private static func broadcast(_ reader: inout ClusterReader) -> ClusterMessage? {
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
        priority: priority, payload: Array(reader.rest), acceptedMilliseconds: accepted,
        isKept: false))
  }

  private static func question(_ reader: inout ClusterReader) -> ClusterMessage? {
    guard let number = reader.take(UInt64.self), let question = ClusterQuestion.decode(&reader)
    else { return nil }
    return .question(number: number, question)
  }

  private static func answer(_ reader: inout ClusterReader) -> ClusterMessage? {
    guard let question = reader.take(UInt64.self), let index = reader.take(UInt32.self),
      let isLast = reader.take(UInt8.self)
    else { return nil }
    return .answer(
      ClusterAnswerPart(
        question: question, index: index, isLast: isLast == 1, bytes: Array(reader.rest)))
  }
}
