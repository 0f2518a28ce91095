internal import BelfryWire

/// The limits of this module, each with its unit and its reason.
package enum Limits {
  // MARK: Registry

  /// The maximum length, in bytes, of the identifier that an app uses for a user or an installation.
  ///
  /// The limit leaves room for a UUID or an email address.
  static let nameBytesMax = 256
  /// The maximum length, in bytes, of a language tag: the length that RFC 5646 section 4.4.1 considers sufficient.
  static let languageBytesMax = 35
  /// The maximum number of warnings in one response: enough for an operator to start with.
  static let warningsMax = 16
  /// The maximum length, in bytes, of a field name, and of a value that must be one of several words; no valid name or
  /// value is longer.
  static let fieldNameBytesMax = 64
  /// The maximum number of unknown fields in a registration that are compared with the supported names.
  ///
  /// Each comparison takes several microseconds.
  static let fieldsCompared = 16
  /// The maximum number of tags per device: enough for the topics that a user follows, but not for a profile of the
  /// user.
  static let tagsMax = 32
  /// The maximum number of tokens in one response to `GET /tokens`: about 300 KB.
  static let tokensPerPage = 1_000
  /// The maximum number of tokens that one request can import; a body of 1 MB can't contain more.
  static let tokensPerRequest = 10_000
  /// The time, in seconds, after which an app retries a registration that was refused because the limit was reached;
  /// dead tokens are removed in the meantime.
  static let fullRetrySeconds: Int64 = 3_600
  /// The maximum size, in bytes, of the key file, which contains a key of 64 bytes as hexadecimal text.
  static let keyFileBytesMax = 4_096
  /// The minimum length, in bytes, of an admin token or app key; a shorter token or key could be guessed.
  static let secretBytesMin = 16
  /// The maximum number of cached time zones; the tz database has about 600.
  static let zonesRemembered = 1_000

  /// The time, in nanoseconds, between checks of the disk's health.
  ///
  /// Readiness probes and log lines report a recovery with at most this delay.
  static let storeWatchNanoseconds: Int64 = 1_000_000_000
  /// The time, in nanoseconds, between two tests of an idle database: a load balancer should notice its absence soon.
  static let remoteProbeNanoseconds: Int64 = 5_000_000_000

  /// The time, in seconds, between two reads of a feedback service; dead tokens cause no harm in the meantime.
  static let feedbackPauseSeconds: Double = 3_600

  /// The maximum number of characters of an invalid value that an error message shows.
  static let excerptScalars = 80

  // MARK: Campaigns

  /// The maximum size, in bytes, of a strings file: room for thousands of strings.
  package static let stringsFileBytesMax = 1_048_576
  /// The maximum size, in bytes, of a campaign's string with its plural forms: far more than a payload of 4,096 bytes
  /// can show.
  static let textBytesMax = 32 << 10
  /// The maximum number of errors reported for one language of a campaign.
  static let problemsPerLanguage = 10
  /// The maximum number of the audience's languages that a preview lists, most common first; no campaign has more
  /// languages.
  static let previewLanguagesMax = 200
  /// The maximum number of languages of one campaign: more than any system supports.
  static let languagesMax = 200
  /// The maximum size, in bytes, of one string after its arguments are inserted, and of the plural forms that are read
  /// to produce the string.
  ///
  /// A payload cannot contain more text.
  static let filledTextBytesMax = WireLimits.largePayloadBytesMax
  /// The maximum number of arguments of a campaign's strings.
  static let argumentsMax = 16
  /// The maximum number of recipients of one batch, which limits the number of uncertain pushes after a crash and the
  /// size of each commit.
  static let batchRecipientsMax = 500
  /// The maximum number of batches in flight: enough for the connection's 1,000 concurrent requests while other batches
  /// are committed.
  static let batchesInFlightMax = 4
  /// The highest rate that can be requested, in pushes per second.
  static let rateMax: Int64 = 1_000_000
  /// The duration, in nanoseconds, of one batch at a limited rate: short, so that pushes are spread out.
  static let batchNanoseconds: Int64 = 100_000_000
  /// The time, in nanoseconds, before the first retry for recipients that the service temporarily refused; the pause
  /// doubles each time.
  static let retryPauseNanoseconds: Int64 = 1_000_000_000
  /// The longest pause, in nanoseconds, before a retry.
  ///
  /// After a service recovers, it is used again within half a minute.
  static let retryPauseNanosecondsMax: Int64 = 30_000_000_000
  /// The time, in nanoseconds, from the loss of a response to the query of the delivery log.
  ///
  /// By then, the gateway has logged every push that it still had to read from the lost connection.
  static let settleNanoseconds: Int64 = 3_000_000_000
  /// The tolerance, in milliseconds, for gradual clock adjustments during a log query, and for the precision of a
  /// line's timestamp.
  static let clockPrecisionMilliseconds: Int64 = 100
  /// The maximum delay, in milliseconds, with which a line is written to the delivery log.
  ///
  /// The line states the time at which the push was received, but the thread that writes the line can be blocked, for
  /// example by a disk.
  static let lateLineMilliseconds: Int64 = 10_000
  /// The number of bad tokens after which a campaign slows down, if most of its tokens so far are bad.
  ///
  /// A service counts bad tokens against the sender (apns-protocol 1.11).
  static let badTokensBeforeSlowing: Int64 = 200
  /// The number of recipients in each batch of a slowed campaign, which has only one batch in flight.
  ///
  /// A Belfry gateway closes a connection after more than twice this number of bad tokens.
  static let slowBatchRecipients = 100
  /// The time, in nanoseconds, that batches in flight have to finish when a campaign is paused or cancelled.
  static let drainNanoseconds: Int64 = 10_000_000_000
  /// The time, in nanoseconds, that the batches in flight of all campaigns have to finish when the service shuts down.
  static let shutdownNanoseconds: Int64 = 4_000_000_000
  /// The time, in nanoseconds, between progress checks of a watched campaign: short enough for a moving progress bar.
  static let progressNanoseconds: Int64 = 500_000_000
  /// The number of checks without changes after which watchers receive a heartbeat.
  ///
  /// Heartbeats detect a lost watcher within 15 seconds.
  static let progressHeartbeatRounds = 30
  /// The time, in nanoseconds, over which a campaign's speed is measured.
  ///
  /// This period is longer than the usual pauses of a store or a network.
  static let progressWindowNanoseconds: Int64 = 10_000_000_000
  /// The shortest time, in nanoseconds, between two tests of the push service while no connection to it is open.
  ///
  /// A console that is open reports a lost service within this time, and its tests are no load for the service.
  static let connectionTestNanoseconds: Int64 = 10_000_000_000
  /// The maximum number of campaigns in the summary: the number that fits on an overview page.
  static let campaignsSummarized = 5
  /// The maximum length, in bytes, of a campaign's name: one line in a list.
  static let campaignNameBytesMax = 200
  /// The maximum length, in characters, of a name that is derived from a campaign's text.
  static let campaignNameScalars = 60
  /// The maximum number of characters of a string that are read to derive a name.
  static let campaignNameScalarsRead = 1_000
  /// The maximum size, in bytes, of a document that a list of campaigns parses to show the campaign's time.
  ///
  /// A larger document is treated as empty.
  static let listedDocumentBytesMax = 65_536
  /// The time, in nanoseconds, between two checks of the scheduled campaigns.
  ///
  /// The checks are repeated, because new registrations and changes to the clock affect the start times.
  static let scheduleNanoseconds: Int64 = 30_000_000_000
  /// The upper bound, in milliseconds, for the computed wait of a scheduled campaign: one day.
  ///
  /// The bound prevents an overflow when the wait is converted to nanoseconds.
  static let scheduleMillisecondsMax: Int64 = 86_400_000
  /// The pause between two checks of the scheduled campaigns, as a multiple of the time that a check takes.
  static let scheduleRest: Int64 = 20
  /// The time, in seconds, for which the time of a campaign still counts as the current time after it has passed.
  ///
  /// A time usually has no seconds, and the request that starts the campaign can take some time.
  static let sendTimeGraceSeconds = 60
  /// The time, in nanoseconds, for which the service waits for the answer to a test push.
  static let testNanoseconds: Int64 = 15_000_000_000
  /// The maximum number of an app's newest campaigns whose notifications to one device are looked up.
  static let campaignsOfDevice = 200
  /// The maximum number of apps in the summary, and of languages that are listed for each app.
  ///
  /// The devices with other languages are counted together.
  static let sharesSummarized = 50
  /// The maximum number of pages of tokens that one search for the beginning of a token opens: 20,000 tokens, which
  /// takes a fraction of a second.
  static let pagesOpenedMax = 20
  /// The numbers of hexadecimal digits that a search accepts as the beginning of a token.
  ///
  /// Fewer digits match many tokens, and the shortest token of a push service has 64 digits.
  static let tokenPrefixDigits = 8..<64
  /// The shortest time, in nanoseconds, for which the registry's counts are reused, because counting reads every token.
  static let countsNanoseconds: Int64 = 2_000_000_000
  /// The time for which the registry's counts are reused, as a multiple of the time that counting takes.
  static let countsRest: Int64 = 20

  // MARK: Web Push

  /// The maximum number of Web Push services whose state is kept; browsers use about five services.
  static let webPushHostsMax = 1_024
  /// The maximum number of Web Push services with pending messages that have never responded: half of the services to
  /// which a client is connected at the same time.
  static let untestedHostsMax = 32
  /// The maximum number of subscriptions whose service asked to wait; others are tried again with the next attempt.
  static let limitedEndpointsMax = 10_000
  /// The first pause, in nanoseconds, before another message is sent to a service that did not respond; the pause doubles
  /// each time.
  static let webPushSilenceNanoseconds: Int64 = 5_000_000_000
  /// The longest pause, in nanoseconds, before another message is sent to a service that did not respond.
  static let webPushSilenceNanosecondsMax: Int64 = 60_000_000_000
  /// The longest time, in seconds, for which a `Retry-After` of a Web Push service is obeyed, because any server can be
  /// the service of a subscription.
  static let retryAfterSecondsMax: Int64 = 300
  /// The maximum number of attempts to reach the subscriptions of a batch: about eight minutes.
  ///
  /// A campaign therefore ends even if a service no longer exists.
  static let webPushAttemptsMax = 20
  /// The time, in nanoseconds, after which a batch no longer delays other batches while it waits for Web Push services.
  ///
  /// A service usually responds within a fraction of a second.
  static let webPushPatienceNanoseconds: Int64 = 2_000_000_000
  /// The maximum number of batches that wait for Web Push services without delaying other batches.
  static let parkedBatchesMax = 100

  /// The longest lifetime of a push, in seconds, which is also the limit of push services (apns-protocol section 4).
  static let expirationSecondsMax: Int64 = 30 * 86_400
}
