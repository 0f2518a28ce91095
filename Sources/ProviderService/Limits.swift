internal import BelfryWire

/// Every bound of this module, with its unit and its reason.
enum Limits {
  // MARK: Registry

  /// Bytes of the app's name for a person or an installation: a UUID or an address with room to spare.
  static let nameBytesMax = 256
  /// Bytes of a language tag: RFC 5646 section 4.4.1 finds no need for more.
  static let languageBytesMax = 35
  /// Warnings of one answer: a person mends the first ones first.
  static let warningsMax = 16
  /// Bytes of the name of a field, and of a value that is one of some words: none that is understood is longer.
  static let fieldNameBytesMax = 64
  /// Tags of one device: what a person follows, and not a profile of them.
  static let tagsMax = 32
  /// Tokens of one answer to `GET /tokens`: some 300 KB.
  static let tokensPerPage = 1_000
  /// Tokens that one request may bring at once; a body of 1 MB has no more.
  static let tokensPerRequest = 10_000
  /// Seconds after which a copy of an app tries again whose token had no room: dead tokens leave meanwhile.
  static let fullRetrySeconds: Int64 = 3_600
  /// Bytes of the key file: a key of 64 bytes as hexadecimal text.
  static let keyFileBytesMax = 4_096
  /// Bytes of the shortest admin token or app's key that is accepted: what is shorter can be guessed.
  static let secretBytesMin = 16
  /// Zones that are remembered: the tz database has some 600.
  static let zonesRemembered = 1_000

  /// Seconds between readings of a feedback service: dead tokens do no harm meanwhile.
  static let feedbackPauseSeconds: Double = 3_600

  // MARK: Campaigns

  /// Bytes of a strings file: thousands of texts.
  static let stringsFileBytesMax = 1_048_576
  /// Languages of one campaign: more than any system has.
  static let languagesMax = 200
  /// Bytes of one text with its arguments filled in, and of the plural forms that are read for it: no payload has
  /// room for more.
  static let filledTextBytesMax = WireLimits.largePayloadBytesMax
  /// Arguments of a campaign's texts.
  static let argumentsMax = 16
  /// Recipients of one batch: what is uncertain after a crash, and what one commit pays for.
  static let batchRecipientsMax = 500
  /// Batches in flight at once: enough for the connection's 1,000 concurrent requests while others are
  /// committed.
  static let batchesInFlightMax = 4
  /// Pushes a second that may be asked for.
  static let rateMax: Int64 = 1_000_000
  /// Nanoseconds of sending that one batch has at a limited rate, so that pushes are spread.
  static let batchNanoseconds: Int64 = 100_000_000
  /// Nanoseconds before recipients that the service refused for now are sent to again; it doubles.
  static let retryPauseNanoseconds: Int64 = 1_000_000_000
  /// Nanoseconds of the longest such pause: a service that is back is used within half a minute.
  static let retryPauseNanosecondsMax: Int64 = 30_000_000_000
  /// Nanoseconds from a lost answer to the question to the delivery log: what the gateway still had to
  /// read from the lost connection stands there by then.
  static let settleNanoseconds: Int64 = 3_000_000_000
  /// Milliseconds that clocks are slewed by in the seconds of a question to the delivery log, and some for the
  /// moment at which a line is stamped.
  static let clockPrecisionMilliseconds: Int64 = 100
  /// Bad tokens after which a campaign that meets more of them than of others goes on slowly: a service counts them
  /// against its sender (apns-protocol 1.11).
  static let badTokensBeforeSlowing: Int64 = 200
  /// Recipients of a batch then, one batch at a time: less than half of what ends a connection to a gateway of ours.
  static let slowBatchRecipients = 100
  /// Nanoseconds that batches in flight have when the service is told to end.
  static let drainNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds between looks at a campaign that somebody watches: a bar that moves.
  static let progressNanoseconds: Int64 = 500_000_000
  /// Looks without news after which a watcher gets a sign of life: one who is gone is found within 15 seconds.
  static let progressHeartbeatRounds = 30
  /// Nanoseconds that a rate is measured over: longer than the pauses of a store or a network.
  static let progressWindowNanoseconds: Int64 = 10_000_000_000
  /// Milliseconds after the end of a good connection before another one is made only to see whether it can be.
  static let connectionGoodMilliseconds: Int64 = 60_000
  /// Campaigns that the summary lists: what a first screen has room for.
  static let campaignsSummarized = 5
  /// Languages and apps that the summary lists; the others are added up.
  static let sharesSummarized = 50
  /// Nanoseconds for which the registry's counts are used again at least: counting reads every token.
  static let countsNanoseconds: Int64 = 2_000_000_000
  /// How many times as long as counting took its result is used.
  static let countsRest: Int64 = 20

  /// Seconds of a push's life at most, as services keep it (apns-protocol section 4).
  static let expirationSecondsMax: Int64 = 30 * 86_400
}
