import BelfryWire

/// The gateway's limits, each with its unit and its reason.
enum Limits {

  // MARK: Delivery

  /// The maximum number of unacknowledged notifications of one device; a slow device holds no more than this in
  /// buffers.
  static let deviceWindow = 64
  /// The maximum number of notifications that wait in memory for one connected device; any more are read from the store
  /// later.
  static let deviceWaitingMax = 1_024
  /// The number of rows of a device's backlog that are read at once: 1 MB at the maximum size of notifications, so that
  /// a device that acknowledges nothing takes up no more memory than that.
  static let backlogPageRows = 256
  /// The time, in nanoseconds, that a commit waits for the device's acknowledgment, which would make the row
  /// unnecessary.
  static let acknowledgementWaitNanoseconds: Int64 = 2_000_000
  /// The time, in nanoseconds, by which the removal of an acknowledged row is delayed, so that many removals share one
  /// commit.
  static let removalDelayNanoseconds: Int64 = 50_000_000
  /// The time, in nanoseconds, for which an attempt-once notification, and the answer to its provider, wait for a
  /// device that accepts nothing; a working device makes room within a round trip.
  static let onceWaitNanoseconds: Int64 = 5_000_000_000
  /// The maximum number of unanswered pushes to one token on its loop: more than any provider needs; further ones are
  /// rejected with `TooManyRequests` (apns-protocol 1.9).
  static let tokenUnansweredMax = 5_000
  /// The number of unanswered pushes on a loop above which further ones are counted per token, which spares most pushes
  /// a lookup.
  static let unansweredUncounted = 1_000
  /// The time, in nanoseconds, for which nothing is sent to a device that had no room for a notification: a user needs
  /// longer to free some space, and each further attempt costs one notification.
  static let noRoomPauseNanoseconds: Int64 = 60_000_000_000
  /// The time, in nanoseconds, for which notifications of priority 5 are held for a sleeping device that shows no
  /// activity of its own.
  static let sleepHoldNanoseconds: Int64 = 300_000_000_000
  /// The rate of background pushes of one app on one device: three at once, then one every 20 minutes, which is Apple's
  /// guidance of two or three per hour (apns-protocol section 4).
  static let backgroundRate = RateLimit(intervalNanoseconds: 1_200_000_000_000, burst: 3)
  /// The time, in nanoseconds, between cleanups of the rate limits' state; cleanups affect only memory use.
  static let rateMemoryNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of rows in one commit: more would delay everything that waits for the commit, and block the
  /// loop when the commit finishes.
  static let commitRowsMax = 4_096
  /// The maximum number of expired rows that one commit removes: a few milliseconds of work, so that pushes aren't
  /// delayed any longer than that.
  static let sweepRowsMax = 1_000
  /// The time, in nanoseconds, between sweeps of expired rows.
  ///
  /// Expired rows are never delivered, so this affects only disk space.
  static let expirySweepNanoseconds: Int64 = 60_000_000_000
  /// The time, in nanoseconds, between ticks, which release held notifications and start sweeps; neither needs to be
  /// exact.
  static let tickNanoseconds: Int64 = 1_000_000_000

  // MARK: Connections

  /// The time, in nanoseconds, for which an unproven connection may keep its slot when no slot is free: legitimate
  /// peers need a few round trips.
  static let unprovenNanoseconds: Int64 = 2_000_000_000
  /// The time, in nanoseconds, between log lines about refused connections.
  static let refusalLogNanoseconds: Int64 = 1_000_000_000

  // MARK: Providers

  /// The number of feedback rows that are read and written at once: a few milliseconds of a loop's work.
  ///
  /// They amount to more bytes than the streams' high-water mark, below which a stream doesn't report that its output
  /// was read.
  static let feedbackPageRows = 8_192
  /// The time, in nanoseconds, after which a failed read of keys and apps is retried, to spare a failing disk.
  static let directoryRetryNanoseconds: Int64 = 1_000_000_000
  /// The maximum number of a provider's concurrent streams after its first accepted request (apns-protocol 1.13,
  /// captured).
  static let providerConcurrentStreams: UInt32 = 1_000
  /// The number of unanswered pushes at which the gateway stops reading from a connection, until half of them are
  /// answered.
  ///
  /// This is twice its number of streams, so only requests that are reset before their answer can reach it.
  static let providerUnansweredMax = 2_000
  /// The maximum number of unanswered pushes of a team on one loop, about 80 MB at their maximum size; further ones are
  /// rejected with `ServiceUnavailable`.
  static let teamUnansweredMax = 16_384
  /// The time, in nanoseconds, in which a provider's errors decay to zero from the limit that closes its connection.
  static let errorMemoryNanoseconds: Int64 = 60_000_000_000
  /// The number of times that errors halve a provider's stream limit, from 1,000 down to 7, before the connection is
  /// closed.
  static let streamHalvingsMax = 7
  /// The maximum number of bytes that wait for a provider to read them; above this, the gateway stops reading from that
  /// provider.
  static let providerOutputBytesMax = 1 << 20
  /// The maximum number of bytes that wait for all providers of a loop; above this, ``providerOutputShareBytes``
  /// applies to each.
  static let loopOutputBytesMax = 64 << 20
  /// The number of bytes that may wait for one provider while its loop exceeds its limit.
  ///
  /// This exceeds the streams' high-water mark, below which a stream doesn't report that its output was read.
  static let providerOutputShareBytes = 300 << 10
  /// The maximum number of bytes that one provider's unfinished requests hold: a thousand requests with all their
  /// fields.
  static let providerHeldBytesMax = 8 << 20
  /// The maximum number of bytes that the unfinished requests of a connection without an accepted request hold: real
  /// clients begin with up to 200 requests at once.
  static let newConnectionHeldBytesMax = 1_200 << 10
  /// The maximum number of bytes that the unfinished requests of all of a loop's providers hold; above this, each
  /// connection that holds more than ``providerHeldShareBytes`` is closed at its next check.
  static let loopHeldBytesMax = 128 << 20
  /// The number of bytes that a provider may hold regardless of its loop's total: a request or two.
  static let providerHeldShareBytes = 16 << 10
  /// The number of bytes received from a provider after which its memory use is checked: far fewer than it may hold.
  static let memoryCheckBytes = 128 << 10
  /// The number of requests begun by a provider after which its memory use is checked, because header compression can
  /// shrink a large request to a few bytes.
  static let memoryCheckRequests = 128
  /// The time, in nanoseconds, between checks for idle and slow providers: short compared with the limits that they
  /// enforce.
  static let idleCheckNanoseconds: Int64 = 2_000_000_000
  /// The time, in nanoseconds, from the TLS handshake to the first frame: clients send their preface immediately.
  static let providerPrefaceNanoseconds: Int64 = 10_000_000_000
  /// The time, in nanoseconds, from a request's first byte to its last: enough for 5 KB over the slowest path.
  static let providerRequestNanoseconds: Int64 = 15_000_000_000
  /// The maximum time, in nanoseconds, for which a provider may read none of its pending output; a working client reads
  /// continuously.
  static let providerReadNanoseconds: Int64 = 20_000_000_000
  /// The time, in nanoseconds, that may pass without a request on a connection that has no accepted request yet; an
  /// unproven client can't hold a socket for longer.
  static let newConnectionIdleNanoseconds: Int64 = 30_000_000_000
  /// The time, in nanoseconds, for which any other connection may be idle: Apple asks providers to keep connections
  /// open for hours and days (apns-protocol 1.11).
  static let providerIdleNanoseconds: Int64 = 86_400_000_000_000
  /// The maximum number of bytes of unhandled frames on a binary connection; above this, the gateway stops reading from
  /// that connection.
  static let binaryHeldBytesMax = 1 << 18
  /// The time, in nanoseconds, within which a client that uses neither a certificate nor ALPN must send HTTP/2's
  /// preface on a legacy port; clients send it immediately.
  static let prefaceNanoseconds: Int64 = 2_000_000_000
  /// The maximum number of unused stream objects that a loop retains for later requests: enough for two connections.
  static let spareStreamsMax = 2_048
  /// The maximum capacity, in bytes, of a buffer that is retained for reuse; a larger buffer is freed.
  static let scratchBytesMax = 1 << 20

  // MARK: Administration

  /// The number of lines in each loop's delivery log; a line takes 64 bytes of disk space.
  static let deliveryLogLines = 65_536
  /// The maximum number of payloads that the delivery log retains in memory: about 40 MB, because most have at most 4
  /// kB.
  static let loggedPayloadsMax = 10_000
  /// The size, in bytes, of the largest buffer for such a payload: the largest payload, and what the allocator adds.
  static let loggedPayloadBytes = WireLimits.largePayloadBytesMax + 256
  /// The time, in milliseconds, that an administrator's command waits for every loop to apply its change; a busy loop
  /// applies it later.
  static let changeMilliseconds = 2_000
  /// The time, in milliseconds, that a query of the delivery log waits for the loops; late answers are omitted.
  static let logAnswerMilliseconds = 2_000
  /// The maximum number of scripted answers; if there are any, each is compared with every request.
  static let faultRulesMax = 1_000

  /// The time, in nanoseconds, between checks of the stores' disk health, which is also the delay of readiness probes
  /// and log lines after a recovery.
  static let storeWatchNanoseconds: Int64 = 1_000_000_000
  /// The time, in nanoseconds, between log lines about a failing disk.
  static let failureLogNanoseconds: Int64 = 60_000_000_000

  // MARK: Shutdown

  /// The time, in milliseconds, before a disconnected device reconnects, to give a restarting gateway time to start.
  static let reconnectMilliseconds: UInt32 = 1_000
  /// The time, in milliseconds, over which disconnected devices spread their reconnections, to avoid a stampede.
  static let reconnectJitterMilliseconds: UInt32 = 4_000
  /// The time, in milliseconds, that devices and providers have to finish when the gateway shuts down: many round
  /// trips.
  static let drainMilliseconds: UInt32 = 3_000

  // MARK: Devices and certificates

  /// The maximum number of distinct pairs of app and token kind that a device can ever register, on all its
  /// connections; a machine has far fewer apps.
  static let topicsPerDeviceMax = 1_024
  /// The maximum number of apps that are adopted for one device.
  ///
  /// Because an app is adopted only once for all devices, each device adds few.
  static let adoptionsPerDeviceMax = 256
  /// The maximum number of apps that are adopted in total: more than a gateway's users need, and each takes up an entry
  /// in every loop's directory.
  static let adoptionsMax = 10_000
  /// The rate at which apps are adopted: a thousand at once, for a team's devices that move to a new gateway, then one
  /// per minute.
  ///
  /// The limit per device isn't enough, because a client that knows the code can enroll one device after another.
  static let adoptionRate = RateLimit(intervalNanoseconds: 60_000_000_000, burst: 1_000)
  /// The maximum number of a loop's devices whose disconnection times are retained for `belfry device list`; they take
  /// 2 MB.
  static let departedDevicesMax = 65_536
  /// The maximum number of a loop's refused pushes that `belfry log` shows; each takes a few hundred bytes.
  static let refusedLinesMax = 4_096
  /// The maximum number of bytes of a refused push's topic that are shown; real topics are shorter.
  static let refusedTopicBytesMax = 255
  /// The maximum number of a loop's refused pushes per second that `belfry log` shows.
  ///
  /// More would add no information, and a faulty provider could cause them at no cost.
  static let refusedLinesPerSecond: UInt32 = 200
  /// The rate at which certificates of connected devices are renewed: 100 per second, 1,000 at once.
  ///
  /// Each costs a signature, a row, and a reconnection.
  static let renewalRate = RateLimit(intervalNanoseconds: 10_000_000, burst: 1_000)
  /// The range of times, in seconds, over which devices that exceed the rate spread their next attempt.
  static let renewalRetrySeconds: ClosedRange<UInt32> = 60...3_600
  /// The minimum time, in nanoseconds, between two certificates of one device.
  static let renewalPauseNanoseconds: Int64 = 30_000_000_000
  /// The number of devices whose last renewal requests are remembered; they take 2 MB.
  static let renewalsRemembered = 65_536
  /// The time, in nanoseconds, over which arrivals of devices are collected for one lookup in the store.
  static let arrivalNanoseconds: Int64 = 1_000_000_000
  /// The maximum number of device token keys, each of which the gateway tries when it opens a token.
  static let tokenKeysMax = 8
  /// The time, in seconds, before the authority's expiration at which log warnings start, so that devices that are
  /// offline for months can still connect during a rotation.
  static let authorityWarningSeconds: Int64 = 365 * 86_400
  /// The time, in seconds, between counts of the devices that haven't followed a rotation.
  static let rotationCountSeconds: Int64 = 60
  /// The validity of a device's certificate in days, a machine's lifetime: a machine that was off for nine years can
  /// still connect.
  ///
  /// Devices that connect renew theirs after a tenth of that time.
  static let deviceCertificateDays = Int(LinkLimits.deviceCertificateSeconds / 86_400)
  /// The validity of the gateway's certificate authority in days: twice that of a device's certificate.
  static let authorityDays = 7_300
  /// The maximum number of host names that the authority's certificate permits, including previous ones.
  ///
  /// A container has a new name at each start, and the certificate is sent in each handshake.
  static let authorityNamesMax = 40
  /// The validity of the server certificate in days: the longest that clients accept from a private authority.
  static let serverCertificateDays = 820
  /// The time, in seconds, between checks of the certificates' expirations.
  static let certificateCheckSeconds: Int64 = 3_600
  /// The time, in seconds, before a certificate's expiration at which log warnings start: 30 days.
  static let certificateWarningSeconds: Int64 = 30 * 86_400
  /// The time, in nanoseconds, between checks of the operator's certificate files.
  static let certificateWatchNanoseconds: Int64 = 1_000_000_000
  /// The number of days before the server certificate's expiration at which the gateway renews it: two months' notice.
  static let serverCertificateRenewalDays = 60
  /// The maximum size, in bytes, of a key or certificate file in the folder; real files are a few thousand bytes long.
  static let keyFileBytesMax = 65_536

  // MARK: Teams, keys, channels

  /// The maximum length, in bytes, of a team's name, which is only displayed.
  static let nameBytesMax = 200
  /// The maximum number of apps, keys, or certificates that are listed when the removal of their team is refused, so
  /// that the line stays readable.
  static let namesInRefusal = 5
  /// The maximum number of valid team-scoped keys of a team and environment (apns-protocol 2.2).
  static let teamKeysMax = 2
  /// The maximum number of valid topic-specific keys of a team and environment (apns-protocol 2.2).
  static let topicKeysMax = 200
  /// The maximum number of topics of a topic-specific key (apns-protocol 2.2).
  static let topicsPerKeyMax = 400
  /// The maximum number of channels of an app and environment (apns-protocol 5.3).
  static let channelsPerAppMax = 10_000
  /// The maximum time, in seconds, for which a channel stores its newest message (apns-protocol 5.3).
  static let channelStorageSecondsMax: Int64 = 28_800
  /// The maximum number of channels that a device can subscribe to, on all its connections; a user follows far fewer.
  static let channelsPerDeviceMax = 1_024
  /// The maximum number of devices that receive a broadcast in one turn of a loop: a few milliseconds of work.
  static let fanOutDevices = 256
  /// The maximum number of devices on each loop whose copy of a broadcast is logged, so that one broadcast doesn't
  /// displace everything else from the delivery log.
  static let fanOutLogLines = 256
  /// The time, in nanoseconds, between sweeps of expired broadcasts, which affect only memory and disk space.
  static let broadcastSweepNanoseconds: Int64 = 60_000_000_000
  /// The maximum length, in bytes, of a host name (RFC 1123 section 2.1).
  static let hostNameBytesMax = 255
  /// The minimum length, in bytes, of an admin token: 64 bits in hexadecimal can't be guessed.
  static let adminTokenBytesMin = 16
}
