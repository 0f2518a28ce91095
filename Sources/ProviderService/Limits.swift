internal import BelfryWire

/// The limits of this module, each with its unit and its reason.
enum Limits {
  // MARK: Registry

  /// Bytes of the app's identifier of a user or an installation: a UUID or an address, with room to spare.
  static let nameBytesMax = 256
  /// Bytes of a language tag; RFC 5646 section 4.4.1 finds no need for more.
  static let languageBytesMax = 35
  /// Warnings in one response; operators fix the first ones first.
  static let warningsMax = 16
  /// Bytes of a field name, and of a value that must be one of several words; no valid one is longer.
  static let fieldNameBytesMax = 64
  /// Tags of one device: topics that a user follows, not a profile of the user.
  static let tagsMax = 32
  /// Tokens in one response to `GET /tokens`: about 300 KB.
  static let tokensPerPage = 1_000
  /// Tokens that one request may import; a body of 1 MB has no more.
  static let tokensPerRequest = 10_000
  /// Seconds after which an app retries a registration that was refused because the limit was reached; dead tokens are
  /// removed in the meantime.
  static let fullRetrySeconds: Int64 = 3_600
  /// Bytes of the key file: a key of 64 bytes as hexadecimal text.
  static let keyFileBytesMax = 4_096
  /// Bytes of the shortest accepted admin token or app key; shorter ones can be guessed.
  static let secretBytesMin = 16
  /// Zones that are cached; the tz database has about 600.
  static let zonesRemembered = 1_000

  /// Nanoseconds between checks of the disk's health, which is the delay of readiness probes and log lines after a
  /// recovery.
  static let storeWatchNanoseconds: Int64 = 1_000_000_000

  /// Seconds between two reads of a feedback service; dead tokens do no harm in the meantime.
  static let feedbackPauseSeconds: Double = 3_600

  // MARK: Campaigns

  /// Bytes of a strings file: thousands of texts.
  static let stringsFileBytesMax = 1_048_576
  /// Bytes of a campaign's text with its plural forms: far more than a payload of 4,096 bytes can show.
  static let textBytesMax = 32 << 10
  /// Errors reported for one language of a campaign.
  static let problemsPerLanguage = 10
  /// Languages of the audience that a preview lists, the most common first: more than any campaign has.
  static let previewLanguagesMax = 200
  /// Languages of one campaign: more than any system supports.
  static let languagesMax = 200
  /// Bytes of one text with its arguments inserted, and of the plural forms that are read for it; no payload has room
  /// for more.
  static let filledTextBytesMax = WireLimits.largePayloadBytesMax
  /// Arguments of a campaign's texts.
  static let argumentsMax = 16
  /// Recipients of one batch, which bounds the uncertain pushes after a crash and the share of each commit.
  static let batchRecipientsMax = 500
  /// Batches in flight at once: enough for the connection's 1,000 concurrent requests while others are committed.
  static let batchesInFlightMax = 4
  /// The highest rate that can be requested, in pushes per second.
  static let rateMax: Int64 = 1_000_000
  /// Nanoseconds of sending time per batch at a limited rate, so that pushes are spread out.
  static let batchNanoseconds: Int64 = 100_000_000
  /// Nanoseconds before the first retry for recipients that the service temporarily refused; the pause doubles each
  /// time.
  static let retryPauseNanoseconds: Int64 = 1_000_000_000
  /// The longest such pause in nanoseconds: a recovered service is used within half a minute.
  static let retryPauseNanosecondsMax: Int64 = 30_000_000_000
  /// Nanoseconds from a lost response to the query of the delivery log.
  ///
  /// By then, the log contains everything that the gateway still had to read from the lost connection.
  static let settleNanoseconds: Int64 = 3_000_000_000
  /// Milliseconds that cover the slewing of clocks during the seconds of a log query, and the precision of a line's
  /// time stamp.
  static let clockPrecisionMilliseconds: Int64 = 100
  /// Bad tokens after which a campaign slows down if they are the majority, because a service counts them against the
  /// sender (apns-protocol 1.11).
  static let badTokensBeforeSlowing: Int64 = 200
  /// Recipients of a batch in that case, with one batch in flight: less than half of the bad tokens that end a
  /// connection to a Belfry gateway.
  static let slowBatchRecipients = 100
  /// Nanoseconds that batches in flight are given when a campaign is paused or cancelled.
  static let drainNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds that the batches in flight of all campaigns are given when the service shuts down.
  static let shutdownNanoseconds: Int64 = 4_000_000_000
  /// Nanoseconds between progress checks of a watched campaign, frequent enough for a moving progress bar.
  static let progressNanoseconds: Int64 = 500_000_000
  /// Checks without changes after which a watcher receives a heartbeat: a lost one is detected within 15 seconds.
  static let progressHeartbeatRounds = 30
  /// Nanoseconds over which a rate is measured: longer than the pauses of a store or a network.
  static let progressWindowNanoseconds: Int64 = 10_000_000_000
  /// Milliseconds after the end of a working connection before another one is opened only to test the service.
  static let connectionGoodMilliseconds: Int64 = 60_000
  /// Campaigns in the summary: as many as fit on an overview page.
  static let campaignsSummarized = 5
  /// Bytes of a campaign's name: a line of a list.
  static let campaignNameBytesMax = 200
  /// Characters of a name that is derived from a text.
  static let campaignNameScalars = 60
  /// Characters of a text that are read for a name.
  static let campaignNameScalarsRead = 1_000
  /// Bytes of a campaign's document up to which a list shows its time; each document of the list is parsed.
  static let listedDocumentBytesMax = 65_536
  /// Nanoseconds between two looks at the scheduled campaigns, because devices register and clocks may be set.
  static let scheduleNanoseconds: Int64 = 30_000_000_000
  /// The longest wait of a scheduled campaign in milliseconds that is computed exactly: a day.
  static let scheduleMillisecondsMax: Int64 = 86_400_000
  /// The factor of the time that a look takes for which the next one waits.
  static let scheduleRest: Int64 = 20
  /// Nanoseconds that the answer to a test push is awaited.
  static let testNanoseconds: Int64 = 15_000_000_000
  /// Campaigns of an app, the newest, whose notifications to one device are looked up.
  static let campaignsOfDevice = 200
  /// Languages and apps in the summary; the others are added up.
  static let sharesSummarized = 50
  /// The shortest time in nanoseconds for which the registry's counts are reused, because counting reads every token.
  static let countsNanoseconds: Int64 = 2_000_000_000
  /// The factor of the counting time for which its result is reused.
  static let countsRest: Int64 = 20

  /// The longest lifetime of a push in seconds, which is the limit of push services (apns-protocol section 4).
  static let expirationSecondsMax: Int64 = 30 * 86_400
}
