import BelfryWire

/// Every bound of the gateway, with its unit and its reason.
enum Limits {

  // MARK: Delivery

  /// Notifications sent to one device and not yet acknowledged; a slow device holds no more than this in
  /// buffers.
  static let deviceWindow = 64
  /// Notifications waiting in memory for one connected device; beyond it they are read from the store later.
  static let deviceWaitingMax = 1_024
  /// Rows of a device's backlog that are read at once: a megabyte of the largest, so that a device that acknowledges
  /// nothing holds no more.
  static let backlogPageRows = 256
  /// Nanoseconds that a commit waits for the device's acknowledgement, which would make the row unnecessary.
  static let acknowledgementWaitNanoseconds: Int64 = 2_000_000
  /// Nanoseconds for which the removal of an acknowledged row is put off, so that many share one commit.
  static let removalDelayNanoseconds: Int64 = 50_000_000
  /// Nanoseconds for which a notification that is tried once, and its provider's answer, wait for a device that
  /// takes nothing; a working one makes room within a round trip.
  static let onceWaitNanoseconds: Int64 = 5_000_000_000
  /// Pushes to one token that may wait for their answer on its loop, more than any provider has; further ones
  /// are answered `TooManyRequests` (apns-protocol 1.9).
  static let tokenUnansweredMax = 5_000
  /// Unanswered pushes of a loop up to which none is counted by token, which spares most pushes a look-up.
  static let unansweredUncounted = 1_000
  /// Nanoseconds for which nothing is sent to a device that had no room for a notification: a person needs
  /// longer to make some, and each further try is one notification.
  static let noRoomPauseNanoseconds: Int64 = 60_000_000_000
  /// Nanoseconds for which priority 5 is held for a sleeping device that shows no activity of its own.
  static let sleepHoldNanoseconds: Int64 = 300_000_000_000
  /// Background pushes of one app on one device: three at once, then one every twenty minutes, which is
  /// Apple's guidance of two or three an hour (apns-protocol section 4).
  static let backgroundRate = RateLimit(intervalNanoseconds: 1_200_000_000_000, burst: 3)
  /// Nanoseconds between clean-ups of the rate limits' memory: only its size depends on it.
  static let rateMemoryNanoseconds: Int64 = 60_000_000_000
  /// Rows in one commit: more would delay everything that waits for it, and block the loop at its end.
  static let commitRowsMax = 4_096
  /// Expired rows that one commit removes: a few milliseconds of work, so that pushes do not wait longer.
  static let sweepRowsMax = 1_000
  /// Nanoseconds between sweeps of expired rows: they are never delivered, so only disk space depends on it.
  static let expirySweepNanoseconds: Int64 = 60_000_000_000
  /// Nanoseconds between ticks, which release held notifications and start sweeps: none needs to be exact.
  static let tickNanoseconds: Int64 = 1_000_000_000

  // MARK: Connections

  /// Nanoseconds for which a connection that has not shown yet who it is may keep its place when there is none left:
  /// honest peers need some round trips.
  static let unprovenNanoseconds: Int64 = 2_000_000_000
  /// Nanoseconds between log lines about refused connections.
  static let refusalLogNanoseconds: Int64 = 1_000_000_000

  // MARK: Providers

  /// Rows of feedback that are read and written at once, some milliseconds of a loop's work: more bytes than the
  /// streams' high-water mark, below which a stream does not report that its output was read.
  static let feedbackPageRows = 8_192
  /// Nanoseconds before keys and apps that could not be read are read again, to spare a failing disk.
  static let directoryRetryNanoseconds: Int64 = 1_000_000_000
  /// Concurrent streams of a provider after its first accepted request (apns-protocol 1.13, captured).
  static let providerConcurrentStreams: UInt32 = 1_000
  /// Unanswered pushes of a connection at which the gateway stops reading from it, until half of them are
  /// answered: twice its streams, so that only requests that are reset before their answer come to so many.
  static let providerUnansweredMax = 2_000
  /// Unanswered pushes of a team on one loop, some 80 MB at their largest; further ones are answered
  /// `ServiceUnavailable`.
  static let teamUnansweredMax = 16_384
  /// Nanoseconds in which a provider's errors are forgotten, all of the bound that ends its connection.
  static let errorMemoryNanoseconds: Int64 = 60_000_000_000
  /// How often errors halve a provider's limit of streams, from 1,000 down to 7, before they end the connection.
  static let streamHalvingsMax = 7
  /// Bytes waiting for a provider to read; above it the gateway stops reading from that provider.
  static let providerOutputBytesMax = 1 << 20
  /// Bytes waiting for all providers of a loop; above it ``providerOutputShareBytes`` applies to each.
  static let loopOutputBytesMax = 64 << 20
  /// Bytes waiting for one provider while its loop is above the bound; it exceeds the streams' high-water
  /// mark, below which a stream does not report that its output was read.
  static let providerOutputShareBytes = 300 << 10
  /// Bytes held by one provider's unfinished requests: a thousand of them with all their fields.
  static let providerHeldBytesMax = 8 << 20
  /// Bytes held by the unfinished requests of a connection without an accepted request: real clients begin
  /// with up to 200 requests at once.
  static let newConnectionHeldBytesMax = 1_200 << 10
  /// Bytes held by the unfinished requests of all providers of a loop; above it each connection that holds
  /// more than ``providerHeldShareBytes`` is closed at its next check.
  static let loopHeldBytesMax = 128 << 20
  /// Bytes that a provider may hold whatever its loop holds: a request or two.
  static let providerHeldShareBytes = 16 << 10
  /// Bytes received from a provider between checks of what it holds: far less than it may hold.
  static let memoryCheckBytes = 128 << 10
  /// Requests begun by a provider between checks: header compression makes a large request a few bytes.
  static let memoryCheckRequests = 128
  /// Nanoseconds between checks for idle and slow providers: short beside the limits that they apply.
  static let idleCheckNanoseconds: Int64 = 2_000_000_000
  /// Nanoseconds from the TLS handshake to the first frame: clients send their preface at once.
  static let providerPrefaceNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds from a request's first byte to its last: enough for 5 KB over the slowest path.
  static let providerRequestNanoseconds: Int64 = 15_000_000_000
  /// Nanoseconds for which a provider may read none of the output that waits for it; a working client reads
  /// as it goes.
  static let providerReadNanoseconds: Int64 = 20_000_000_000
  /// Nanoseconds without a request on a connection that has no accepted request yet: an unproven client
  /// holds a socket no longer.
  static let newConnectionIdleNanoseconds: Int64 = 30_000_000_000
  /// Nanoseconds for which any other connection may be idle: Apple asks providers to keep connections open
  /// for hours and days (apns-protocol 1.11).
  static let providerIdleNanoseconds: Int64 = 86_400_000_000_000
  /// Bytes of unhandled frames on a binary connection; above it the gateway stops reading from it.
  static let binaryHeldBytesMax = 1 << 18
  /// Nanoseconds on a legacy port for a client without certificate and ALPN to send HTTP/2's preface, which
  /// clients send at once.
  static let prefaceNanoseconds: Int64 = 2_000_000_000
  /// Unused stream objects that a loop retains for later requests: two connections' worth.
  static let spareStreamsMax = 2_048
  /// Bytes of capacity of a buffer that is retained for reuse; a larger one is freed.
  static let scratchBytesMax = 1 << 20

  // MARK: Administration

  /// Lines of the delivery log of each loop; a line takes 64 bytes of disk.
  static let deliveryLogLines = 65_536
  /// Milliseconds that an administrator's command waits for every loop to apply its change; a busy loop
  /// applies it later.
  static let changeMilliseconds = 2_000
  /// Milliseconds that a query of the delivery log waits for the loops; those that are late are left out.
  static let logAnswerMilliseconds = 2_000
  /// Scripted answers; each is compared with every request while there are any.
  static let faultRulesMax = 1_000

  /// Nanoseconds between looks at what the stores say of their disks: how late a probe of readiness is true
  /// again, and a line of the log.
  static let storeWatchNanoseconds: Int64 = 1_000_000_000
  /// Nanoseconds between lines about a failing disk.
  static let failureLogNanoseconds: Int64 = 60_000_000_000

  // MARK: Shutdown

  /// Milliseconds before a disconnected device reconnects, so that a restarted gateway is up again.
  static let reconnectMilliseconds: UInt32 = 1_000
  /// Milliseconds over which disconnected devices spread their reconnections, to avoid a stampede.
  static let reconnectJitterMilliseconds: UInt32 = 4_000
  /// Milliseconds that devices and providers have to finish when the gateway shuts down: many round trips.
  static let drainMilliseconds: UInt32 = 3_000

  // MARK: Devices and certificates

  /// Distinct pairs of app and token kind that a device may register in its life, on all its connections; a machine has
  /// far fewer apps.
  static let topicsPerDeviceMax = 1_024
  /// Apps that are adopted for one device: an app that others use too is adopted once, so few are new with each.
  static let adoptionsPerDeviceMax = 256
  /// Apps that are adopted in all: more than a gateway's people use, and each costs every loop a line of its directory.
  static let adoptionsMax = 10_000
  /// How fast apps are adopted: a thousand at once, for a team's devices that come to a new gateway, then one a minute.
  ///
  /// A client that knows the code may enrol one device after the other, each with a bound of its own.
  static let adoptionRate = RateLimit(intervalNanoseconds: 60_000_000_000, burst: 1_000)
  /// Devices of a loop of which it is known when they went away, for `belfry device list`: two megabytes.
  static let departedDevicesMax = 65_536
  /// Refused pushes of a loop that `belfry log` shows: some hundred bytes each.
  static let refusedLinesMax = 4_096
  /// Bytes of a refused push's topic that are shown: real ones have fewer.
  static let refusedTopicBytesMax = 255
  /// Refused pushes of a loop in a second that `belfry log` shows: more say nothing new, and cost a provider that errs nothing.
  static let refusedLinesPerSecond: UInt32 = 200
  /// Certificates that connected devices get in place of theirs: a hundred a second, a thousand at once.
  ///
  /// Each is a signature, a row, and a connection that is made anew.
  static let renewalRate = RateLimit(intervalNanoseconds: 10_000_000, burst: 1_000)
  /// Seconds over which devices that would be too many spread their next try.
  static let renewalRetrySeconds: ClosedRange<UInt32> = 60...3_600
  /// Nanoseconds between two certificates of one device.
  static let renewalPauseNanoseconds: Int64 = 30_000_000_000
  /// Devices of which it is known when they last asked: two megabytes.
  static let renewalsRemembered = 65_536
  /// Nanoseconds in which what devices have shown is gathered into one look at the store.
  static let arrivalNanoseconds: Int64 = 1_000_000_000
  /// Keys of device tokens: a token is tried with each.
  static let tokenKeysMax = 8
  /// Seconds before the authority's end from which on the log warns: devices that are away for months must connect during the rotation.
  static let authorityWarningSeconds: Int64 = 365 * 86_400
  /// Seconds between counts of the devices that have not followed a rotation.
  static let rotationCountSeconds: Int64 = 60
  /// Days of validity of a device's certificate, a machine's lifetime: one that is off for nine years comes back.
  ///
  /// Those that connect renew theirs after a tenth of it.
  static let deviceCertificateDays = Int(LinkLimits.deviceCertificateSeconds / 86_400)
  /// Days of validity of the gateway's certificate authority: twice what it signs for a device.
  static let authorityDays = 7_300
  /// Host names that the authority's certificate permits, former ones included: a container has a new name at each
  /// start, and the certificate goes out with each handshake.
  static let authorityNamesMax = 40
  /// Days of validity of the server certificate: the most that clients accept of a private authority.
  static let serverCertificateDays = 820
  /// Seconds between looks at the ends of certificates.
  static let certificateCheckSeconds: Int64 = 3_600
  /// Seconds before a certificate's end from which on the log warns: a month.
  static let certificateWarningSeconds: Int64 = 30 * 86_400
  /// Nanoseconds between looks at the operator's certificate files.
  static let certificateWatchNanoseconds: Int64 = 1_000_000_000
  /// Days before its end at which the gateway renews the server certificate: two months' notice.
  static let serverCertificateRenewalDays = 60
  /// Bytes of a key or certificate file in the folder: real ones have a few thousand.
  static let keyFileBytesMax = 65_536

  // MARK: Teams, keys, channels

  /// Bytes of a team's name, which is for people to read.
  static let nameBytesMax = 200
  /// Apps, keys or certificates that the refusal to remove their team names: a line that is read.
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
  /// Channels that a device may be subscribed to, on all its connections; a person follows far fewer.
  static let channelsPerDeviceMax = 1_024
  /// Devices that receive a broadcast in one turn of a loop: a few milliseconds of work.
  static let fanOutDevices = 256
  /// Devices on each loop whose copy of a broadcast is logged, so that one broadcast does not push everything
  /// else out of the delivery log.
  static let fanOutLogLines = 256
  /// Nanoseconds between sweeps of expired broadcasts: only memory and disk space depend on it.
  static let broadcastSweepNanoseconds: Int64 = 60_000_000_000
  /// Bytes of a host name (RFC 1123 section 2.1).
  static let hostNameBytesMax = 255
  /// Bytes of the shortest admin token that is accepted: 64 bits in hexadecimal cannot be guessed.
  static let adminTokenBytesMin = 16
}
