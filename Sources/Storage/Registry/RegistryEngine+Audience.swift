/// The recipients of a campaign.
extension RegistryEngine {
  /// Returns the number of devices for each kind, language, time zone, and environment.
  func shares(
    of audience: CampaignAudience, campaign: String, topic: String, environment: String?
  ) throws(StorageFailure) -> [AudienceShare] {
    let sql: String =
      switch audience {
      case .all:
        """
        SELECT language, time_zone, environment, keys IS NOT NULL, count(*) FROM token
        WHERE topic = ?1 AND ?2 IS NOT NULL
          AND (?3 IS NULL OR environment IS NULL OR environment = ?3)
        GROUP BY 1, 2, 3, 4
        """
      case .tag:
        """
        SELECT language, time_zone, environment, keys IS NOT NULL, count(*)
        FROM tag JOIN token ON token.number = tag.token
        WHERE tag.name = ?2 AND topic = ?1
          AND (?3 IS NULL OR environment IS NULL OR environment = ?3)
        GROUP BY 1, 2, 3, 4
        """
      case .user:
        """
        SELECT language, time_zone, environment, keys IS NOT NULL, count(*) FROM token
        WHERE user = ?2 AND topic = ?1
          AND (?3 IS NULL OR environment IS NULL OR environment = ?3)
        GROUP BY 1, 2, 3, 4
        """
      case .list:
        """
        SELECT language, time_zone, environment, 0, count(*) FROM recipient
        WHERE campaign = ?2 AND ?1 IS NOT NULL
          AND (?3 IS NULL OR environment IS NULL OR environment = ?3)
        GROUP BY 1, 2, 3, 4
        """
      }
    let select = try statement(sql)
    try select.bind(1, topic)
    try select.bind(2, audience.subject ?? campaign)
    try select.bind(3, environment)
    var shares: [AudienceShare] = []
    while try select.step() {
      shares.append(
        AudienceShare(
          language: select.optionalText(0), timeZone: select.optionalText(1),
          environment: select.optionalText(2), isWebPush: select.integer(3) != 0,
          count: select.integer(4)))
    }
    return shares
  }

  /// Returns the number of tokens in a campaign's own list that are not registered for a topic.
  func unregisteredRecipients(
    of campaign: String, topic: String
  ) throws(StorageFailure) -> Int64 {
    let select = try statement(
      """
      SELECT count(*) FROM recipient
      WHERE campaign = ?1
        AND NOT EXISTS (SELECT 1 FROM token WHERE token.sealed = recipient.sealed AND topic = ?2)
      """)
    try select.bind(1, campaign)
    try select.bind(2, topic)
    let count = try select.step() ? select.integer(0) : 0
    select.reset()
    assert(count >= 0, "a number of tokens is never negative")
    return count
  }

  /// Returns the recipients with numbers above `after` and up to `last`, in order.
  func recipients(
    of campaign: CampaignRecord, zone: ZoneGroup.Zone, after: Int64, upTo last: Int64, limit: Int
  ) throws(StorageFailure) -> [CampaignRecipient] {
    let select = try statement(Self.selection(of: campaign.audience, zone))
    try select.bind(1, campaign.topic)
    let isOfList = zone != .any || campaign.audience == .list
    try select.bind(2, isOfList ? campaign.id : campaign.audience.subject)
    try select.bind(3, after)
    try select.bind(4, last)
    try select.bind(5, Int64(limit))
    switch zone {
    case .any: try select.bind(6, nil as String?)
    case .named(let name): try select.bind(6, name)
    }
    try select.bind(7, campaign.environment)
    var recipients: [CampaignRecipient] = []
    while try step(select) {
      recipients.append(
        CampaignRecipient(
          number: select.integer(0), sealed: select.bytes(1), language: select.optionalText(2),
          keys: select.optionalBytes(3)))
    }
    return recipients
  }

  /// Returns the SQL that selects recipients; all variants have the same parameters.
  ///
  /// Time zones come from the campaign's list, which is created when the campaign starts. A device that later moves to
  /// another time zone therefore stays in its group. A list that was supplied with the campaign contains only device
  /// tokens.
  private static func selection(
    of audience: CampaignAudience, _ zone: ZoneGroup.Zone
  ) -> String {
    switch (audience, zone) {
    case (.list, .any):
      """
      SELECT number, sealed, language, NULL, \(RegistryTable.recipient.isWhole)
      FROM recipient
      WHERE campaign = ?2 AND ?1 IS NOT NULL AND number > ?3 AND number <= ?4 AND ?6 IS NULL
        AND (?7 IS NULL OR environment IS NULL OR environment = ?7)
      ORDER BY number LIMIT ?5
      """
    case (.list, .named):
      """
      SELECT number, sealed, language, NULL, \(RegistryTable.recipient.isWhole)
      FROM recipient INDEXED BY recipient_by_zone
      WHERE campaign = ?2 AND ?1 IS NOT NULL AND number > ?3 AND number <= ?4 AND time_zone IS ?6
        AND (?7 IS NULL OR environment IS NULL OR environment = ?7)
      ORDER BY number LIMIT ?5
      """
    case (_, .named):
      """
      SELECT number, sealed, language,
        (SELECT keys FROM token WHERE token.sealed = recipient.sealed AND topic = ?1),
        \(RegistryTable.recipient.isWhole)
      FROM recipient INDEXED BY recipient_by_zone
      WHERE campaign = ?2 AND number > ?3 AND number <= ?4 AND time_zone IS ?6
        AND EXISTS (SELECT 1 FROM token WHERE token.sealed = recipient.sealed AND topic = ?1)
        AND (?7 IS NULL OR environment IS NULL OR environment = ?7)
      ORDER BY number LIMIT ?5
      """
    case (.all, .any):
      """
      SELECT number, sealed, language, keys, \(RegistryTable.token.isWhole)
      FROM token
      WHERE topic = ?1 AND ?2 IS NOT NULL AND number > ?3 AND number <= ?4 AND ?6 IS NULL
        AND (?7 IS NULL OR environment IS NULL OR environment = ?7)
      ORDER BY number LIMIT ?5
      """
    case (.tag, .any):
      """
      SELECT number, sealed, language, keys, \(RegistryTable.token.isWhole(of: "token."))
      FROM tag JOIN token ON token.number = tag.token
      WHERE tag.name = ?2 AND topic = ?1 AND token > ?3 AND token <= ?4 AND ?6 IS NULL
        AND (?7 IS NULL OR environment IS NULL OR environment = ?7)
      ORDER BY token LIMIT ?5
      """
    case (.user, .any):
      """
      SELECT number, sealed, language, keys, \(RegistryTable.token.isWhole)
      FROM token
      WHERE user = ?2 AND topic = ?1 AND number > ?3 AND number <= ?4 AND ?6 IS NULL
        AND (?7 IS NULL OR environment IS NULL OR environment = ?7)
      ORDER BY number LIMIT ?5
      """
    }
  }

  /// Copies the audience into the campaign's list, with the devices' current time zones.
  func snapshot(_ audience: CampaignAudience, of campaign: CampaignRecord) throws(StorageFailure) {
    let sql: String
    switch audience {
    case .list: return
    case .all:
      sql = """
        INSERT INTO recipient SELECT ?1, number, sealed, language, time_zone, environment FROM token
        WHERE topic = ?2 AND ?3 IS NOT NULL AND \(RegistryTable.token.isWhole)
        """
    case .tag:
      sql = """
        INSERT INTO recipient SELECT ?1, number, sealed, language, time_zone, environment
        FROM tag JOIN token ON token.number = tag.token
        WHERE topic = ?2 AND tag.name = ?3 AND \(RegistryTable.token.isWhole(of: "token."))
        """
    case .user:
      sql = """
        INSERT INTO recipient SELECT ?1, number, sealed, language, time_zone, environment FROM token
        WHERE topic = ?2 AND user = ?3 AND \(RegistryTable.token.isWhole)
        """
    }
    let insert = try statement(sql)
    try insert.bind(1, campaign.id)
    try insert.bind(2, campaign.topic)
    try insert.bind(3, audience.subject)
    try insert.run()
  }

  /// Removes up to `limit` recipients from a finished campaign's list.
  ///
  /// Returns false if the list was already empty.
  func removeRecipients(of campaign: String, limit: Int) throws(StorageFailure) -> Bool {
    let remove = try statement(
      """
      DELETE FROM recipient WHERE campaign = ?1 AND number IN (
        SELECT number FROM recipient WHERE campaign = ?1 ORDER BY number LIMIT ?2)
      """)
    try remove.bind(1, campaign)
    try remove.bind(2, Int64(limit))
    try remove.run()
    return try database.integer("SELECT changes()") > 0
  }

  /// Appends recipients to a campaign's own list, with each token only once.
  ///
  /// Returns the number of new recipients.
  func appendRecipients(
    _ tokens: [TokenRegistration], to campaign: String
  ) throws(StorageFailure) -> Int {
    let highest = try statement("SELECT max(number) FROM recipient WHERE campaign = ?1")
    try highest.bind(1, campaign)
    var number = try highest.step() ? highest.integer(0) : 0
    highest.reset()
    // Data that is missing from the list, such as the language, is taken from the registry.
    let insert = try statement(
      """
      INSERT OR IGNORE INTO recipient
      SELECT ?1, ?2, ?3, coalesce(?4, language), coalesce(?5, time_zone), coalesce(?7, environment)
      FROM (SELECT 1) LEFT JOIN token
        ON sealed = ?3 AND topic = ?6 AND \(RegistryTable.token.isWhole)
      RETURNING number
      """)
    var added = 0
    for token in tokens {
      try insert.bind(1, campaign)
      try insert.bind(2, number + 1)
      try insert.bind(3, token.sealed)
      try insert.bind(4, token.language)
      try insert.bind(5, token.timeZone)
      try insert.bind(6, token.topic)
      try insert.bind(7, token.environment)
      while try insert.step() {
        number += 1
        added += 1
      }
    }
    return added
  }

  /// Returns the highest number in the current audience.
  func lastNumber(
    of audience: CampaignAudience, campaign: String
  ) throws(StorageFailure) -> Int64 {
    guard audience == .list else {
      return try database.integer("SELECT coalesce(max(number), 0) FROM token")
    }
    let select = try statement(
      "SELECT coalesce(max(number), 0) FROM recipient WHERE campaign = ?1")
    try select.bind(1, campaign)
    let last = try select.step() ? select.integer(0) : 0
    select.reset()
    return last
  }
}

extension CampaignAudience {
  /// The kind of audience, as it is stored.
  package var kind: String {
    switch self {
    case .all: "all"
    case .tag: "tag"
    case .user: "user"
    case .list: "list"
    }
  }

  /// The tag or the user; empty for all devices, and nil for a list.
  package var subject: String? {
    switch self {
    case .tag(let name), .user(let name): name
    // Use an empty string, because the column must not be NULL.
    case .all: ""
    case .list: nil
    }
  }

  /// Creates an audience from its stored form; nil if the kind is unknown.
  package init?(kind: String, subject: String) {
    switch kind {
    case "all": self = .all
    case "tag": self = .tag(subject)
    case "user": self = .user(subject)
    case "list": self = .list
    default: return nil
    }
  }
}
