public import BelfryWire
public import Storage

/// An administrator's request to a running or stopped gateway.
///
/// The commands, the admin API, and the data folder use this type (contract: Administration).
public enum AdministrationRequest: Sendable, Hashable {
  case listTeams
  /// Adds a team.
  ///
  /// `id` consists of 10 letters and digits; nil generates one.
  case addTeam(id: String?, name: String?)
  /// Removes a team.
  ///
  /// With `isForced`, the team's keys and certificates are revoked and its apps are removed first.
  case removeTeam(id: String, isForced: Bool)
  case listKeys
  case addKey(NewKey)
  case revokeKey(id: String)
  /// Creates a provider token, signed with this key; nil uses the oldest valid key.
  case makeProviderToken(key: String?)
  case listCertificates
  case addCertificate(NewCertificate)
  case revokeCertificate(serial: String)
  case listTopics
  case addTopic(NewTopic)
  /// Removes an app.
  ///
  /// With `isForced`, the request succeeds even if devices have registered the app.
  case removeTopic(bundleID: String, isForced: Bool)
  case listUpstreams
  /// Relays an app's pushes to an upstream if the gateway did not create their device tokens; replaces the app's
  /// earlier upstream.
  case addUpstream(NewUpstream)
  case removeUpstream(topic: String)  // text: an operator chose it
  case listChannels
  case addChannel(bundleID: String, keepsLatest: Bool)
  /// Removes a channel.
  ///
  /// `id` is base64; `bundleID` is optional.
  case removeChannel(id: String, bundleID: String?)
  /// Lists devices.
  ///
  /// The string is a device number, part of a name, or a device token in hexadecimal; nil lists all devices.
  case listDevices(of: String?)
  /// Lists the apps that a device has registered, with their tokens.
  case listDeviceApps(number: UInt64)
  case revokeDevice(number: UInt64)
  /// Shows the code that devices enroll with.
  case enrollmentCode
  /// Creates a new enrollment code; the previous one stops working.
  case rotateEnrollmentCode
  case listAuthorities
  /// Creates an authority that will replace the current one.
  case rotateAuthority
  /// Retires the previous authority.
  ///
  /// With `isForced`, the request succeeds even if devices or providers still depend on that authority.
  case finishAuthority(isForced: Bool)
  case listTokenKeys
  /// Creates a key that seals all new device tokens; the other keys can still open existing tokens.
  case rotateTokenKey
  /// Retires a token key.
  ///
  /// With `isForced`, the request succeeds even if tokens become invalid.
  case retireTokenKey(id: String, isForced: Bool)
  /// Lists the nodes of the cluster.
  case listNodes
  /// Makes a node close its connections, so that its devices connect to other nodes, and stop.
  ///
  /// With `isForced`, the request succeeds even if no other node is running.
  case drainNode(name: String, isForced: Bool)  // text: an operator chose it
  /// Lists rows that failed their checksum.
  case listDamage
  /// Deletes the damaged rows; afterward, the gateway treats anything that depended on them as unknown.
  case forgetDamage
  case listFaults
  case addFault(FaultRule)
  case removeFault(id: UInt64)
  /// Removes the faults that were added for a device token; nil removes all faults.
  case clearFaults(token: [UInt8]?)
  /// Reads the delivery log lines of a token, an `apns-id`, or an `apns-unique-id`; nil reads the entire log.
  case log(of: String?)
  /// Checks a push as the gateway would, without sending it.
  case checkPush(PushDraft)
  /// Describes a device token and checks whether a push with `topic` can be sent to it; nil checks the token's own
  /// topic.
  case checkDeviceToken(String, topic: String?)
  /// Checks whether a provider token is valid for `topic`, and reports the reason if it isn't.
  case checkProviderToken(String, topic: String?)

  /// A push as the user drafts it: each field contains the string that would be sent in the request.
  public struct PushDraft: Sendable, Hashable {
    /// The device token in hexadecimal.
    public var token = ""
    /// The `apns-topic` header; empty if absent.
    public var topic = ""
    /// The `apns-push-type` header; nil if absent.
    public var type: String?
    /// The `apns-priority` header; nil if absent.
    public var priority: String?
    /// The `apns-expiration` header; nil if absent.
    public var expiration: String?
    /// The `apns-collapse-id` header; nil if absent.
    public var collapseID: String?
    /// The `apns-id` header; nil if absent.
    public var id: String?
    /// The ID of the provider key that signs the push; nil selects a key of the app's team.
    public var key: String?
    /// The payload, as bytes of JSON.
    public var payload: [UInt8] = []

    /// Creates an empty draft.
    public init() {}
  }

  /// The parameters of a new provider key.
  public struct NewKey: Sendable, Hashable {
    /// The ID of the key, 10 letters and digits; nil generates one.
    public var id: String?
    /// The ID of the key's team.
    public var team: String
    /// The environments in which the key is valid.
    public var environments: EnvironmentScope
    /// The bundle identifiers that the key can send to; if empty, the key can send to all of the team's apps.
    public var topics: [String]
    /// The ID of the only other key that can share a connection with this key; nil for no other key.
    public var relatedKey: String?
    /// The maximum number of relayed pushes per day, which begins at midnight UTC; nil for no limit.
    public var perDay: Int64?
    /// The maximum number of relayed pushes per second; nil for no limit.
    public var perSecond: UInt32?

    /// Creates the parameters of a new provider key.
    public init(
      id: String? = nil, team: String, environments: EnvironmentScope = .both,
      topics: [String] = [], relatedKey: String? = nil, perDay: Int64? = nil,
      perSecond: UInt32? = nil
    ) {
      self.id = id
      self.team = team
      self.environments = environments
      self.topics = topics
      self.relatedKey = relatedKey
      self.perDay = perDay
      self.perSecond = perSecond
    }
  }

  /// The parameters of an upstream: a push service, and the publisher's credentials for it.
  public struct NewUpstream: Sendable, Hashable {
    /// The bundle identifier of the app.
    public var topic: String  // text: an operator chose it
    /// The publisher's private key, as the text of a `.p8` file.
    public var privateKeyPEM: [UInt8]
    /// The ID of the publisher's key, 10 letters and digits.
    public var keyID: String  // text: an operator chose it
    /// The ID of the publisher's team, 10 letters and digits.
    public var teamID: String  // text: an operator chose it
    /// The environment of Apple's service; nil for the gateway's environment.
    public var environment: Environment?
    /// The host name or address of the upstream; empty for Apple's service.
    public var host: String  // text: an operator chose it
    /// The port of the upstream, if it has a host.
    public var port: UInt16
    /// The certificate authority of the upstream, as PEM text; empty to trust the system's authorities.
    public var authorityPEM: [UInt8]

    /// Creates the parameters of an upstream.
    public init(
      topic: String, privateKeyPEM: [UInt8], keyID: String, teamID: String,
      environment: Environment? = nil, host: String = "", port: UInt16 = 443,
      authorityPEM: [UInt8] = []
    ) {
      self.topic = topic
      self.privateKeyPEM = privateKeyPEM
      self.keyID = keyID
      self.teamID = teamID
      self.environment = environment
      self.host = host
      self.port = port
      self.authorityPEM = authorityPEM
    }
  }

  /// The parameters of a new provider certificate.
  public struct NewCertificate: Sendable, Hashable {
    /// The ID of the team that owns the app; if empty, the app's team.
    public var team: String
    /// The app's bundle identifier.
    public var bundleID: String
    /// The environments in which the certificate is valid.
    public var environments: EnvironmentScope
    /// True if the certificate lists its topics in an extension; false if it contains only the bundle identifier.
    public var isUniversal: Bool
    /// True if the certificate has an RSA key; false if it has an ECDSA key.
    public var hasRSAKey: Bool

    /// Creates the parameters of a new provider certificate.
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

  /// An app to add, or to change if the team already has it.
  public struct NewTopic: Sendable, Hashable {
    /// The ID of the team that owns the app; if empty, the app's team or, for a new app, the only team.
    public var team: String
    /// The app's bundle identifier.
    public var bundleID: String
    /// The maximum number of undelivered notifications to keep per token (`.max` keeps all); nil means 1 for a new app,
    /// and no change for an existing one.
    public var keep: UInt32?
    /// True to allow the app to create channels; nil means false for a new app, and no change for an existing one.
    public var hasBroadcast: Bool?

    /// Creates an app to add.
    public init(team: String, bundleID: String, keep: UInt32? = nil, hasBroadcast: Bool? = nil) {
      self.team = team
      self.bundleID = bundleID
      self.keep = keep
      self.hasBroadcast = hasBroadcast
    }
  }
}
