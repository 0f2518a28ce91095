public import Storage

/// The copy of a provider's registry.
///
/// Before the first row, the identifier of the provider's data folder is recorded with a prefix, so that every provider
/// refuses the database until the copy is complete. Each write of a provider has an epoch above 0, so a database with
/// epoch 0 contains at most a copy that no provider has used.
extension PostgresImport {
  private typealias Statement = PostgresConnection.Statement

  /// Connects to the database, and creates the tables of a registry.
  ///
  /// `folderID` is the identifier of the data folder whose keys sealed the tokens. The rows of an earlier copy from the
  /// same folder are removed, unless a provider has used them. Throws `.unsuitable` if the database contains any other
  /// registry, and `.inUse` if a provider uses it.
  public convenience init(
    registryOf folderID: String, in address: PostgresAddress
  ) throws(StorageFailure) {
    assert(!folderID.isEmpty, "a folder has an identifier")
    let server = try Self.connect(address, .provider, PostgresRegistryStore.schemas)
    let unfinished = Self.unfinished + folderID
    let rows = try server.read([.init(Self.hasRegistry, [.text(folderID), .text(unfinished)])])
    if rows.first.map({ $0.count > 0 && $0.integer(0, 0) != 0 }) ?? true {
      throw .unsuitable(
        server: "\(address)",
        why: "it already contains the data of a provider: specify an empty database")
    }
    // The gateway's tables can be in the same database, so only the registry's own tables are emptied.
    _ = try server.write(
      [.init(Self.empty), .init(Self.beginCopy, [.text(unfinished)])],
      within: Limits.registryBulkNanoseconds)
    self.init(
      server, PostgresImportTable.registry, mark: .init(Self.touch), retry: "copy again")
  }

  /// Adds the data that PostgreSQL needs in addition to the copied rows.
  ///
  /// These are the number of tokens of each app, and the highest number that a token of the source has had, so that no
  /// number is used again. Afterward, the provider with the source's folder accepts the database.
  package func finishRegistry(from source: StoreExport) throws(StorageFailure) {
    let highest = try source.highestToken()
    assert(highest >= 0, "the numbers of tokens begin at 1")
    let results = try server.write(
      [
        .init(Self.countTokens),
        .init(Self.complete, [.integer(highest), .text(Self.unfinished)]),
      ],
      within: Limits.registryBulkNanoseconds)
    guard let row = results.last, row.count == 1, row.integer(0, 0) == highest,
      row.integer(0, 1) == row.integer(0, 2)
    else { throw server.invalidRow("registry") }
  }

  /// The prefix of a folder's identifier while its registry is being copied.
  private static let unfinished = "unfinished copy of "

  private static let hasRegistry = Statement(
    name: "has_registry",
    sql: """
      SELECT epoch > 0 OR CASE WHEN folder IS NULL
        THEN EXISTS (SELECT 1 FROM registry_token) OR EXISTS (SELECT 1 FROM campaign)
        ELSE folder NOT IN ($1, $2) END
      FROM registry_progress
      """)
  private static let empty = Statement(
    name: "empty_registry",
    sql: """
      TRUNCATE registry_token, registry_tag, registry_count, registry_departure, campaign,
        campaign_recipient, campaign_group, campaign_batch, campaign_tally
      """)
  private static let beginCopy = Statement(
    name: "begin_registry", sql: "UPDATE registry_progress SET folder = $1, last_token = 0")
  private static let touch = Statement(
    name: "touch_registry", sql: "UPDATE registry_progress SET repeats = 0")
  private static let countTokens = Statement(
    name: "count_copied_tokens",
    sql: """
      INSERT INTO registry_count SELECT topic, count(*) FROM registry_token GROUP BY topic
      ON CONFLICT (topic) DO UPDATE SET tokens = excluded.tokens
      """)
  /// Also returns the number of tokens, counted in both ways.
  private static let complete = Statement(
    name: "complete_registry",
    sql: """
      UPDATE registry_progress SET last_token = $1, folder = replace(folder, $2, '')
      RETURNING last_token, (SELECT count(*) FROM registry_token),
        (SELECT coalesce(sum(tokens), 0)::bigint FROM registry_count)
      """)
}
