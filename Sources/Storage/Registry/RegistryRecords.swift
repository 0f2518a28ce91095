/// What an app says about a device when it hands its token over.
public struct TokenRegistration: Sendable, Hashable {
  /// The device token, sealed by the owner of the store: the same token always has the same bytes.
  public var sealed: [UInt8]
  /// The value of `apns-topic` that the token is for.
  public var topic: String
  /// The person's language as a BCP 47 tag.
  public var language: String?
  /// The device's time zone by its name in the tz database.
  public var timeZone: String?
  /// The app's name for the person.
  public var user: String?
  /// The app's name for this installation: a new token replaces the installation's former one.
  public var installation: String?
  /// Words by which campaigns choose devices.
  public var tags: [String]
  /// The name of the environment that the token is of; nil where the app did not say.
  public var environment: String?

  /// A registration from its parts.
  public init(
    sealed: [UInt8], topic: String, language: String? = nil, timeZone: String? = nil,
    user: String? = nil, installation: String? = nil, tags: [String] = [],
    environment: String? = nil
  ) {
    self.environment = environment
    self.sealed = sealed
    self.topic = topic
    self.language = language
    self.timeZone = timeZone
    self.user = user
    self.installation = installation
    self.tags = tags
  }
}

/// A registered token with the registry's own marks.
public struct RegisteredToken: Sendable, Hashable {
  /// Rises with each new token and never comes again.
  public let number: Int64
  /// What the app said last.
  public let registration: TokenRegistration
  /// The first registration, in milliseconds since 1970.
  public let firstMilliseconds: Int64
  /// The last registration, in milliseconds since 1970.
  public let lastMilliseconds: Int64
}

/// What a registration changed.
public enum RegistrationChange: String, Sendable {
  /// The token is new.
  case added
  /// The token is new, and the installation's former one is gone.
  case replaced
  /// The token was there and comes with what the app says now.
  case renewed
  /// The token is new, and there are as many as there may be: nothing changed.
  case full
}

/// How many tokens an app may have.
public struct RegistrationLimit: Sendable {
  /// The topics that count together: the app's, one for each kind of push.
  public let topics: [String]
  /// Their tokens.
  public let tokens: Int64

  /// A limit of the tokens of these topics.
  public init(topics: [String], tokens: Int64) {
    self.topics = topics
    self.tokens = tokens
  }
}

/// A device token that its service no longer knows.
public struct DeadToken: Sendable, Hashable {
  /// The sealed token.
  public let sealed: [UInt8]
  /// The topic; nil for every topic.
  public let topic: String?
  /// Since when it is dead, in milliseconds since 1970: a registration that came later is kept.
  public let sinceMilliseconds: Int64
  /// The environment that the app must have named for the token to leave; nil for any.
  ///
  /// A service that never knew a token says no more than that it is not of its environment.
  public let environment: String?  // text: the name that the service gives it

  /// A dead token from its parts.
  public init(
    sealed: [UInt8], topic: String?, sinceMilliseconds: Int64, environment: String? = nil
  ) {
    self.environment = environment
    self.sealed = sealed
    self.topic = topic
    self.sinceMilliseconds = sinceMilliseconds
  }
}

/// The devices that a campaign goes to.
public enum CampaignAudience: Sendable, Hashable {
  /// Every device with the campaign's topic.
  case all
  /// Those with this tag.
  case tag(String)
  /// Those of this person.
  case user(String)
  /// Those of a list that came with the campaign.
  case list
}

/// A device that a campaign sends to.
public struct CampaignRecipient: Sendable, Hashable {
  /// The token's number, or the place in the campaign's list.
  public let number: Int64
  /// The sealed token.
  public let sealed: [UInt8]
  /// As in the registration.
  public let language: String?

  /// A recipient from its parts.
  public init(number: Int64, sealed: [UInt8], language: String?) {
    self.number = number
    self.sealed = sealed
    self.language = language
  }
}

/// How many devices of a campaign share a language and a time zone.
public struct AudienceShare: Sendable, Hashable {
  /// As in the registrations.
  public let language: String?
  /// As in the registrations.
  public let timeZone: String?
  /// As in the registrations.
  public let environment: String?
  /// The devices.
  public let count: Int64
}

/// How many tokens of an app share a language and an environment.
public struct RegistryShare: Sendable, Hashable {
  /// The value of `apns-topic`.
  public let topic: String
  /// As in the registrations.
  public let language: String?
  /// As in the registrations.
  public let environment: String?
  /// The tokens.
  public let count: Int64
}

/// A campaign as it is stored.
public struct CampaignRecord: Sendable, Hashable {
  /// Where a campaign stands.
  public enum State: String, Sendable {
    /// Its list of recipients is still coming.
    case preparing
    /// It is sent, or waits for the time at which it may be.
    case running
    /// It is held until it is resumed.
    case paused
    /// Everybody has an outcome.
    case finished
  }

  /// The id that people and programs name it by.
  public let id: String
  /// In milliseconds since 1970.
  public let createdMilliseconds: Int64
  /// What is sent, as its owner wrote it.
  public let document: [UInt8]
  /// The value of `apns-topic`.
  public let topic: String
  /// Who gets it.
  public let audience: CampaignAudience
  /// Pushes a second at most.
  public let rate: Int64?
  /// The one environment whose devices get it, beside those that named none; nil for every environment.
  public let environment: String?
  /// Where it stands.
  public var state: State
  /// Why it does not go on by itself; nil while all is well.
  public var problem: String?
  /// The devices that it was started for.
  public var total: Int64
  /// The highest number that it was started for: devices that come later are not its own.
  public var lastNumber: Int64
  /// When it finished, in milliseconds since 1970.
  public var finishedMilliseconds: Int64?

  /// A campaign that has not started.
  public init(
    id: String, createdMilliseconds: Int64, document: [UInt8], topic: String,
    audience: CampaignAudience, rate: Int64?, environment: String? = nil
  ) {
    self.init(
      id: id, createdMilliseconds: createdMilliseconds, document: document, topic: topic,
      audience: audience, rate: rate, environment: environment, state: .preparing, problem: nil,
      total: 0, lastNumber: 0,
      finishedMilliseconds: nil)
  }

  init(
    id: String, createdMilliseconds: Int64, document: [UInt8], topic: String,
    audience: CampaignAudience, rate: Int64?, environment: String?, state: State, problem: String?,
    total: Int64,
    lastNumber: Int64, finishedMilliseconds: Int64?
  ) {
    self.id = id
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

/// A part of a campaign that is sent in order: everybody, or one time zone.
public struct CampaignLeg: Sendable, Hashable {
  /// Which devices belong to it.
  public enum Zone: Sendable, Hashable {
    /// All, whatever their zone.
    case any
    /// Those of this zone; nil for those that named none.
    case named(String?)
  }

  /// Counts from 0 within the campaign.
  public let number: Int
  /// Which devices belong to it.
  public let zone: Zone
  /// Whether all of it has been claimed.
  public let isClaimed: Bool

  /// A leg from its parts.
  public init(number: Int, zone: Zone, isClaimed: Bool = false) {
    self.number = number
    self.zone = zone
    self.isClaimed = isClaimed
  }
}

/// Recipients that are being sent to: on disk before the first of them is.
public struct CampaignBatch: Sendable, Hashable {
  /// Counts within the campaign.
  public let number: Int64
  /// The leg that its recipients belong to.
  public let leg: Int
  /// The recipients have numbers above this one.
  public let after: Int64
  /// The highest number of its recipients.
  public let last: Int64
  /// When its pushes were sent last, in milliseconds since 1970.
  public var claimedMilliseconds: Int64
  /// The recipients that have no outcome yet; nil for all of the batch.
  public var unsettled: [Int64]?
  /// Whether pushes may be on their way: those of a batch that is only kept to be sent later are not.
  public var isSent: Bool

  /// A batch of which all recipients are being sent to.
  public init(number: Int64, leg: Int, after: Int64, last: Int64, claimedMilliseconds: Int64) {
    self.init(
      number: number, leg: leg, after: after, last: last,
      claimedMilliseconds: claimedMilliseconds, unsettled: nil, isSent: true)
  }

  init(
    number: Int64, leg: Int, after: Int64, last: Int64, claimedMilliseconds: Int64,
    unsettled: [Int64]?, isSent: Bool
  ) {
    self.number = number
    self.leg = leg
    self.after = after
    self.last = last
    self.claimedMilliseconds = claimedMilliseconds
    self.unsettled = unsettled
    self.isSent = isSent
  }
}

/// What became of recipients.
public enum CampaignOutcome: String, Sendable, CaseIterable {
  /// The service took the push over.
  case accepted
  /// The service no longer knows the token.
  case dead
  /// Of the dead ones, and counted among them: those that stay in the registry, since they were registered again
  /// after they died.
  case kept
  /// The service refused the push for good.
  case failed
  /// The push was sent, its answer is lost, and nothing says whether the service has it: held back,
  /// so that it is not sent twice.
  case unknown
}

/// How many recipients of a campaign had an outcome for a reason.
public struct CampaignTally: Sendable, Hashable {
  /// What became of them.
  public let outcome: CampaignOutcome
  /// The service's reason; empty where there is none.
  public let reason: String
  /// The recipients.
  public let count: Int64

  /// A tally from its parts.
  public init(outcome: CampaignOutcome, reason: String, count: Int64) {
    self.outcome = outcome
    self.reason = reason
    self.count = count
  }
}
