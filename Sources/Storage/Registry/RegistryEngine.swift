/// The registry's database connection, which is used only under the store's lock.
final class RegistryEngine: ChecksummedStoreEngine {
  let database: SQLiteDatabase
  let damage: StoreDamage
  private var statements: [String: SQLiteStatement] = [:]  // text: statements of our own
  /// The number of tokens for each topic that was counted since the last failed change.
  private var tokenCounts: [String: Int64] = [:]  // text: topics are ASCII

  init(path: String, mayCreate: Bool, damage: StoreDamage) throws(StorageFailure) {
    database = try SQLiteDatabase(path: path, schema: Self.schema, mayCreate: mayCreate)
    self.damage = damage
    try noteDamage()
  }

  /// The number of rows that this connection has changed.
  var changeCount: Int64 { database.changeCount }

  /// Returns the cached prepared statement for this SQL, or prepares it on first use.
  func statement(_ sql: String) throws(StorageFailure) -> SQLiteStatement {
    if let kept = statements[sql] { return kept }
    let prepared = try database.prepare(kept: sql)
    statements[sql] = prepared
    return prepared
  }

  /// Advances to the next row, and returns false at the end.
  ///
  /// The last column indicates whether the row is unchanged since it was written; a damaged row causes an error.
  func step(_ select: SQLiteStatement) throws(StorageFailure) -> Bool {
    guard try select.step() else { return false }
    guard select.integer(select.columnCount - 1) != 0 else {
      select.reset()
      throw .damagedRow(path: database.path, table: "registry")
    }
    return true
  }

  // MARK: Tokens

  /// Adds or renews a token.
  ///
  /// A limit applies only to a new token that does not replace the installation's previous token.
  func register(
    _ token: TokenRegistration, at milliseconds: Int64, limit: RegistrationLimit? = nil
  ) throws(StorageFailure) -> RegistrationChange {
    let known = try number(of: token)
    let former = try removeFormer(of: token)
    if let limit, known == nil, former == nil, try count(of: limit.topics) >= limit.tokens {
      return .full
    }
    let upsert = try statement(
      """
      INSERT INTO token
        (topic, sealed, language, time_zone, user, installation, first, last, environment, number,
        keys)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10)
      ON CONFLICT (sealed, topic) DO UPDATE SET
        language = ?3, time_zone = ?4, user = ?5, installation = ?6, last = max(last, ?7),
        environment = ?8, keys = ?10
      RETURNING number
      """)
    try upsert.bind(1, token.topic)
    try upsert.bind(2, token.sealed)
    try upsert.bind(3, token.language)
    try upsert.bind(4, token.timeZone)
    try upsert.bind(5, token.user)
    try upsert.bind(6, token.installation)
    try upsert.bind(7, milliseconds)
    try upsert.bind(8, token.environment)
    // Reuse the number of the installation's previous token. A running campaign then reaches the installation only
    // once, through either the previous token or the new one.
    try upsert.bind(9, known == nil ? former : nil)
    try upsert.bind(10, token.keys)
    guard try upsert.step() else {
      throw .corrupt(path: database.path, detail: "a token that was written has no number")
    }
    let number = upsert.integer(0)
    upsert.reset()
    assert(known == nil || known == number, "a token keeps its number")
    if known == nil { tokenCounts[token.topic]? += 1 }
    try setTags(token.tags, of: number, isNew: known == nil)
    return known != nil ? .renewed : former != nil ? .replaced : .added
  }

  /// Removes the installation's previous token.
  ///
  /// Returns the previous token's number; nil if the installation had no token.
  private func removeFormer(of token: TokenRegistration) throws(StorageFailure) -> Int64? {
    guard let installation = token.installation else { return nil }
    let remove = try statement(
      "DELETE FROM token WHERE installation = ?1 AND topic = ?2 AND sealed <> ?3 RETURNING number")
    try remove.bind(1, installation)
    try remove.bind(2, token.topic)
    try remove.bind(3, token.sealed)
    var former: Int64?
    while try remove.step() {
      assert(former == nil, "an installation has one token for a topic")
      former = remove.integer(0)
      tokenCounts[token.topic]? -= 1
    }
    remove.reset()
    return former
  }

  /// Returns the total number of tokens of these topics.
  ///
  /// The numbers are cached, because the limit is checked for each new token.
  private func count(of topics: [String]) throws(StorageFailure) -> Int64 {
    var sum: Int64 = 0
    for topic in topics {
      if let known = tokenCounts[topic] {
        sum += known
        continue
      }
      let select = try statement("SELECT count(*) FROM token WHERE topic = ?1")
      try select.bind(1, topic)
      guard try select.step() else { continue }
      let count = select.integer(0)
      select.reset()
      tokenCounts[topic] = count
      sum += count
    }
    assert(sum >= 0, "a number of tokens is never negative")
    return sum
  }

  /// Discards the cached counts, because a change was rolled back.
  func forgetCounts() { tokenCounts = [:] }

  private func number(of token: TokenRegistration) throws(StorageFailure) -> Int64? {
    let find = try statement(
      "SELECT number, \(RegistryTable.token.isWhole) FROM token WHERE sealed = ?1 AND topic = ?2")
    try find.bind(1, token.sealed)
    try find.bind(2, token.topic)
    guard try step(find) else { return nil }
    let number = find.integer(0)
    find.reset()
    return number
  }

  private func setTags(
    _ tags: [String], of number: Int64, isNew: Bool
  ) throws(StorageFailure) {
    if !isNew {
      let remove = try statement("DELETE FROM tag WHERE token = ?1")
      try remove.bind(1, number)
      try remove.run()
    }
    let insert = try statement("INSERT OR IGNORE INTO tag VALUES (?1, ?2)")
    for tag in tags {
      try insert.bind(1, tag)
      try insert.bind(2, number)
      try insert.run()
    }
  }

  /// Removes a token from a topic, or from all topics if `topic` is nil.
  ///
  /// Returns the number of removed rows.
  func remove(_ sealed: [UInt8], topic: String?) throws(StorageFailure) -> Int {
    let remove = try statement(
      "DELETE FROM token WHERE sealed = ?1 AND (?2 IS NULL OR topic = ?2) RETURNING topic")
    try remove.bind(1, sealed)
    try remove.bind(2, topic)
    var rows = 0
    while try remove.step() {
      rows += 1
      tokenCounts[remove.text(0)]? -= 1
    }
    return rows
  }

  /// Removes a dead token that has not been registered again since it became dead.
  ///
  /// Returns the number of removed rows.
  func removeDead(_ token: DeadToken) throws(StorageFailure) -> Int {
    let remove = try statement(
      """
      DELETE FROM token WHERE sealed = ?1 AND (?2 IS NULL OR topic = ?2) AND last <= ?3
        AND (?4 IS NULL OR environment = ?4)
      RETURNING topic
      """)
    try remove.bind(1, token.sealed)
    try remove.bind(2, token.topic)
    try remove.bind(3, token.sinceMilliseconds)
    try remove.bind(4, token.environment)
    var topics: [String] = []
    while try remove.step() { topics.append(remove.text(0)) }
    let departure = try statement(
      "INSERT INTO departure VALUES (?1, 1) ON CONFLICT (topic) DO UPDATE SET count = count + 1")
    for topic in topics {
      tokenCounts[topic]? -= 1
      try departure.bind(1, topic)
      try departure.run()
    }
    assert(token.topic == nil || topics.count <= 1, "a token is registered only once for a topic")
    return topics.count
  }

  func tokens(after number: Int64, limit: Int) throws(StorageFailure) -> [RegisteredToken] {
    let select = try statement(
      """
      SELECT number, sealed, topic, language, time_zone, user, installation, first, last,
        environment, keys, \(RegistryTable.token.isWhole)
      FROM token WHERE number > ?1 ORDER BY number LIMIT ?2
      """)
    try select.bind(1, number)
    try select.bind(2, Int64(limit))
    return try registeredTokens(select)
  }

  /// Reads the rows of a selection of tokens with their tags.
  func registeredTokens(_ select: SQLiteStatement) throws(StorageFailure) -> [RegisteredToken] {
    var tokens: [RegisteredToken] = []
    while try step(select) {
      let number = select.integer(0)
      let registration = TokenRegistration(
        sealed: select.bytes(1), topic: select.text(2), language: select.optionalText(3),
        timeZone: select.optionalText(4), user: select.optionalText(5),
        installation: select.optionalText(6), tags: try tags(of: number),
        environment: select.optionalText(9), keys: select.optionalBytes(10))
      tokens.append(
        RegisteredToken(
          number: number, registration: registration, firstMilliseconds: select.integer(7),
          lastMilliseconds: select.integer(8)))
    }
    return tokens
  }

  private func tags(of number: Int64) throws(StorageFailure) -> [String] {
    let select = try statement(
      "SELECT name, \(RegistryTable.tag.isWhole) FROM tag WHERE token = ?1 ORDER BY name")
    try select.bind(1, number)
    var tags: [String] = []
    while try step(select) { tags.append(select.text(0)) }
    return tags
  }

  /// Returns the number of tokens per app, kind, language, and environment.
  func shares() throws(StorageFailure) -> [RegistryShare] {
    let select = try statement(
      """
      SELECT topic, language, environment, keys IS NOT NULL, count(*) FROM token
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 5 DESC
      """)
    var shares: [RegistryShare] = []
    while try select.step() {
      shares.append(
        RegistryShare(
          topic: select.text(0), language: select.optionalText(1),
          environment: select.optionalText(2), isWebPush: select.integer(3) != 0,
          count: select.integer(4)))
    }
    return shares
  }

  /// Returns, for each app, the number of dead tokens that were removed since the store was created.
  func departures() throws(StorageFailure) -> [String: Int64] {
    let select = try statement(
      "SELECT topic, count, \(RegistryTable.departure.isWhole) FROM departure")
    var departures: [String: Int64] = [:]
    while try step(select) { departures[select.text(0)] = select.integer(1) }
    assert(departures.values.allSatisfy { $0 > 0 }, "every listed app has at least one dead token")
    return departures
  }

  /// Writes a row and removes it, so that the transaction's commit involves the disk.
  func probe() throws(StorageFailure) {
    let topic = ""  // No app has it.
    let write = try statement("INSERT INTO departure VALUES (?1, 1)")
    try write.bind(1, topic)
    try write.run()
    let remove = try statement("DELETE FROM departure WHERE topic = ?1")
    try remove.bind(1, topic)
    try remove.run()
  }

  func tokenCount() throws(StorageFailure) -> Int64 {
    try database.integer("SELECT count(*) FROM token")
  }

  /// Counts the rows that a statement returns.
  private func count(_ statement: SQLiteStatement) throws(StorageFailure) -> Int {
    var rows = 0
    while try statement.step() { rows += 1 }
    return rows
  }
}
