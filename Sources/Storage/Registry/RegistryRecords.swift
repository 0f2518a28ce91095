/// The data that an app sends about a device, along with the device token, or about a Web Push subscription.
public struct TokenRegistration: Sendable, Hashable {
  /// The device token, or the endpoint of a subscription, sealed by the owner of the store.
  ///
  /// The same token or endpoint always has the same bytes.
  public var sealed: [UInt8]
  /// The sealed keys of a Web Push subscription; nil for a device token.
  public var keys: [UInt8]?
  /// The `apns-topic` of the token.
  public var topic: String
  /// The user's language as a BCP 47 tag.
  public var language: String?
  /// The device's time zone, as its name in the tz database.
  public var timeZone: String?
  /// The app's identifier for the user.
  public var user: String?
  /// The app's identifier for this installation.
  ///
  /// A new token replaces the installation's previous token.
  public var installation: String?
  /// The tags by which campaigns can select the device.
  public var tags: [String]
  /// The name of the token's environment; nil if the app did not specify the environment.
  public var environment: String?

  /// Creates a registration from its parts.
  public init(
    sealed: [UInt8], topic: String, language: String? = nil, timeZone: String? = nil,
    user: String? = nil, installation: String? = nil, tags: [String] = [],
    environment: String? = nil, keys: [UInt8]? = nil
  ) {
    self.environment = environment
    self.sealed = sealed
    self.keys = keys
    self.topic = topic
    self.language = language
    self.timeZone = timeZone
    self.user = user
    self.installation = installation
    self.tags = tags
  }
}

/// A registered token with the registry's own data.
public struct RegisteredToken: Sendable, Hashable {
  /// A number that increases with each new token and is never reused.
  public let number: Int64
  /// The data from the app's last registration.
  public let registration: TokenRegistration
  /// The time of the first registration, in milliseconds since 1970.
  public let firstMilliseconds: Int64
  /// The time of the last registration, in milliseconds since 1970.
  public let lastMilliseconds: Int64

  package init(
    number: Int64, registration: TokenRegistration, firstMilliseconds: Int64,
    lastMilliseconds: Int64
  ) {
    self.number = number
    self.registration = registration
    self.firstMilliseconds = firstMilliseconds
    self.lastMilliseconds = lastMilliseconds
  }
}

/// The conditions of a search for tokens; nil conditions match any value.
public struct TokenFilter: Sendable {
  /// The sealed form of the token.
  public var sealed: [UInt8]?
  /// The value of `apns-topic`.
  public var topic: String?
  /// The app's identifier for the user.
  public var user: String?
  /// A tag of the device.
  public var tag: String?
  /// A language; `fr` also matches `fr-CA`.
  public var language: String?
  /// True for Web Push subscriptions only, and false for device tokens only.
  public var isWebPush: Bool?

  /// Creates a filter that matches every token.
  public init() {}
}

/// A page of the results of a search for tokens.
public struct TokenPage: Sendable {
  /// The tokens, sorted by number.
  public let tokens: [RegisteredToken]
  /// The number after which the search continues; nil at the end.
  public let next: Int64?

  package init(tokens: [RegisteredToken], next: Int64?) {
    self.tokens = tokens
    self.next = next
  }
}

/// The effect of a registration.
public enum RegistrationChange: String, Sendable {
  /// The token is new.
  case added
  /// The token is new, and the installation's previous token was removed.
  case replaced
  /// The token was already registered, and its data was updated.
  case renewed
  /// The token is new, but the limit has been reached; the registry is unchanged.
  case full
}

/// The limit on the number of tokens that an app can have.
public struct RegistrationLimit: Sendable {
  /// The topics that share the limit: the app's topics, one for each kind of push.
  public let topics: [String]
  /// The maximum number of tokens for these topics.
  public let tokens: Int64

  /// Creates a limit for the tokens of these topics.
  public init(topics: [String], tokens: Int64) {
    self.topics = topics
    self.tokens = tokens
  }
}

/// A device token that the push service no longer recognizes.
public struct DeadToken: Sendable, Hashable {
  /// The sealed form of the token.
  public let sealed: [UInt8]
  /// The topic; nil for every topic.
  public let topic: String?
  /// The time at which the token became dead, in milliseconds since 1970.
  ///
  /// A token that has been registered again since then is retained.
  public let sinceMilliseconds: Int64
  /// The environment that the app must have specified for the token to be removed; nil for any environment.
  ///
  /// If the service has never known a token, the service reports only that the token does not belong to the
  /// environment.
  public let environment: String?  // text: the name that the service gives it

  /// Creates a dead token from its parts.
  public init(
    sealed: [UInt8], topic: String?, sinceMilliseconds: Int64, environment: String? = nil
  ) {
    self.environment = environment
    self.sealed = sealed
    self.topic = topic
    self.sinceMilliseconds = sinceMilliseconds
  }
}

/// The devices to which a campaign is sent.
public enum CampaignAudience: Sendable, Hashable {
  /// Every device with the campaign's topic.
  case all
  /// The devices with this tag.
  case tag(String)
  /// The devices of this user.
  case user(String)
  /// The devices of a list that was supplied with the campaign.
  case list
}

/// A device to which a campaign is sent.
public struct CampaignRecipient: Sendable, Hashable {
  /// The token's number, or the position in the campaign's list.
  public let number: Int64
  /// The sealed form of the token.
  public let sealed: [UInt8]
  /// The language from the registration.
  public let language: String?
  /// The sealed keys of a Web Push subscription; nil for a device token.
  public let keys: [UInt8]?

  /// Creates a recipient from its parts.
  public init(number: Int64, sealed: [UInt8], language: String?, keys: [UInt8]? = nil) {
    self.number = number
    self.sealed = sealed
    self.language = language
    self.keys = keys
  }
}

/// The number of a campaign's devices that share a kind, a language, a time zone, and an environment.
public struct AudienceShare: Sendable, Hashable {
  /// The language from the registrations.
  public let language: String?
  /// The time zone from the registrations.
  public let timeZone: String?
  /// The environment from the registrations.
  public let environment: String?
  /// True for Web Push subscriptions, and false for device tokens.
  public let isWebPush: Bool
  /// The number of devices.
  public let count: Int64

  package init(
    language: String?, timeZone: String?, environment: String?, isWebPush: Bool = false,
    count: Int64
  ) {
    self.language = language
    self.timeZone = timeZone
    self.environment = environment
    self.isWebPush = isWebPush
    self.count = count
  }
}

/// The number of an app's tokens that share a kind, a language, and an environment.
public struct RegistryShare: Sendable, Hashable {
  /// The value of `apns-topic`.
  public let topic: String
  /// The language from the registrations.
  public let language: String?
  /// The environment from the registrations.
  public let environment: String?
  /// True for Web Push subscriptions, and false for device tokens.
  public let isWebPush: Bool
  /// The number of tokens.
  public let count: Int64

  package init(
    topic: String, language: String?, environment: String?, isWebPush: Bool = false, count: Int64
  ) {
    self.topic = topic
    self.language = language
    self.environment = environment
    self.isWebPush = isWebPush
    self.count = count
  }
}

/// A campaign as stored in the registry.
public struct CampaignRecord: Sendable, Hashable {
  /// The state of a campaign.
  public enum State: String, Sendable, CaseIterable {
    /// The campaign is being written; no pushes are sent until it is started or scheduled.
    case draft
    /// The campaign starts at a future time, for the devices that are registered at that time.
    case scheduled
    /// The campaign is being sent, or is waiting until its remaining devices can be reached.
    case running
    /// The campaign is paused until it is resumed.
    case paused
    /// Every recipient has an outcome.
    case completed
    /// The campaign was stopped permanently; the outcomes of the pushes that were sent remain.
    case cancelled
  }

  /// The ID by which operators and programs refer to the campaign.
  public let id: String
  /// The name by which operators recognize the campaign; nil if the version that created the campaign did not store
  /// names.
  public var name: String?  // text: the operator writes it
  /// The time of creation in milliseconds since 1970.
  public let createdMilliseconds: Int64
  /// The campaign's document, as the campaign's owner wrote it.
  public var document: [UInt8]
  /// The value of `apns-topic`.
  public var topic: String
  /// The recipients of the campaign.
  public var audience: CampaignAudience
  /// The maximum number of pushes per second; nil for no limit.
  public var rate: Int64?
  /// The environment to send to; nil for all environments.
  ///
  /// Devices that did not specify an environment are always included.
  public var environment: String?
  /// The state of the campaign.
  public var state: State
  /// The reason that the campaign does not continue automatically; nil if it continues automatically.
  public var problem: String?
  /// The number of devices at the time the campaign was started.
  public var total: Int64
  /// The highest device number at the time the campaign was started.
  ///
  /// Devices that register later are not included.
  public var lastNumber: Int64
  /// The time at which the campaign finished, in milliseconds since 1970.
  public var finishedMilliseconds: Int64?

  /// Creates a draft of a campaign.
  public init(
    id: String, name: String? = nil, createdMilliseconds: Int64, document: [UInt8], topic: String,
    audience: CampaignAudience, rate: Int64?, environment: String? = nil
  ) {
    self.init(
      id: id, name: name, createdMilliseconds: createdMilliseconds, document: document,
      topic: topic, audience: audience, rate: rate, environment: environment, state: .draft,
      problem: nil, total: 0, lastNumber: 0, finishedMilliseconds: nil)
  }

  package init(
    id: String, name: String?, createdMilliseconds: Int64, document: [UInt8], topic: String,
    audience: CampaignAudience, rate: Int64?, environment: String?, state: State, problem: String?,
    total: Int64, lastNumber: Int64, finishedMilliseconds: Int64?
  ) {
    self.id = id
    self.name = name
    self.createdMilliseconds = createdMilliseconds
    self.document = document
    self.topic = topic
    self.audience = audience
    self.rate = rate
    self.environment = environment
    self.state = state
    self.problem = problem
    self.total = total
    self.lastNumber = lastNumber
    self.finishedMilliseconds = finishedMilliseconds
  }
}

/// A part of a campaign that is sent in order: all devices, or one time zone.
public struct ZoneGroup: Sendable, Hashable {
  /// The devices of a group.
  public enum Zone: Sendable, Hashable {
    /// All devices, regardless of their time zone.
    case any
    /// The devices in this time zone; nil for devices that did not specify a time zone.
    case named(String?)
  }

  /// The number of the group within the campaign, starting at 0.
  public let number: Int
  /// The devices of the group.
  public let zone: Zone
  /// True if all of the group's recipients have been claimed.
  public let isClaimed: Bool

  /// Creates a group from its parts.
  public init(number: Int, zone: Zone, isClaimed: Bool = false) {
    self.number = number
    self.zone = zone
    self.isClaimed = isClaimed
  }
}

/// A batch of recipients whose pushes are being sent.
///
/// The batch is on disk before the first push is sent.
public struct CampaignBatch: Sendable, Hashable {
  /// The number of the batch within the campaign.
  public let number: Int64
  /// The number of the group to which the batch's recipients belong.
  public let group: Int
  /// The number that precedes the first recipient's number.
  public let after: Int64
  /// The highest number among the batch's recipients.
  public let last: Int64
  /// The time at which the batch's pushes were last sent, in milliseconds since 1970.
  public var claimedMilliseconds: Int64
  /// The recipients without an outcome; nil for the whole batch.
  public var unsettled: [Int64]?
  /// True if pushes might be in flight; false for a batch that is only stored to be sent later.
  public var isSent: Bool

  /// Creates a batch in which pushes are being sent to all recipients.
  public init(number: Int64, group: Int, after: Int64, last: Int64, claimedMilliseconds: Int64) {
    self.init(
      number: number, group: group, after: after, last: last,
      claimedMilliseconds: claimedMilliseconds, unsettled: nil, isSent: true)
  }

  package init(
    number: Int64, group: Int, after: Int64, last: Int64, claimedMilliseconds: Int64,
    unsettled: [Int64]?, isSent: Bool
  ) {
    self.number = number
    self.group = group
    self.after = after
    self.last = last
    self.claimedMilliseconds = claimedMilliseconds
    self.unsettled = unsettled
    self.isSent = isSent
  }
}

/// The outcome for a recipient.
public enum CampaignOutcome: String, Sendable, CaseIterable {
  /// The service accepted the push.
  case accepted
  /// The service no longer recognizes the token.
  case dead
  /// The token was dead but was registered again afterward, so it remains in the registry.
  ///
  /// The recipient is also counted as `dead`.
  case kept
  /// The service permanently refused the push.
  case failed
  /// The push was sent but its response was lost, so it is unknown whether the service received the push.
  ///
  /// The push is not sent again, to avoid duplicates.
  case unknown
}

/// The number of a campaign's recipients with the same kind, outcome, reason, and language.
public struct CampaignTally: Sendable, Hashable {
  /// The outcome of the recipients.
  public let outcome: CampaignOutcome
  /// The service's reason; empty if the service did not give a reason.
  public let reason: String
  /// The language of the text that was sent to the recipients; empty if the campaign has the same text for all
  /// recipients, or if the outcome was stored without a language.
  public let language: String  // text: one of the campaign's own languages
  /// True for Web Push subscriptions, and false for device tokens.
  public let isWebPush: Bool
  /// The number of recipients.
  public let count: Int64

  /// Creates a tally from its parts.
  public init(
    outcome: CampaignOutcome, reason: String, language: String = "", isWebPush: Bool = false,
    count: Int64
  ) {
    self.outcome = outcome
    self.reason = reason
    self.language = language
    self.isWebPush = isWebPush
    self.count = count
  }

  /// The text before the outcome of Web Push subscriptions in a store.
  private static let webPushPrefix = "web-push "

  /// The outcome as it is stored, with the kind of the recipients, which is part of a stored tally's key.
  package var storedOutcome: String { (isWebPush ? Self.webPushPrefix : "") + outcome.rawValue }

  /// Creates a tally from its stored form; nil if the outcome is unknown.
  package init?(storedOutcome: String, reason: String, language: String, count: Int64) {
    let isWebPush = storedOutcome.utf8.starts(with: Self.webPushPrefix.utf8)
    let word = isWebPush ? String(storedOutcome.dropFirst(Self.webPushPrefix.count)) : storedOutcome
    guard let outcome = CampaignOutcome(rawValue: word) else { return nil }
    self.init(
      outcome: outcome, reason: reason, language: language, isWebPush: isWebPush, count: count)
  }
}
