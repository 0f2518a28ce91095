internal import Storage

extension PostgresRegistryStore {
  typealias Statement = PostgresConnection.Statement

  /// Returns a statement that calls a function that writes, with the epoch, the number, and `count` parameters.
  ///
  /// The statement returns one row per result.
  private static func call(_ name: StaticString, _ count: Int) -> Statement {
    assert(count >= 0, "a function has parameters")
    let values = (1...count + 2).map { "$\($0)" }.joined(separator: ", ")
    return Statement(name: name, sql: "SELECT unnest(\(name)(\(values)))")
  }

  static let link = call("registry_link", 1)
  static let register = call("registry_subscribe", 13)
  static let remove = call("registry_remove", 2)
  static let removeDead = call("registry_remove_dead", 4)
  static let addCampaign = call("campaign_add", 15)
  static let replaceCampaign = call("campaign_replace", 14)
  static let updateCampaign = call("campaign_update", 6)
  static let removeCampaign = call("campaign_remove", 1)
  static let clearRecipients = call("campaign_clear", 1)
  static let trimRecipients = call("campaign_trim", 2)
  static let appendRecipients = call("campaign_append", 6)
  static let start = call("campaign_start", 10)
  static let unstart = call("campaign_unstart", 4)
  static let claim = call("campaign_claim", 11)
  static let settle = call("campaign_settle", 14)
  static let probe = Statement(
    name: "registry_probe", sql: "SELECT registry_begin($1, $2)")

  // MARK: Tokens

  static let hasTables = Statement(
    name: "registry_has_tables", sql: "SELECT to_regclass('registry_progress') IS NOT NULL")
  static let folder = Statement(
    name: "registry_folder", sql: "SELECT folder FROM registry_progress")
  static let tokenCount = Statement(
    name: "registry_token_count",
    sql: "SELECT coalesce(sum(tokens), 0)::bigint FROM registry_count")
  static let lastToken = Statement(
    name: "registry_last_token", sql: "SELECT coalesce(max(number), 0) FROM registry_token")
  static let departures = Statement(
    name: "registry_departures", sql: "SELECT topic, tokens FROM registry_departure")
  static let shares = Statement(
    name: "registry_shares",
    sql: """
      SELECT topic, language, environment, (keys IS NOT NULL)::int::bigint, count(*)
      FROM registry_token GROUP BY 1, 2, 3, 4 ORDER BY 1, 5 DESC
      """)
  static let tokens = Statement(
    name: "registry_tokens",
    sql: "\(tokenColumns) WHERE t.number > $1 ORDER BY t.number LIMIT $2")

  private static let tokenColumns = """
    SELECT t.number, t.sealed, t.topic, t.language, t.time_zone, t.user_name, t.installation,
      t.first, t.last, t.environment, t.keys,
      ARRAY(SELECT o.name FROM registry_tag o WHERE o.token = t.number ORDER BY o.name)
    FROM registry_token t
    """

  /// The conditions of a search; like SQLite's, the comparison of languages ignores the case of ASCII letters.
  private static let conditions = """
    AND ($2::text IS NULL OR t.topic = $2) AND ($3::text IS NULL OR t.user_name = $3)
    AND ($4::text IS NULL OR lower(t.language) = lower($4 COLLATE "C")
      OR substr(lower(t.language), 1, length($4) + 1) = lower($4 COLLATE "C") || '-')
    AND ($5::text IS NULL OR EXISTS (
      SELECT 1 FROM registry_tag o WHERE o.token = t.number AND o.name = $5))
    AND ($9::bigint IS NULL OR (t.keys IS NOT NULL)::int = $9)
    AND t.number > $6 AND t.number <= $7 ORDER BY t.number LIMIT $8
    """

  private static let searchByToken = Statement(
    name: "registry_search_token", sql: "\(tokenColumns) WHERE t.sealed = $1 \(conditions)")
  private static let searchByTag = Statement(
    name: "registry_search_tag",
    sql: """
      \(tokenColumns) JOIN registry_tag g ON g.token = t.number
      WHERE g.name = $5 AND g.token > $6 AND g.token <= $7 AND $1::bytea IS NULL \(conditions)
      """)
  private static let searchByUser = Statement(
    name: "registry_search_user",
    sql: "\(tokenColumns) WHERE t.user_name = $3 AND $1::bytea IS NULL \(conditions)")
  private static let searchAll = Statement(
    name: "registry_search_all", sql: "\(tokenColumns) WHERE $1::bytea IS NULL \(conditions)")

  /// Returns the statement that finds tokens through the best index; all variants have the same parameters.
  static func search(_ filter: TokenFilter) -> Statement {
    if filter.sealed != nil { return searchByToken }
    if filter.tag != nil { return searchByTag }
    return filter.user != nil ? searchByUser : searchAll
  }

  // MARK: Campaigns

  static let campaignIDs = Statement(
    name: "campaign_ids",
    sql: "SELECT id FROM campaign WHERE $1::text IS NULL OR state = $1 ORDER BY created, id")

  /// The beginning of a query for campaigns; a document is omitted if it has more bytes than parameter $1.
  private static let campaignColumns = """
    SELECT id, created, CASE WHEN length(document) <= $1 THEN document ELSE '' END, topic, audience,
      subject, rate, state, problem, total, last_number, finished, environment, name
    FROM campaign
    """
  static let allCampaigns = Statement(
    name: "campaigns", sql: "\(campaignColumns) ORDER BY created, id")
  static let campaignOfID = Statement(
    name: "campaign_of_id", sql: "\(campaignColumns) WHERE id = $2")
  static let campaignsOfTopic = Statement(
    name: "campaigns_of_topic",
    sql: "\(campaignColumns) WHERE topic = $2 ORDER BY created DESC, id LIMIT $3")
  static let groups = Statement(
    name: "campaign_groups",
    sql: """
      SELECT number, any_zone, time_zone, claimed FROM campaign_group WHERE campaign = $1
      ORDER BY number
      """)
  static let batches = Statement(
    name: "campaign_batches",
    sql: """
      SELECT number, leg, after, last, claimed, numbers, sent FROM campaign_batch
      WHERE campaign = $1 ORDER BY number
      """)
  static let tallies = Statement(
    name: "campaign_tallies",
    sql: """
      SELECT outcome, reason, language, count FROM campaign_tally WHERE campaign = $1
      ORDER BY outcome, reason, language
      """)
  /// The keys of a recipient's Web Push subscription; null for a device token, and for a recipient of a list that was
  /// supplied with the campaign, which contains only device tokens.
  private static let keysOfRecipient = """
    (SELECT t.keys FROM registry_token t
      WHERE $3 <> 'list' AND t.sealed = r.found_sealed AND t.topic = $2)
    """
  static let recipients = Statement(
    name: "campaign_recipients_of_batch",
    sql: """
      SELECT r.*, \(keysOfRecipient)
      FROM campaign_recipients($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL) r
      """)
  /// The recipients of the batch that the previous statement of the transaction claimed.
  static let claimedRecipients = Statement(
    name: "campaign_claimed_recipients",
    sql: """
      SELECT r.*, \(keysOfRecipient)
      FROM registry_progress p CROSS JOIN LATERAL campaign_recipients(
        $1, $2, $3, $4, $5, $6, $7, p.results[2], p.results[3], NULL) r
      WHERE cardinality(p.results) = 3
      """)

  // MARK: Audiences

  private static let shareColumns = """
    SELECT t.language, t.time_zone, t.environment, (t.keys IS NOT NULL)::int::bigint, count(*)
    """
  private static let shareGroups = """
    AND ($3::text IS NULL OR t.environment IS NULL OR t.environment = $3)
    GROUP BY 1, 2, 3, 4 ORDER BY 1 NULLS FIRST, 2 NULLS FIRST, 3 NULLS FIRST, 4
    """
  private static let sharesOfAll = Statement(
    name: "campaign_shares_all",
    sql: """
      \(shareColumns) FROM registry_token t WHERE t.topic = $1 AND $2::text IS NOT NULL
      \(shareGroups)
      """)
  private static let sharesOfTag = Statement(
    name: "campaign_shares_tag",
    sql: """
      \(shareColumns) FROM registry_tag g JOIN registry_token t ON t.number = g.token
      WHERE g.name = $2 AND t.topic = $1 \(shareGroups)
      """)
  private static let sharesOfUser = Statement(
    name: "campaign_shares_user",
    sql: """
      \(shareColumns) FROM registry_token t WHERE t.user_name = $2 AND t.topic = $1 \(shareGroups)
      """)
  private static let sharesOfList = Statement(
    name: "campaign_shares_list",
    sql: """
      SELECT t.language, t.time_zone, t.environment, 0::bigint, count(*)
      FROM campaign_recipient t WHERE t.campaign = $2 AND $1::text IS NOT NULL
      \(shareGroups)
      """)

  static let unregisteredRecipients = Statement(
    name: "campaign_unregistered",
    sql: """
      SELECT count(*) FROM campaign_recipient t WHERE t.campaign = $1 AND NOT EXISTS (
        SELECT 1 FROM registry_token o WHERE o.sealed = t.sealed AND o.topic = $2)
      """)

  /// Returns the statement that counts an audience; all variants have the same parameters.
  static func shares(of audience: CampaignAudience) -> Statement {
    switch audience {
    case .all: sharesOfAll
    case .tag: sharesOfTag
    case .user: sharesOfUser
    case .list: sharesOfList
    }
  }
}
