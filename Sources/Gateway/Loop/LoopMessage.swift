import PushWire
import Storage
import Transport
import WebPush

/// The outcome of a provider's push.
enum ProviderAnswer: Sendable {
  case accepted
  /// The push was refused; the timestamp, in milliseconds since 1970, is for 410 responses only.
  case refused(Rejection, timestampMilliseconds: Int64?)
}

/// A message between provider fronts and device homes, which contains only values, so that it can be sent to any loop.
enum RoutedMessage: Sendable {
  /// A front submits a push to the home of its device.
  case submission(Submission)
  /// A home sends the outcome of a push to the front of its provider.
  case outcome(ReplyAddress, ProviderAnswer)
  /// An upstream's answer to a push of a provider on this loop.
  case relayed(RelayedPush)
  /// A device has enrolled; its home adds the device, and then the device's connection on `route` receives the answer.
  case enrolled(DeviceClaim, answer: HomeReply, route: Route)
  /// The answer to a request from a device on this loop.
  case homeReply(HomeReply)
  /// The answer to a request from a provider on this loop.
  case frontReply(FrontReply)
  /// A channel was created or removed, or has a message for its devices.
  case channels(ChannelUpdate)
  /// A device was revoked at the given time, in milliseconds since 1970, by an administrator of this node.
  case revoked(device: UInt64, atMilliseconds: Int64)
  /// A device was revoked by an administrator of another node.
  case revokedElsewhere(device: UInt64, atMilliseconds: Int64)
  /// A front asks the home of a message's device about the message.
  case messageQuestion(MessageQuestion)
  /// A home sends the answer to a question about a message to the front of the sender.
  case messageAnswer(ReplyAddress, MessageAnswer)
  /// The outcome of a push that the home forwarded under this number.
  case forwardedOutcome(number: UInt64, ForwardedOutcome)
  /// Another node says that it has claimed this device.
  case claimLost(UInt64)
  /// Check that this node still owns some of its connected devices.
  case verifyLinks
  /// Other nodes have claimed devices that, according to the store, were last connected to this node.
  case claimedElsewhere([ClaimElsewhere])
}

/// A message to a loop of this process.
enum LoopMessage: Sendable {
  case routed(RoutedMessage)
  /// A device's connection that another loop accepted.
  case attach(DetachedStream, device: DeviceClaim)
  /// A browser's connection that another loop accepted.
  case attachAutopush(DetachedStream, AutopushArrival)
  /// Use this directory, because keys, apps, or certificates have changed.
  case directory(CredentialDirectory)
  /// Continue sending broadcasts to the next slice of devices.
  case continueFanOut
  /// Confirm that every message before this one was handled.
  case confirm(ChangeBarrier)
  /// Report which devices are connected, and when the others disconnected.
  case readPresence(LoopAnswers<DevicePresence>)
  /// Use these certificates for new connections.
  case security(ListenerSecurity)
  /// Keys or authorities were rotated.
  case rotation(LoopRotation.Change)
  /// Apply the parts of this configuration that a loop can apply.
  case configuration(GatewayConfiguration)
  /// All loops are running and have these mailboxes; open the listeners on these ports (0 means any free port).
  case open(peers: LoopPeers, ports: GatewayPorts)
  /// Send the matching lines of the delivery log as an answer.
  case readLog(DeliveryLogQuery, LoopAnswers<DeliveryLogLine>)
  /// Send each new matching line to the follower.
  case followLog(DeliveryLogQuery, DeliveryLogFollower)
  /// Stop accepting connections and requests, and finish open work.
  case drain
  /// Close everything, because all work is finished or the time limit has been reached.
  case stop
}

/// A loop's request to the control plane.
enum ControlPlaneRequest: Sendable {
  case enroll(SessionID, LinkFrame.Enrollment, signedBytes: [UInt8], peer: String)
  /// A browser asks for an identifier.
  case enrollAutopush(SessionID, AutopushOpening, peer: String)
  /// A browser of a cluster presents an identifier, whose device might be anybody's.
  case findAutopush(SessionID, DeviceClaim)
  /// A connected device requests a new certificate for its key.
  case renew(SessionID, device: UInt64, publicKey: [UInt8])
  /// A device has presented its certificate and received its tokens.
  case arrived(DeviceArrival)
  /// A device registers an app that has not been added.
  case adopt(SessionID, request: UInt16, LinkTopic, device: UInt64)
  /// A provider makes a request about channels or broadcasts.
  case channels(ChannelRequest)
  /// A device subscribes to a channel that the loop does not know.
  case findChannel(SessionID, request: UInt16, ChannelID, app: UInt32)
  /// A feedback client requests the next inactive tokens of this app, after the cursor; if there is no cursor, the
  /// first tokens that no client has read. The reply contains the same `number`.
  case feedback(number: UInt64, app: UInt32, after: FeedbackCursor?)
  /// A feedback client has read an app's inactive tokens up to the given time.
  case feedbackRead(app: UInt32, upToMilliseconds: Int64)
}

/// The control plane's reply to a request from a device home.
enum HomeReply: Sendable {
  case enrollment(SessionID, DeviceLinkServer.EnrollmentAnswer)
  case renewal(SessionID, DeviceLinkServer.RenewalAnswer)
  case autopushEnrollment(SessionID, AutopushEnrollment)
  /// True if the store has the device with the browser's identifier; nil if the store could not be read.
  case autopushIdentity(SessionID, isKnown: Bool?)
  /// The directory now has the app; the home continues with the registration.
  case adopted(SessionID, request: UInt16, LinkTopic, device: UInt64)
  case refused(SessionID, request: UInt16, LinkRefusal)
  /// The home now knows the channel, if the channel exists.
  case foundChannel(SessionID, request: UInt16, ChannelID, app: UInt32)
}

/// The control plane's reply to a request from a provider front.
enum FrontReply: Sendable {
  /// The answer to a provider's request on this connection and stream.
  case channels(connection: UInt64, stream: Int32, ChannelAnswer)
  /// One page of an app's registrations that became inactive since clients last read them; nil if they can't be read.
  ///
  /// A page that isn't full is the last one.
  case feedback(number: UInt64, [RegistrationRecord]?)
}

/// A message from a loop to the control plane.
enum ControlPlaneMessage: Sendable {
  /// The loop is running.
  case ready(loop: Int, LoopMailbox)
  /// The loop's listeners accept connections on these ports.
  case opened(loop: Int, GatewayPorts)
  case failed(loop: Int, String)
  case request(loop: Int, ControlPlaneRequest)
  /// The administration changed the control store.
  case changed([ControlChange], ChangeBarrier)
  /// Other nodes have changed the stored data; nil if all of it may have changed.
  case clusterChanges([ClusterChange.Subject]?, upTo: Int64)
  /// An administrator asks this node of a cluster to stop.
  case drainRequested
  /// Another process has taken over this node of a cluster, or another node has declared it dead.
  case takenOver
  /// The loop has finished everything that it accepted.
  case drained(loop: Int)
}
