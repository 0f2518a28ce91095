public import Storage

/// An administrator's request to a gateway, running or stopped; the same for the commands, the admin API and
/// the data folder (contract: Administration).
public enum AdministrationRequest: Sendable, Hashable {
  case listTeams
  /// `id` has 10 letters and digits; nil to generate one.
  case addTeam(id: String?, name: String?)
  /// Forced: revokes the team's keys and certificates and removes its apps first.
  case removeTeam(id: String, isForced: Bool)
  case listKeys
  case addKey(NewKey)
  case revokeKey(id: String)
  /// Makes a provider token; nil for the oldest valid key.
  case makeProviderToken(key: String?)
  case listCertificates
  case addCertificate(NewCertificate)
  case revokeCertificate(serial: String)
  case listTopics
  case addTopic(NewTopic)
  case removeTopic(bundleID: String)
  case listChannels
  case addChannel(bundleID: String, keepsLatest: Bool)
  /// `id` in base64; the app need not be named.
  case removeChannel(id: String, bundleID: String?)
  /// `text` is a number, a part of a name, or a device token in hexadecimal; nil for all.
  case listDevices(of: String?)
  case revokeDevice(number: UInt64)
  /// The code that devices enrol with.
  case enrolmentCode
  /// Makes a new code; the former one enrols no device any more.
  case rotateEnrolmentCode
  case listAuthorities
  /// Makes an authority that is to take the place of the one there is.
  case rotateAuthority
  /// Gives up the former authority; `isForced` also where devices or providers need it.
  case finishAuthority(isForced: Bool)
  case listTokenKeys
  /// Makes a key that seals device tokens from now on; the others still open them.
  case rotateTokenKey
  /// Gives up a token key; `isForced` also where tokens die with it.
  case retireTokenKey(id: String, isForced: Bool)
  /// Lists rows that failed their checksum.
  case listDamage
  /// Forgets them: what depended on them is unknown from then on.
  case forgetDamage
  case listFaults
  case addFault(FaultRule)
  case clearFaults
  /// Reads the delivery log of a token, an `apns-id` or an `apns-unique-id`; nil for all of it.
  case log(of: String?)
  /// Checks a push as the gateway would, without sending it.
  case checkPush(PushDraft)
  /// Tells what a device token is, and whether it may be sent to under `topic`; nil for its own topic.
  case checkDeviceToken(String, topic: String?)
  /// Tells whether a provider token is good, and why not; `topic` is what it shall send to.
  case checkProviderToken(String, topic: String?)

  /// A push as a person drafts it: texts as they would stand in the request.
  public struct PushDraft: Sendable, Hashable {
    /// The device token in hexadecimal.
    public var token = ""
    /// `apns-topic`; empty for none.
    public var topic = ""
    /// `apns-push-type`; nil for none, and so on.
    public var type: String?
    /// `apns-priority`.
    public var priority: String?
    /// `apns-expiration`.
    public var expiration: String?
    /// `apns-collapse-id`.
    public var collapseID: String?
    /// `apns-id`.
    public var id: String?
    /// The provider key that signs; nil for one of the app's team.
    public var key: String?
    /// The payload.
    public var payload: [UInt8] = []

    /// A draft without anything.
    public init() {}
  }

  /// A key to be made.
  public struct NewKey: Sendable, Hashable {
    /// 10 letters and digits; nil to generate one.
    public var id: String?
    /// The team's id.
    public var team: String
    /// The environments in which it is valid.
    public var environments: EnvironmentScope
    /// The only bundle identifiers that it may send to; empty: all of the team's.
    public var topics: [String]
    /// The one other key that may be used on the same connection.
    public var relatedKey: String?

    /// A key to be made.
    public init(
      id: String? = nil, team: String, environments: EnvironmentScope = .both,
      topics: [String] = [], relatedKey: String? = nil
    ) {
      self.id = id
      self.team = team
      self.environments = environments
      self.topics = topics
      self.relatedKey = relatedKey
    }
  }

  /// A provider's certificate to be made.
  public struct NewCertificate: Sendable, Hashable {
    /// The team's id.
    public var team: String
    /// The app's bundle identifier.
    public var bundleID: String
    /// Where it is good.
    public var environments: EnvironmentScope
    /// With a list of topics in an extension, or with the bundle identifier alone.
    public var isUniversal: Bool
    /// With a key for RSA instead of ECDSA.
    public var hasRSAKey: Bool

    /// A certificate to be made.
    public init(
      team: String, bundleID: String, environments: EnvironmentScope = .both,
      isUniversal: Bool = true, hasRSAKey: Bool = false
    ) {
      self.team = team
      self.bundleID = bundleID
      self.environments = environments
      self.isUniversal = isUniversal
      self.hasRSAKey = hasRSAKey
    }
  }

  /// An app to be added, or changed where the team has it already.
  public struct NewTopic: Sendable, Hashable {
    /// The team's id.
    public var team: String
    /// The bundle identifier.
    public var bundleID: String
    /// How many undelivered notifications are kept per token (`.max` for all); nil for 1, or no change.
    public var keep: UInt32?
    /// Whether channels may be created; nil for no, or no change.
    public var hasBroadcast: Bool?

    /// An app to be added.
    public init(team: String, bundleID: String, keep: UInt32? = nil, hasBroadcast: Bool? = nil) {
      self.team = team
      self.bundleID = bundleID
      self.keep = keep
      self.hasBroadcast = hasBroadcast
    }
  }
}
