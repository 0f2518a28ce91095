import BelfryWire
import PushWire

/// The gateway's limits, each with its unit and its reason.
package enum Limits {

  // MARK: Delivery

  /// The maximum number of unacknowledged notifications of one device; the buffers for a slow device never hold more
  /// notifications than this.
  static let deviceWindow = 64
  /// The maximum number of notifications that wait in memory for one connected device; additional notifications are
  /// read from the store later.
  static let deviceWaitingMax = 1_024
  /// The number of rows of a device's backlog that are read in one operation.
  ///
  /// Even if every notification has the maximum size, these rows take up at most 1 MB, which is all that a device that
  /// acknowledges nothing can occupy.
  static let backlogPageRows = 256
  /// The time, in nanoseconds, that a commit waits for the device's acknowledgment, which would make the row
  /// unnecessary.
  static let acknowledgementWaitNanoseconds: Int64 = 2_000_000
  /// The time, in nanoseconds, by which the removal of an acknowledged row is delayed, so that many removals share one
  /// commit.
  static let removalDelayNanoseconds: Int64 = 50_000_000
  /// The maximum time, in nanoseconds, for which an attempt-once notification waits for a device that accepts nothing;
  /// its provider's answer waits too.
  ///
  /// A working device makes room within a round trip.
  static let onceWaitNanoseconds: Int64 = 5_000_000_000
  /// The maximum number of unanswered pushes to one token: more than any provider needs.
  ///
  /// The gateway rejects further pushes with `TooManyRequests` (apns-protocol 1.9).
  static let tokenUnansweredMax = 5_000
  /// The number of unanswered pushes on a loop above which further pushes are counted per token; below this number, a
  /// push costs no lookup.
  static let unansweredUncounted = 1_000
  /// The time, in nanoseconds, for which nothing is sent to a device that had no room for a notification.
  ///
  /// A user needs longer than this to free space, and each further attempt costs one notification.
  static let noRoomPauseNanoseconds: Int64 = 60_000_000_000
  /// The maximum time, in nanoseconds, for which notifications of priority 5 are held for a sleeping device that shows
  /// no activity.
  static let sleepHoldNanoseconds: Int64 = 300_000_000_000
  /// The rate of background pushes of one app on one device: up to three in a burst, and then one every 20 minutes, in
  /// line with Apple's guidance of two or three per hour (apns-protocol section 4).
  static let backgroundRate = RateLimit(intervalNanoseconds: 1_200_000_000_000, burst: 3)
  /// The time, in nanoseconds, between cleanups of the rate limits' state; cleanups affect only memory use.
  static let rateMemoryNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of rows in one commit: more rows would delay everything that waits for the commit, and block
  /// the loop when the commit finishes.
  static let commitRowsMax = 4_096
  /// The maximum number of expired rows that one commit removes; removing them takes a few milliseconds, so a sweep
  /// barely delays pushes.
  static let sweepRowsMax = 1_000
  /// The time, in nanoseconds, between sweeps of expired rows.
  ///
  /// Expired rows are never delivered, so this interval affects only disk space.
  static let expirySweepNanoseconds: Int64 = 60_000_000_000
  /// The time, in nanoseconds, between ticks, which release held notifications and start sweeps; neither task needs
  /// exact timing.
  static let tickNanoseconds: Int64 = 1_000_000_000

  // MARK: Connections

  /// The time, in nanoseconds, for which an unproven connection can keep its slot when no slot is free; legitimate
  /// peers need only a few round trips.
  static let unprovenNanoseconds: Int64 = 2_000_000_000
  /// The minimum time, in nanoseconds, between log lines about refused connections.
  static let refusalLogNanoseconds: Int64 = 1_000_000_000

  // MARK: Providers

  /// The number of feedback rows that are read and written in one operation, which takes a few milliseconds of a loop's
  /// time.
  ///
  /// These rows take up more bytes than the streams' high-water mark; below that mark, a stream doesn't report that the
  /// peer has read its output.
  static let feedbackPageRows = 8_192
  /// The time, in nanoseconds, after which a failed read of keys and apps is retried; the delay spares a failing disk.
  static let directoryRetryNanoseconds: Int64 = 1_000_000_000
  /// The maximum number of a provider's concurrent streams after its first accepted request, as observed with Apple's
  /// service (apns-protocol 1.13).
  static let providerConcurrentStreams: UInt32 = 1_000
  /// The number of unanswered pushes at which the gateway stops reading from a connection, until half of them are
  /// answered.
  ///
  /// This is twice the connection's number of streams, so a connection reaches it only by resetting requests before
  /// they are answered, or with requests to the Matrix push gateway, which contain many pushes.
  static let providerUnansweredMax = 2_000
  /// The maximum number of unanswered pushes from a team on one loop, which take up about 80 MB if each has the maximum
  /// size; the gateway rejects further pushes with `ServiceUnavailable`.
  static let teamUnansweredMax = 16_384
  /// The time, in nanoseconds, in which a provider's error count decays from its limit, at which the connection is
  /// closed, to zero.
  static let errorMemoryNanoseconds: Int64 = 60_000_000_000
  /// The number of times that errors halve a provider's stream limit, from 1,000 to 7, before the gateway closes the
  /// connection.
  static let streamHalvingsMax = 7
  /// The maximum number of bytes that wait for a provider to read them; above this number, the gateway stops reading
  /// from that provider.
  static let providerOutputBytesMax = 1 << 20
  /// The maximum number of bytes that wait for all providers of a loop; above this number, ``providerOutputShareBytes``
  /// applies to each provider.
  static let loopOutputBytesMax = 64 << 20
  /// The number of bytes that can wait for one provider while its loop exceeds its limit.
  ///
  /// This number exceeds the streams' high-water mark; below that mark, a stream doesn't report that the peer has read
  /// its output.
  static let providerOutputShareBytes = 300 << 10
  /// The maximum number of bytes that the unfinished requests of one provider hold: enough for a thousand requests with
  /// all their fields.
  static let providerHeldBytesMax = 8 << 20
  /// The maximum number of bytes that unfinished requests hold on a connection that has no accepted request yet; real
  /// clients begin with up to 200 simultaneous requests.
  static let newConnectionHeldBytesMax = 1_200 << 10
  /// The maximum number of bytes that the unfinished requests of all of a loop's providers hold; above this number,
  /// each connection that holds more than ``providerHeldShareBytes`` is closed at its next check.
  static let loopHeldBytesMax = 128 << 20
  /// The number of bytes that a provider can hold regardless of its loop's total: enough for a request or two.
  static let providerHeldShareBytes = 16 << 10
  /// The number of bytes received from a provider after which its memory use is checked; it is small compared with the
  /// memory that a provider can hold.
  static let memoryCheckBytes = 128 << 10
  /// The number of requests started by a provider after which its memory use is checked, because header compression can
  /// shrink a large request to a few bytes.
  static let memoryCheckRequests = 128
  /// The time, in nanoseconds, between checks for idle and slow providers; it is short compared with the time limits
  /// that the checks enforce.
  static let idleCheckNanoseconds: Int64 = 2_000_000_000
  /// The maximum time, in nanoseconds, from the TLS handshake to the first frame; clients send their preface
  /// immediately.
  static let providerPrefaceNanoseconds: Int64 = 10_000_000_000
  /// The maximum time, in nanoseconds, from a request's first byte to its last: enough for 5 KB over the slowest path.
  static let providerRequestNanoseconds: Int64 = 15_000_000_000
  /// The maximum time, in nanoseconds, for which a provider can read none of its pending output; a working client reads
  /// continuously.
  static let providerReadNanoseconds: Int64 = 20_000_000_000
  /// The maximum time, in nanoseconds, without a request on a connection that has no accepted request yet; an unproven
  /// client can't hold a socket for longer than this.
  static let newConnectionIdleNanoseconds: Int64 = 30_000_000_000
  /// The maximum time, in nanoseconds, for which any other connection can be idle: Apple asks providers to keep
  /// connections open for hours or days (apns-protocol 1.11).
  static let providerIdleNanoseconds: Int64 = 86_400_000_000_000
  /// The maximum number of bytes that wait for a browser to read them; above this number, the gateway stops reading from
  /// that browser.
  ///
  /// All messages that a browser can have without an acknowledgment take up less than 80 KB. A stream reports that the
  /// peer has read its output only if more than its high-water mark was unread, not counting what it has encrypted; this
  /// number exceeds both together.
  static let browserOutputBytesMax = 512 << 10
  /// The maximum number of bytes of unhandled frames on a binary connection; above this number, the gateway stops
  /// reading from that connection.
  static let binaryHeldBytesMax = 1 << 18
  /// The time, in nanoseconds, within which a client that uses neither a certificate nor ALPN must send HTTP/2's
  /// preface on a legacy port; clients send it immediately.
  static let prefaceNanoseconds: Int64 = 2_000_000_000
  /// The maximum number of unused stream objects that a loop retains for later requests; this is enough for two
  /// connections.
  static let spareStreamsMax = 2_048
  /// The maximum capacity, in bytes, of a buffer that is retained for reuse; a larger buffer is freed.
  static let scratchBytesMax = 1 << 20

  // MARK: Administration

  /// The number of lines in each loop's delivery log; a line takes 64 bytes of disk space.
  static let deliveryLogLines = 65_536
  /// The maximum number of payloads that the delivery log retains in memory; they take up about 75 MB, because most
  /// payloads are no larger than 4 KB, and because unused space between the payloads remains.
  static let loggedPayloadsMax = 10_000
  /// The size, in bytes, of the largest buffer for a logged payload: the size of the largest payload plus the
  /// allocator's overhead.
  static let loggedPayloadBytes = WireLimits.largePayloadBytesMax + 256
  /// The time, in milliseconds, that an administrator's command waits for every loop to apply its change; a busy loop
  /// applies the change later.
  static let changeMilliseconds = 2_000
  /// The maximum time, in milliseconds, for which an administrator's query waits for the loops' answers; the request
  /// fails if an answer is late.
  static let loopAnswerMilliseconds = 5_000
  /// The maximum number of scripted answers; each of them is compared with every request.
  static let faultRulesMax = 1_000

  /// The time, in nanoseconds, between checks of the stores' disk health.
  ///
  /// When a store recovers, readiness probes and log lines show this after at most this time.
  static let storeWatchNanoseconds: Int64 = 1_000_000_000
  /// The minimum time, in nanoseconds, between log lines about a failing disk.
  static let failureLogNanoseconds: Int64 = 60_000_000_000

  // MARK: Shutdown

  /// The minimum time, in milliseconds, before a disconnected device reconnects; it gives a restarting gateway time to
  /// start.
  static let reconnectMilliseconds: UInt32 = 1_000
  /// The time, in milliseconds, over which disconnected devices spread their reconnections to avoid a stampede.
  static let reconnectJitterMilliseconds: UInt32 = 4_000
  /// The time, in milliseconds, that devices and providers have to finish when the gateway shuts down: enough for many
  /// round trips.
  static let drainMilliseconds: UInt32 = 3_000

  // MARK: Devices and certificates

  /// The maximum number of distinct pairs of app and token kind that a device can ever register, on all its
  /// connections; a machine has far fewer apps.
  static let topicsPerDeviceMax = 1_024
  /// The maximum number of requests about one topic that wait for the same change to be stored; a device has one or two.
  ///
  /// The limit applies to all connections of the device, including closed ones.
  static let requestsWaitingMax = 256
  /// The maximum number of undelivered messages of a Web Push subscription; the oldest are dropped.
  static let webPushKeep: UInt32 = 1_000
  /// The number of questions about Web Push messages that a loop answers per second.
  ///
  /// A question searches the loop's delivery log, which takes less than a millisecond.
  static let messageQuestionsPerSecond: UInt32 = 100
  /// The maximum number of apps that are adopted for one device.
  ///
  /// An app is adopted for all devices at once, so a single device adds only a few apps.
  static let adoptionsPerDeviceMax = 256
  /// The maximum number of apps that are adopted in total.
  ///
  /// This is more than a gateway's users need, and each app takes up an entry in every loop's directory.
  static let adoptionsMax = 10_000
  /// The rate at which apps are adopted: up to a thousand in a burst, and then one per minute.
  ///
  /// The burst lets a team's devices move to a new gateway. The limit per device isn't enough, because a client that
  /// knows the code can enroll one device after another.
  static let adoptionRate = RateLimit(intervalNanoseconds: 60_000_000_000, burst: 1_000)
  /// The maximum number of a loop's devices whose disconnection times are retained for `belfry device list`; these
  /// times take up 2 MB.
  static let departedDevicesMax = 65_536
  /// The maximum number of a loop's refused pushes that `belfry log` shows; each of them takes up a few hundred bytes.
  static let refusedLinesMax = 4_096
  /// The maximum number of bytes of a refused push's topic that are shown; real topics are shorter.
  static let refusedTopicBytesMax = 255
  /// The maximum number of a loop's refused pushes per second that `belfry log` shows.
  ///
  /// More lines would add no information, and a faulty provider could cause any number of them.
  static let refusedLinesPerSecond: UInt32 = 200
  /// The rate at which certificates of connected devices are renewed: 100 per second, with bursts of up to 1,000.
  ///
  /// Each renewal costs a signature, a row, and a reconnection.
  static let renewalRate = RateLimit(intervalNanoseconds: 10_000_000, burst: 1_000)
  /// The range, in seconds, over which devices that were refused because of the rate spread their next attempts.
  static let renewalRetrySeconds: ClosedRange<UInt32> = 60...3_600
  /// The minimum time, in nanoseconds, between two certificates that are issued to one device.
  static let renewalPauseNanoseconds: Int64 = 30_000_000_000
  /// The maximum number of devices whose last renewal requests are remembered; they take up 2 MB.
  static let renewalsRemembered = 65_536
  /// The time, in nanoseconds, over which device arrivals are collected for one lookup in the store.
  static let arrivalNanoseconds: Int64 = 1_000_000_000
  /// The maximum number of device token keys; to open a token, the gateway tries each of them.
  static let tokenKeysMax = 8
  /// The time, in seconds, before the authority's expiration at which log warnings start.
  ///
  /// The time is long, so that devices that are offline for months can still connect during a rotation.
  static let authorityWarningSeconds: Int64 = 365 * 86_400
  /// The time, in seconds, between counts of the devices that haven't followed a rotation.
  static let rotationCountSeconds: Int64 = 60
  /// The validity, in days, of a device's certificate: about a machine's lifetime, so that a machine that was off for
  /// nine years can still connect.
  ///
  /// Devices that connect renew their certificates after a tenth of this time.
  static let deviceCertificateDays = Int(LinkLimits.deviceCertificateSeconds / 86_400)
  /// The validity, in days, of the gateway's certificate authority: twice the validity of a device's certificate.
  static let authorityDays = 7_300
  /// The maximum number of host names, including previous ones, that the authority's certificate permits.
  ///
  /// Without a limit, the certificate, which each handshake sends, would grow at each start of a container, which has a
  /// new name each time.
  static let authorityNamesMax = 40
  /// The validity, in days, of the server certificate: the longest that clients accept from a private authority.
  static let serverCertificateDays = 820
  /// The time, in seconds, between checks of the certificates' expirations.
  static let certificateCheckSeconds: Int64 = 3_600
  /// The time, in seconds, between searches for the provider certificate that expires first.
  static let providerCertificateCheckSeconds: Int64 = 60
  /// The time, in seconds, before a certificate's expiration at which log warnings start: 30 days.
  static let certificateWarningSeconds: Int64 = 30 * 86_400
  /// The time, in nanoseconds, between checks of the operator's certificate files.
  static let certificateWatchNanoseconds: Int64 = 1_000_000_000
  /// The number of days before the server certificate's expiration at which the gateway renews it.
  ///
  /// If the renewal fails, the operator has two months to react.
  static let serverCertificateRenewalDays = 60
  /// The maximum size, in bytes, of a key or certificate file in the folder; real files contain a few thousand bytes.
  static let keyFileBytesMax = 65_536

  // MARK: Teams, keys, channels

  /// The maximum length, in bytes, of a team's name, which is only displayed.
  static let nameBytesMax = 200
  /// The maximum number of apps, keys, certificates, or devices that a refusal lists, so that the line stays readable.
  static let namesInRefusal = 5
  /// The maximum number of valid team-scoped keys that a team can have in an environment (apns-protocol 2.2).
  static let teamKeysMax = 2
  /// The maximum number of valid topic-specific keys that a team can have in an environment (apns-protocol 2.2).
  static let topicKeysMax = 200
  /// The maximum number of topics for a topic-specific key (apns-protocol 2.2).
  static let topicsPerKeyMax = 400
  /// The maximum number of channels that an app can have in an environment (apns-protocol 5.3).
  static let channelsPerAppMax = 10_000
  /// The maximum time, in seconds, for which a channel stores its newest message (apns-protocol 5.3).
  static let channelStorageSecondsMax: Int64 = 28_800
  /// The maximum number of channels that a device can subscribe to, on all its connections; a user follows far fewer
  /// channels.
  static let channelsPerDeviceMax = 1_024
  /// The maximum number of devices that a loop sends a broadcast to in one turn, which takes a few milliseconds.
  static let fanOutDevices = 256
  /// The maximum number of devices on each loop whose copies of a broadcast are logged, so that one broadcast doesn't
  /// displace everything else from the delivery log.
  static let fanOutLogLines = 256
  /// The time, in nanoseconds, between sweeps of expired broadcasts; sweeps affect only memory and disk space.
  static let broadcastSweepNanoseconds: Int64 = 60_000_000_000
  /// The maximum length, in bytes, of a host name (RFC 1123 section 2.1).
  static let hostNameBytesMax = 255
  /// The minimum length, in bytes, of an admin token: 64 random bits in hexadecimal, too many to guess.
  static let adminTokenBytesMin = 16
  /// The time, in seconds, after which a provider should repeat a request that got `ServiceUnavailable`: longer than most
  /// restarts of a database server.
  static let retryAfterSeconds: Int64 = 5
  /// The time, in nanoseconds, between two tests of an idle database: a load balancer should notice its absence soon.
  static let remoteProbeNanoseconds: Int64 = 5_000_000_000

  // MARK: Cluster

  /// The maximum number of pushes on each loop that wait for the store to claim their devices; further pushes are
  /// refused.
  static let claimWaitingMax = 20_000
  /// The maximum number of devices on each loop whose owners are remembered; an entry saves one question to the store.
  static let claimedElsewhereMax = 200_000
  /// The maximum number of devices on each loop that are claimed but not connected: about 400 bytes each.
  static let claimedIdleMax = 200_000
  /// The maximum number of claims in one transaction, which takes a few milliseconds.
  static let claimsPerTransactionMax = 1_000
  /// The maximum number of nodes that a push is forwarded to before its first node claims the device.
  static let forwardsMax = 2
  /// The time, in nanoseconds, for which a node waits for the outcome of a push that it forwarded.
  static let forwardNanoseconds: Int64 = 1_000_000_000
  /// The additional time, in nanoseconds, for which a node waits for the outcome of a push that cannot be stored: a device
  /// has five seconds to take such a push.
  static let patientForwardNanoseconds: Int64 = 6_000_000_000
  /// The maximum number of pushes of each loop that wait for other nodes.
  static let forwardedMax = 20_000
  /// The number of sequence numbers that the loops of all nodes share: 1,024 nodes with 64 loops each.
  static let clusterShards = 65_536
  /// The maximum number of loops of a node in a cluster.
  static let clusterLoopsMax = 64
  /// The time, in milliseconds, between the first two questions whether other nodes have applied a change.
  static let nodeWaitMilliseconds: Int64 = 10
  /// The maximum time, in milliseconds, between two such questions.
  static let nodeWaitMillisecondsMax: Int64 = 250
  /// The maximum time, in milliseconds, for which a command that takes nothing away waits for other nodes.
  static let nodeAdditionMilliseconds: Int64 = 2_000
  /// The maximum number of changes that a node reads from the database at once.
  static let changesMax = 1_000
  /// The time, in nanoseconds, between two ticks of a node's thread.
  static let clusterTickNanoseconds: Int64 = 1_000_000_000
  /// The number of outdated entries at which a home's list of claimed devices is compacted.
  static let claimListSlack = 1_024
  /// The number of connected devices of each loop whose claims are verified per tick: a few milliseconds of the database.
  static let linksVerifiedPerTick = 1_000
  /// The time, in nanoseconds, for which a claim that was read is trusted for pushes that are not stored.
  static let claimReadingNanoseconds: Int64 = 1_000_000_000
  /// The minimum time, in milliseconds, between two checks whether other nodes have claimed connected devices: one per
  /// tick.
  static let claimCheckMilliseconds: Int64 = 900
  /// The maximum time, in milliseconds, for which a command waits for a node to stop.
  static let nodeStopMilliseconds: Int64 = 15_000
  /// The maximum size, in bytes, of the payload of a push from another node, which is more than any push type allows.
  static let forwardedPayloadMax = 8_192
  /// The maximum number of newest lines of the delivery log that a node returns to another node.
  static let clusterLogLinesMax = 10_000
  /// The size, in bytes, of a part of an answer to another node; NATS accepts 1 MiB by default.
  static let clusterAnswerPartBytes = 262_144
  /// The maximum size, in bytes, of a node's answer: the presences of 3,000,000 devices.
  static let clusterAnswerBytesMax = 64 << 20
  /// The time, in milliseconds, for which a node waits for the answers of the others.
  static let clusterAnswerMilliseconds = 3_000
  /// The time, in milliseconds, for which a node that has stopped is named: a week, after which its log is rarely of use.
  static let stoppedNodeMilliseconds: Int64 = 604_800_000
  /// The number of device connections that a loop admits per second; their handshakes use about a quarter of a core.
  static let deviceAdmissionsPerSecond = 500
  /// The number of device connections that a loop admits at once after a pause.
  static let deviceAdmissionsBurst = 1_000
  /// The size, in bytes, at which a batch of messages to another node is sent; NATS accepts 1 MiB by default.
  static let clusterBatchBytes = 65_536

  // MARK: Relay

  /// The maximum number of bytes of an upstream's host name; DNS allows 253.
  static let upstreamHostBytesMax = 253
  /// The maximum number of bytes of an upstream's certificate authorities; chains of a few certificates are smaller than
  /// 20,000 bytes.
  static let upstreamAuthorityBytesMax = 65_536
  /// The maximum number of an app's pushes that wait for its upstream's answer.
  ///
  /// The gateway answers further pushes with 503. At 100 ms per answer, this is enough for 20,000 pushes per second, and
  /// with payloads of 4 KB, it takes up 8 MB.
  static let relayUnansweredMax = 2_000
  /// The maximum number of a key's pushes that wait until the store has counted them for the key's budget.
  ///
  /// The gateway answers further pushes with 503. A write takes a few milliseconds, and counts all pushes that wait.
  static let budgetWaitingMax = 2_000
  /// The time, in nanoseconds, for which no push is sent after the upstream has refused the publisher's credentials.
  static let relayPauseNanoseconds: Int64 = 10_000_000_000
  /// The minimum time, in nanoseconds, between two log lines about the same kind of problem of an upstream.
  static let relayAlarmNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of a loop's relayed pushes that `belfry log` shows; each of them takes up a few hundred bytes.
  static let relayedLinesMax = 4_096
  /// The maximum number of bytes of a field in an upstream's answer that the sender receives; a UUID has 36.
  static let relayedFieldBytesMax = 128
}
