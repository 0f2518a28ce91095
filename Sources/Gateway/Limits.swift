import BelfryWire

/// The gateway's limits, each with its unit and its reason.
enum Limits {

  // MARK: Delivery

  /// Unacknowledged notifications of one device; a slow device holds no more than this in buffers.
  static let deviceWindow = 64
  /// Notifications that wait in memory for one connected device; any more are read from the store later.
  static let deviceWaitingMax = 1_024
  /// Rows of a device's backlog that are read at once: 1 MB at the maximum size, so that a device that acknowledges
  /// nothing holds no more.
  static let backlogPageRows = 256
  /// Nanoseconds that a commit waits for the device's acknowledgement, which would make the row unnecessary.
  static let acknowledgementWaitNanoseconds: Int64 = 2_000_000
  /// Nanoseconds by which the removal of an acknowledged row is delayed, so that many removals share one commit.
  static let removalDelayNanoseconds: Int64 = 50_000_000
  /// Nanoseconds for which an attempt-once notification, and its provider's answer, wait for a device that accepts
  /// nothing; a working device makes room within a round trip.
  static let onceWaitNanoseconds: Int64 = 5_000_000_000
  /// Pushes to one token that may wait for their answer on its loop, more than any provider needs; further ones are
  /// answered `TooManyRequests` (apns-protocol 1.9).
  static let tokenUnansweredMax = 5_000
  /// Unanswered pushes of a loop up to which none are counted by token, which saves most pushes a lookup.
  static let unansweredUncounted = 1_000
  /// Nanoseconds for which nothing is sent to a device that had no room for a notification: a user needs longer to free
  /// some space, and each further attempt costs one notification.
  static let noRoomPauseNanoseconds: Int64 = 60_000_000_000
  /// Nanoseconds for which priority 5 is held for a sleeping device that shows no activity of its own.
  static let sleepHoldNanoseconds: Int64 = 300_000_000_000
  /// Background pushes of one app on one device: three at once, then one every 20 minutes, which is Apple's guidance of
  /// two or three per hour (apns-protocol section 4).
  static let backgroundRate = RateLimit(intervalNanoseconds: 1_200_000_000_000, burst: 3)
  /// Nanoseconds between cleanups of the rate limits' memory, which affect only its size.
  static let rateMemoryNanoseconds: Int64 = 60_000_000_000
  /// Rows in one commit: more would delay everything that waits for it, and block the loop at its end.
  static let commitRowsMax = 4_096
  /// Expired rows that one commit removes: a few milliseconds of work, so that pushes aren't delayed further.
  static let sweepRowsMax = 1_000
  /// Nanoseconds between sweeps of expired rows.
  ///
  /// Expired rows are never delivered, so this affects only disk space.
  static let expirySweepNanoseconds: Int64 = 60_000_000_000
  /// Nanoseconds between ticks, which release held notifications and start sweeps; neither needs to be exact.
  static let tickNanoseconds: Int64 = 1_000_000_000

  // MARK: Connections

  /// Nanoseconds for which an unproven connection may keep its place when no place is left: legitimate peers need a few
  /// round trips.
  static let unprovenNanoseconds: Int64 = 2_000_000_000
  /// Nanoseconds between log lines about refused connections.
  static let refusalLogNanoseconds: Int64 = 1_000_000_000

  // MARK: Providers

  /// Rows of feedback that are read and written at once, a few milliseconds of a loop's work.
  ///
  /// They amount to more bytes than the streams' high-water mark, below which a stream doesn't report that its output
  /// was read.
  static let feedbackPageRows = 8_192
  /// Nanoseconds after which a failed read of keys and apps is retried, to spare a failing disk.
  static let directoryRetryNanoseconds: Int64 = 1_000_000_000
  /// Concurrent streams of a provider after its first accepted request (apns-protocol 1.13, captured).
  static let providerConcurrentStreams: UInt32 = 1_000
  /// Unanswered pushes of a connection at which the gateway stops reading from it until half of them are answered.
  ///
  /// This is twice its number of streams, so only requests that are reset before their answer can reach it.
  static let providerUnansweredMax = 2_000
  /// Unanswered pushes of a team on one loop, about 80 MB at their maximum size; further ones are answered
  /// `ServiceUnavailable`.
  static let teamUnansweredMax = 16_384
  /// Nanoseconds in which the errors of a provider decay from the limit that closes its connection to zero.
  static let errorMemoryNanoseconds: Int64 = 60_000_000_000
  /// The number of times that errors halve a provider's stream limit, from 1,000 down to 7, before they close the
  /// connection.
  static let streamHalvingsMax = 7
  /// Bytes that wait for a provider to read them; above this, the gateway stops reading from that provider.
  static let providerOutputBytesMax = 1 << 20
  /// Bytes that wait for all providers of a loop; above this, ``providerOutputShareBytes`` applies to each.
  static let loopOutputBytesMax = 64 << 20
  /// Bytes that may wait for one provider while its loop exceeds its limit.
  ///
  /// This exceeds the streams' high-water mark, below which a stream doesn't report that its output was read.
  static let providerOutputShareBytes = 300 << 10
  /// Bytes held by one provider's unfinished requests: a thousand requests with all their fields.
  static let providerHeldBytesMax = 8 << 20
  /// Bytes held by the unfinished requests of a connection without an accepted request: real clients begin with up to
  /// 200 requests at once.
  static let newConnectionHeldBytesMax = 1_200 << 10
  /// Bytes held by the unfinished requests of all providers of a loop; above this, each connection that holds more than
  /// ``providerHeldShareBytes`` is closed at its next check.
  static let loopHeldBytesMax = 128 << 20
  /// Bytes that a provider may hold regardless of its loop's total: a request or two.
  static let providerHeldShareBytes = 16 << 10
  /// Bytes received from a provider between checks of its memory: far fewer than it may hold.
  static let memoryCheckBytes = 128 << 10
  /// Requests begun by a provider between checks, because header compression can shrink a large request to a few bytes.
  static let memoryCheckRequests = 128
  /// Nanoseconds between checks for idle and slow providers: short compared with the limits that they enforce.
  static let idleCheckNanoseconds: Int64 = 2_000_000_000
  /// Nanoseconds from the TLS handshake to the first frame: clients send their preface immediately.
  static let providerPrefaceNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds from a request's first byte to its last: enough for 5 KB over the slowest path.
  static let providerRequestNanoseconds: Int64 = 15_000_000_000
  /// Nanoseconds for which a provider may read none of its pending output; a working client reads continuously.
  static let providerReadNanoseconds: Int64 = 20_000_000_000
  /// Nanoseconds without a request on a connection that has no accepted request yet; an unproven client can't hold a
  /// socket for longer.
  static let newConnectionIdleNanoseconds: Int64 = 30_000_000_000
  /// Nanoseconds for which any other connection may be idle: Apple asks providers to keep connections open for hours
  /// and days (apns-protocol 1.11).
  static let providerIdleNanoseconds: Int64 = 86_400_000_000_000
  /// Bytes of unhandled frames on a binary connection; above this, the gateway stops reading from it.
  static let binaryHeldBytesMax = 1 << 18
  /// Nanoseconds within which a client without a certificate and ALPN must send HTTP/2's preface on a legacy port;
  /// clients send it immediately.
  static let prefaceNanoseconds: Int64 = 2_000_000_000
  /// Unused stream objects that a loop retains for later requests: enough for two connections.
  static let spareStreamsMax = 2_048
  /// Bytes of capacity of a buffer that is retained for reuse; a larger buffer is freed.
  static let scratchBytesMax = 1 << 20

  // MARK: Administration

  /// Lines of the delivery log of each loop; a line takes 64 bytes of disk space.
  static let deliveryLogLines = 65_536
  /// Payloads that the delivery log retains in memory: about 40 MB, because most have at most 4 kB.
  static let loggedPayloadsMax = 10_000
  /// Bytes of the largest buffer of such a payload: the largest payload, and what the allocator adds.
  static let loggedPayloadBytes = WireLimits.largePayloadBytesMax + 256
  /// Milliseconds that an administrator's command waits for every loop to apply its change; a busy loop applies it
  /// later.
  static let changeMilliseconds = 2_000
  /// Milliseconds that a query of the delivery log waits for the loops; late answers are omitted.
  static let logAnswerMilliseconds = 2_000
  /// Scripted answers; if there are any, each is compared with every request.
  static let faultRulesMax = 1_000

  /// Nanoseconds between checks of the stores' disk health, which is the delay of readiness probes and log lines after
  /// a recovery.
  static let storeWatchNanoseconds: Int64 = 1_000_000_000
  /// Nanoseconds between lines about a failing disk.
  static let failureLogNanoseconds: Int64 = 60_000_000_000

  // MARK: Shutdown

  /// Milliseconds before a disconnected device reconnects, to give a restarting gateway time to start.
  static let reconnectMilliseconds: UInt32 = 1_000
  /// Milliseconds over which disconnected devices spread their reconnections, to avoid a stampede.
  static let reconnectJitterMilliseconds: UInt32 = 4_000
  /// Milliseconds that devices and providers have to finish when the gateway shuts down: many round trips.
  static let drainMilliseconds: UInt32 = 3_000

  // MARK: Devices and certificates

  /// Distinct pairs of app and token kind that a device may ever register, on all its connections; a machine has far
  /// fewer apps.
  static let topicsPerDeviceMax = 1_024
  /// Apps that are adopted for one device.
  ///
  /// Because an app is adopted only once for all devices, each device adds few.
  static let adoptionsPerDeviceMax = 256
  /// Apps that are adopted in total: more than a gateway's users need, and each takes up an entry in every loop's
  /// directory.
  static let adoptionsMax = 10_000
  /// The rate at which apps are adopted: a thousand at once, for a team's devices that move to a new gateway, then one
  /// per minute.
  ///
  /// The limit per device isn't enough, because a client that knows the code can enroll one device after another.
  static let adoptionRate = RateLimit(intervalNanoseconds: 60_000_000_000, burst: 1_000)
  /// Devices of a loop whose disconnection times are retained for `belfry device list`: 2 MB.
  static let departedDevicesMax = 65_536
  /// Refused pushes of a loop that `belfry log` shows: a few hundred bytes each.
  static let refusedLinesMax = 4_096
  /// Bytes of a refused push's topic that are shown; real topics are shorter.
  static let refusedTopicBytesMax = 255
  /// Refused pushes of a loop per second that `belfry log` shows.
  ///
  /// More would add no information, and a faulty provider could cause them at no cost.
  static let refusedLinesPerSecond: UInt32 = 200
  /// Certificates that are renewed for connected devices: 100 per second, 1,000 at once.
  ///
  /// Each costs a signature, a row, and a reconnection.
  static let renewalRate = RateLimit(intervalNanoseconds: 10_000_000, burst: 1_000)
  /// Seconds over which devices that exceed the rate spread their next attempt.
  static let renewalRetrySeconds: ClosedRange<UInt32> = 60...3_600
  /// Nanoseconds between two certificates of one device.
  static let renewalPauseNanoseconds: Int64 = 30_000_000_000
  /// Devices whose last renewal requests are remembered: 2 MB.
  static let renewalsRemembered = 65_536
  /// Nanoseconds over which device arrivals are collected for one lookup in the store.
  static let arrivalNanoseconds: Int64 = 1_000_000_000
  /// Keys of device tokens; opening a token tries each of them.
  static let tokenKeysMax = 8
  /// Seconds before the authority's expiration at which log warnings start, so that devices that are offline for months
  /// can still connect during a rotation.
  static let authorityWarningSeconds: Int64 = 365 * 86_400
  /// Seconds between counts of the devices that haven't followed a rotation.
  static let rotationCountSeconds: Int64 = 60
  /// Days of validity of a device's certificate, a machine's lifetime: a machine that was off for nine years can still
  /// connect.
  ///
  /// Devices that connect renew theirs after a tenth of that time.
  static let deviceCertificateDays = Int(LinkLimits.deviceCertificateSeconds / 86_400)
  /// Days of validity of the gateway's certificate authority: twice the validity of a device's certificate.
  static let authorityDays = 7_300
  /// Host names that the authority's certificate permits, including previous ones.
  ///
  /// A container has a new name at each start, and the certificate is sent in each handshake.
  static let authorityNamesMax = 40
  /// Days of validity of the server certificate: the most that clients accept from a private authority.
  static let serverCertificateDays = 820
  /// Seconds between checks of the certificates' expirations.
  static let certificateCheckSeconds: Int64 = 3_600
  /// Seconds before a certificate's expiration at which log warnings start: 30 days.
  static let certificateWarningSeconds: Int64 = 30 * 86_400
  /// Nanoseconds between checks of the operator's certificate files.
  static let certificateWatchNanoseconds: Int64 = 1_000_000_000
  /// Days before its expiration at which the gateway renews the server certificate: two months' notice.
  static let serverCertificateRenewalDays = 60
  /// Bytes of a key or certificate file in the folder; real files have a few thousand.
  static let keyFileBytesMax = 65_536

  // MARK: Teams, keys, channels

  /// Bytes of a team's name, which is only displayed.
  static let nameBytesMax = 200
  /// Apps, keys, or certificates that are named when the removal of their team is refused, so that the line stays
  /// readable.
  static let namesInRefusal = 5
  /// Valid team-scoped keys of a team and environment (apns-protocol 2.2).
  static let teamKeysMax = 2
  /// Valid topic-specific keys of a team and environment (apns-protocol 2.2).
  static let topicKeysMax = 200
  /// Topics of a topic-specific key (apns-protocol 2.2).
  static let topicsPerKeyMax = 400
  /// Channels of an app and environment (apns-protocol 5.3).
  static let channelsPerAppMax = 10_000
  /// Seconds for which a channel stores its newest message (apns-protocol 5.3).
  static let channelStorageSecondsMax: Int64 = 28_800
  /// Channels that a device may subscribe to, on all its connections; a user follows far fewer.
  static let channelsPerDeviceMax = 1_024
  /// Devices that receive a broadcast in one turn of a loop: a few milliseconds of work.
  static let fanOutDevices = 256
  /// Devices on each loop whose copy of a broadcast is logged, so that one broadcast doesn't displace everything else
  /// from the delivery log.
  static let fanOutLogLines = 256
  /// Nanoseconds between sweeps of expired broadcasts, which affect only memory and disk space.
  static let broadcastSweepNanoseconds: Int64 = 60_000_000_000
  /// Bytes of a host name (RFC 1123 section 2.1).
  static let hostNameBytesMax = 255
  /// Bytes of the shortest admin token that is accepted: 64 bits in hexadecimal can't be guessed.
  static let adminTokenBytesMin = 16
}
