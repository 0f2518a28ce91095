/// Every bound of the gateway, with its unit and its reason.
enum Limits {
  /// Notifications that a device may have unacknowledged; more wait, so that a slow device holds
  /// no more than this in buffers.
  static let deviceWindow = 64
  /// Notifications that wait in memory for a connected device; beyond it they stay in the store.
  static let deviceWaitingMax = 1_024
  /// How long a commit waits for the acknowledgement that would make it needless.
  static let gatherNanoseconds: Int64 = 2_000_000
  /// How long an acknowledged row may stay in the store for company.
  static let removalNanoseconds: Int64 = 50_000_000
  /// How long priority 5 waits for a sleeping device's next reason to be awake.
  static let sleepHoldNanoseconds: Int64 = 300_000_000_000
  /// Background pushes of an app on a device: three at once, then one every twenty minutes, as Apple's
  /// guidance of two or three an hour has it (apns-protocol section 4).
  static let backgroundRate = RateLimit(intervalNanoseconds: 1_200_000_000_000, burst: 3)
  /// Between clean-ups of what rate limits remember.
  static let rateMemoryNanoseconds: Int64 = 60_000_000_000
  /// Rows of one commit: more would only delay those who wait for it, and its end freeze the loop.
  static let commitRowsMax = 4_096
  /// Expired rows that one commit sweeps, some milliseconds' work, so that pushes wait no longer.
  static let sweepRowsMax = 1_000
  /// Between sweeps of expired rows.
  static let expirySweepNanoseconds: Int64 = 60_000_000_000
  /// Between looks at what time alone asks for.
  static let tickNanoseconds: Int64 = 1_000_000_000
  /// Until keys and apps that could not be read are read again: a failing disk is not asked all the time.
  static let directoryRetryNanoseconds: Int64 = 1_000_000_000
  /// Streams that a provider may have open once it was accepted (apns-protocol 1.13, captured).
  static let providerConcurrentStreams: UInt32 = 1_000
  /// Bytes that a provider may leave unread before it is not read from any more.
  static let providerOutputBytesMax = 1 << 20
  /// That a provider may leave unread, all of a loop together; above it each is paused earlier.
  static let loopOutputBytesMax = 64 << 20
  /// Bytes that a provider may leave unread while its loop is above the bound: over the streams'
  /// high-water mark, so that it is told when they are read.
  static let providerOutputShareBytes = 300 << 10
  /// Bytes that a provider's unfinished requests may hold: a thousand of them, with their fields.
  static let providerHeldBytesMax = 8 << 20
  /// The same before its first accepted request; real clients begin with up to 200 requests at once.
  static let strangerHeldBytesMax = 1_200 << 10
  /// The same of all providers of a loop; above it who holds more than a share has to go.
  static let loopHeldBytesMax = 128 << 20
  /// Bytes from a provider after which what it holds is accounted for again.
  static let accountAfterBytes = 128 << 10
  /// Requests of a provider after which that is done too.
  static let accountAfterRequests = 128
  /// Bytes of a request or two.
  static let loopHeldShareBytes = 16 << 10
  /// Between looks at providers that may be idle or slow.
  static let idleLookNanoseconds: Int64 = 2_000_000_000
  /// From TLS to the first frame: clients send their preface at once.
  static let providerPrefaceNanoseconds: Int64 = 10_000_000_000
  /// From a request's first byte to its last: 5 KB over the slowest path.
  static let providerRequestNanoseconds: Int64 = 15_000_000_000
  /// That a provider may take nothing of what waits for it.
  static let providerReadNanoseconds: Int64 = 20_000_000_000
  /// That a connection without an accepted request may go without a request.
  static let strangerIdleNanoseconds: Int64 = 30_000_000_000
  /// That any other may be idle: Apple wants them kept for hours and days (apns-protocol 1.11).
  static let providerIdleNanoseconds: Int64 = 86_400_000_000_000
  /// Bytes that a binary connection may have waiting before it is not read from any more.
  static let binaryHeldBytesMax = 1 << 18
  /// That a client without certificate and ALPN gets on a legacy port to begin with HTTP/2's preface.
  static let prefaceNanoseconds: Int64 = 2_000_000_000
  /// Idle streams that a loop keeps for the next requests.
  static let spareStreamsMax = 2_048
  /// Bytes of a buffer that is kept for the next frame.
  static let scratchBytesMax = 1 << 20
  /// Lines of the delivery log on each loop; a line takes 64 bytes of disk.
  static let deliveryLogLines = 65_536
  /// That an administrator's change waits for the loops to go by it.
  static let changeMilliseconds = 2_000
  /// That a question about the delivery log waits for the loops.
  static let logAnswerMilliseconds = 2_000
  /// Before a device that was sent away comes back, so that a restart finds the gateway up again.
  static let reconnectMilliseconds: UInt32 = 1_000
  /// Over which the devices that were sent away spread their return.
  static let reconnectJitterMilliseconds: UInt32 = 4_000
  /// That devices and providers get to finish when the gateway goes down.
  static let drainMilliseconds: UInt32 = 3_000
  /// Distinct apps and kinds that a device may register; a machine has far fewer.
  static let topicsPerDeviceMax = 1_024
  /// Days that a device's certificate lives; it is renewed by enrolling again.
  static let deviceCertificateDays = 3_650
  /// Days that the gateway's certificate authority lives.
  static let authorityDays = 7_300
  /// Days that the server certificate lives: what clients accept of a private authority.
  static let serverCertificateDays = 820
  /// Before its end at which the server certificate is made anew at a start.
  static let serverCertificateRenewalDays = 60
  /// Bytes of a team's name; it is for people.
  static let nameBytesMax = 200
  /// Good team-scoped keys of a team and environment (apns-protocol 2.2).
  static let teamKeysMax = 2
  /// Good topic-specific keys of a team and environment (apns-protocol 2.2).
  static let topicKeysMax = 200
  /// Topics of a topic-specific key (apns-protocol 2.2).
  static let topicsPerKeyMax = 400
  /// Channels of an app and environment (apns-protocol 5.3).
  static let channelsPerAppMax = 10_000
  /// Seconds that a channel keeps its newest message at the most (apns-protocol 5.3).
  static let channelStorageSecondsMax: Int64 = 28_800
  /// Channels that a device may subscribe to; a person follows far fewer.
  static let channelsPerDeviceMax = 1_024
  /// Devices that a broadcast goes to in one turn of a loop: some milliseconds' work.
  static let fanOutDevices = 256
  /// Devices on each loop whose copy of a broadcast the delivery log tells of, so that one broadcast
  /// does not push everything else out of it.
  static let fanOutLogLines = 256
  /// Between sweeps of expired broadcasts.
  static let broadcastSweepNanoseconds: Int64 = 60_000_000_000
  /// Scripted answers at a time; each is compared with every request while there are any.
  static let faultRulesMax = 1_000
  /// Bytes of a host name (RFC 1123 section 2.1).
  static let hostNameBytesMax = 255
  /// Bytes of an admin token that cannot be guessed: 64 bits in hexadecimal.
  static let adminTokenBytesMin = 16
  /// Bytes of a key or certificate file of the folder.
  static let keyFileBytesMax = 65_536
}
