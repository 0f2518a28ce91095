internal import BelfryWire
internal import Storage
internal import Synchronization
internal import System

/// Operations on the content of campaigns that have not started.
extension CampaignService {
  /// Adds a campaign as a draft, which is not sent until it is started.
  ///
  /// A campaign whose time has passed for every device is refused.
  func add(
    _ object: JSONObject, audience: CampaignAudience, rate: Int64?
  ) throws(Failure) -> CampaignRecord {
    let document = try Self.document(object)
    let content = AlertCatalogue.canonical(object)
    let campaign = CampaignRecord(
      id: Self.newID(), name: document.name, createdMilliseconds: SystemClock.unixMilliseconds,
      document: content.bytes, topic: document.topic, audience: audience, rate: rate,
      environment: document.environment?.name)
    try checkTime(of: campaign, document, object)
    try stored { () throws(StorageFailure) in try registry.store.addCampaign(campaign) }
    return campaign
  }

  /// The new content of a campaign; a part that is nil remains unchanged.
  struct Edit {
    var document: JSONObject
    var audience: CampaignAudience?
    /// The new rate: nil leaves the rate unchanged, and an inner nil removes the limit.
    var rate: Int64??
    /// True if the campaign becomes a draft afterward; its recipients can then be replaced.
    var isHeld = false
    /// The revision that the new content is based on; nil to replace any revision.
    var revision: CampaignRevision?
  }

  /// Replaces the content of a draft or a scheduled campaign.
  ///
  /// If the new document lacks a name or a time, the campaign keeps its current value, which might come from a
  /// command's options. A null in the document removes the value. If the new time has passed for every device, the
  /// edit is refused; if it has passed for some of them, a scheduled campaign becomes a draft. An edit that is based on
  /// an older revision is refused, too.
  func edit(_ id: String, _ edit: Edit) throws(Failure) -> CampaignRecord {
    let campaign = try campaign(id)
    // Report a change first, because other errors can be consequences of it.
    if let revision = edit.revision { try check(campaign, since: revision) }
    let former = try object(of: campaign)
    var object = edit.document
    for key in ["name", "at"] where object[key] == nil { object[key] = former[key] }
    for key in ["name", "at"] where object[key] == .null { object[key] = nil }
    let document = try Self.document(object)
    object = AlertCatalogue.canonical(object)
    var edited = campaign
    edited.name = document.name
    edited.document = object.bytes
    edited.topic = document.topic
    edited.environment = document.environment?.name
    if let audience = edit.audience { edited.audience = audience }
    if let rate = edit.rate { edited.rate = rate }
    // A draft that keeps its own time can still be edited.
    if edit.document["at"]?.stringValue != nil { try checkTime(of: edited, document, object) }
    let startsLater = try startsLater(edited, document)
    return try change(
      id, .editRequested(startsLater: startsLater, isHeld: edit.isHeld), edited: edited,
      since: edit.revision)
  }

  /// Adds a draft with the content of another campaign, but without its send time.
  func copy(_ id: String) throws(Failure) -> CampaignRecord {
    let campaign = try campaign(id)
    var object = try object(of: campaign)
    object["name"] = .string(CampaignName.ofCopy(campaign.name ?? CampaignName.of(object)))
    object["at"] = nil
    let document = try Self.document(object)
    let copy = CampaignRecord(
      id: Self.newID(), name: document.name, createdMilliseconds: SystemClock.unixMilliseconds,
      document: object.bytes, topic: campaign.topic, audience: campaign.audience,
      rate: campaign.rate, environment: campaign.environment)
    try stored { () throws(StorageFailure) in
      try registry.store.addCampaign(copy, copying: id)
    }
    return copy
  }

  /// Returns the content of a campaign, in the format that a request to add a campaign uses, and its revision.
  func content(
    _ id: String
  ) throws(Failure) -> (document: JSONObject, revision: CampaignRevision) {
    let campaign = try campaign(id)
    var object = try object(of: campaign)
    let revision = CampaignRevision(campaign, object)
    // Earlier versions stored the languages as the campaign spelled them.
    object = AlertCatalogue.canonical(object)
    object["name"] = .string(campaign.name ?? CampaignName.of(object))
    object["to"] = .string(campaign.audience.text)
    object["rate"] = campaign.rate.map { .integer($0) }
    return (object, revision)
  }

  /// Appends recipients to the list of a campaign that has not started.
  func append(
    _ recipients: [RegistrationRequest], to id: String
  ) throws(Failure) -> Int {
    _ = try listed(id)
    let sealed = recipients.map { registry.sealer.seal($0.token) }
    // Hold the lock: if the campaign started in the meantime, it would not be sent to the new recipients.
    return try transitions.withLock { _ throws(Failure) in
      let campaign = try listed(id)
      let registrations = zip(recipients, sealed).map { one, sealed in
        one.registration(sealed: sealed, topic: campaign.topic)
      }
      return try stored { () throws(StorageFailure) in
        try registry.store.appendRecipients(registrations, to: id)
      }
    }
  }

  /// Empties the list of a campaign that has not started.
  func clearRecipients(of id: String) throws(Failure) {
    try transitions.withLock { _ throws(Failure) in
      _ = try listed(id)
      try stored { () throws(StorageFailure) in try registry.store.clearRecipients(of: id) }
    }
  }

  private func listed(_ id: String) throws(Failure) -> CampaignRecord {
    let campaign = try campaign(id)
    guard campaign.state == .draft, campaign.audience == .list else {
      throw .conflict(
        "campaign \(id) does not accept a list of recipients",
        advice: "only a draft with \"to\":\"list\" accepts one")
    }
    return campaign
  }

  /// Validates a campaign that has not been added, and returns a preview of it.
  func preview(
    _ object: JSONObject, audience: CampaignAudience
  ) throws(Failure) -> CampaignPreview {
    let document = try Self.document(object)
    return try preview(
      document, audience, campaign: "", at: object["at"]?.stringValue, isDraft: true)
  }

  /// Validates new content for an added campaign, and returns a preview of the campaign with this content.
  ///
  /// Without an audience, the preview is for the campaign's own audience.
  func preview(
    _ object: JSONObject, audience: CampaignAudience?, replacing id: String
  ) throws(Failure) -> CampaignPreview {
    let campaign = try campaign(id)
    let document = try Self.document(object)
    let current = try self.object(of: campaign)
    return try preview(
      document, audience ?? campaign.audience, campaign: id,
      at: (object["at"] ?? current["at"])?.stringValue, isDraft: true)
  }

  /// Returns a preview of an added campaign.
  func preview(_ id: String) throws(Failure) -> CampaignPreview {
    let campaign = try campaign(id)
    // While a campaign is being sent, the dead tokens of its list leave the registry.
    let isListNew =
      campaign.audience == .list && (campaign.state == .draft || campaign.state == .scheduled)
    let unregistered = try stored { () throws(StorageFailure) in
      try isListNew
        ? registry.store.unregisteredRecipients(of: id, topic: campaign.topic) : 0
    }
    return try preview(
      document(of: campaign), campaign.audience, campaign: id,
      at: try object(of: campaign)["at"]?.stringValue, isDraft: campaign.state == .draft,
      unregistered: unregistered)
  }

  private func preview(
    _ document: CampaignDocument, _ audience: CampaignAudience, campaign: String, at: String?,
    isDraft: Bool, unregistered: Int64 = 0
  ) throws(Failure) -> CampaignPreview {
    let shares = try stored { () throws(StorageFailure) in
      try registry.store.shares(
        of: audience, campaign: campaign, topic: document.topic,
        environment: document.environment?.name)
    }
    return CampaignPreview(
      document, to: audience, shares: shares, zones: registry.zones,
      service: (try? service())?.environment, unregistered: unregistered,
      notices: registry.store.notices, unixSeconds: Int(clock.unixSeconds),
      passedTime: isDraft ? at.map(Self.passedTime) : nil)
  }

  private static func newID() -> String { Hexadecimal.encode(SystemRandom.bytes(6)) }
}

extension CampaignAudience {
  /// The audience as an operator writes it.
  var text: String {
    switch self {
    case .all: "all"
    case .tag(let name): "tag:\(name)"
    case .user(let name): "user:\(name)"
    case .list: "list"
    }
  }
}
