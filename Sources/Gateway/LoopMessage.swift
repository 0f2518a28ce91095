import BelfryWire
import Storage
import Transport

/// What a provider is told.
enum ProviderAnswer: Sendable {
  case accepted
  /// The timestamp goes with 410 alone, in milliseconds since 1970.
  case refused(Rejection, timestampMilliseconds: Int64?)
}

/// What loops and the control plane say to a loop.
enum LoopMessage: Sendable {
  /// A notification for a device of this loop.
  case push(AcceptedNotification)
  /// The outcome of a notification whose provider is on this loop.
  case answered(ReplyRoute, ProviderAnswer)
  /// A device's connection that another loop accepted.
  case attach(DetachedStream, device: DeviceClaim)
  /// A device has enrolled: its home learns of it, then its connection on `loop` gets the answer.
  case enrolled(DeviceClaim, answer: ControlPlaneReply, loop: Int)
  /// The control plane's answer to something that this loop asked.
  case controlPlane(ControlPlaneReply)
  /// Keys, apps or certificates changed.
  case directory(CredentialDirectory)
  /// A channel was made or removed, or has a message for its devices.
  case channels(ChannelUpdate)
  /// Send what is under way to some more of its devices.
  case continueFanOut
  /// Tell that everything before this was handled.
  case confirm(ChangeBarrier)
  /// A device was revoked, at that time in milliseconds since 1970.
  case revoked(device: UInt64, atMilliseconds: Int64)
  /// Every loop runs: these are their mailboxes; open the listeners on these ports (0: any).
  case open(peers: LoopPeers, ports: GatewayPorts)
  /// Hand the lines of the delivery log that match to the collector.
  case readLog(DeliveryLogQuery, DeliveryLogCollector)
  /// Hand every matching line from now on to the follower.
  case followLog(DeliveryLogQuery, DeliveryLogFollower)
  /// Stop accepting, finish what is open.
  case drain
  /// Everything is finished or the time is up: close everything.
  case stop
}

/// What a loop asks of the control plane.
enum ControlPlaneRequest: Sendable {
  case enrol(SessionID, LinkFrame.Enrolment, signedBytes: [UInt8])
  /// A device registers an app that nobody has added.
  case adopt(SessionID, request: UInt16, LinkTopic, device: UInt64)
  /// A provider manages channels or broadcasts.
  case channels(ChannelRequest)
  /// A device subscribes to a channel that the loop does not know.
  case findChannel(SessionID, request: UInt16, ChannelID, app: UInt32)
  /// A feedback client wants what is gone of this app; the number comes back with the answer.
  case feedback(number: UInt64, app: UInt32)
}

/// The control plane's answers.
enum ControlPlaneReply: Sendable {
  case enrolment(SessionID, DeviceLinkServer.EnrolmentAnswer)
  /// The directory has the app now; the loop goes on with the registration.
  case adopted(SessionID, request: UInt16, LinkTopic, device: UInt64)
  case refused(SessionID, request: UInt16, LinkRefusal)
  /// To a provider's request on the loop's connection and stream of these numbers.
  case channels(connection: UInt64, stream: Int32, ChannelAnswer)
  /// The loop knows the channel now, or nobody does.
  case foundChannel(SessionID, request: UInt16, ChannelID, app: UInt32)
  /// The dead registrations of an app since its feedback was last read.
  case feedback(number: UInt64, [RegistrationRecord])
}

/// What a loop says to the control plane.
enum ControlPlaneMessage: Sendable {
  /// The loop runs.
  case ready(loop: Int, LoopMailbox)
  /// The loop's listeners accept on these ports; or why not.
  case opened(loop: Int, GatewayPorts)
  case failed(loop: Int, String)
  case request(loop: Int, ControlPlaneRequest)
  /// The administration changed the control store.
  case changed([ControlChange], ChangeBarrier)
  /// The loop has finished everything that was accepted.
  case drained(loop: Int)
}
