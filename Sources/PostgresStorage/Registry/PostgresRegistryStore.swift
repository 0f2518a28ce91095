public import Storage
internal import Synchronization
internal import System

/// The token registry and its campaigns in a PostgreSQL database.
///
/// Each write is one transaction and one round trip. It calls a function of the database that reads, decides, and writes
/// while it holds a lock; see `PostgresRegistrySchema` for how a write is repeated if its result is unknown.
public final class PostgresRegistryStore: RegistryStore {
  let server: PostgresServer
  /// The connection for reads, so that pages of the console do not wait for writes.
  private let reader: PostgresServer
  private let node: PostgresNode
  /// The number of the last write of this process; the database rejects older writes.
  private let write: Mutex<Int64>
  /// Warnings about the server's settings, one sentence each.
  public let warnings: [String]

  static let schemas = [PostgresNode.schema, PostgresRegistrySchema.schema]

  /// Connects to the database, and brings the registry's tables up to date.
  ///
  /// Throws `.inUse` if another provider service uses the database. Commits of an earlier process that can no longer be
  /// reached fail from now on. If `mayCreate` is false, throws `.unsuitable` if the database does not contain a registry.
  public convenience init(
    _ address: PostgresAddress, mayCreate: Bool = true
  ) throws(StorageFailure) {
    try self.init(
      address, isExclusive: true, mayCreate: mayCreate,
      now: { SystemClock.monotonicNanoseconds })
  }

  /// Connects to the database with a specific monotonic clock, and can share the database, for tests.
  package init(
    _ address: PostgresAddress, isExclusive: Bool, mayCreate: Bool = true,
    now: @escaping @Sendable () -> Int64
  ) throws(StorageFailure) {
    server = try PostgresServer(
      address, name: "registry", lock: isExclusive ? .provider : nil, now: now)
    let settings = try PostgresSettings(of: server)
    if let obstacle = settings.obstacle {
      throw .unsuitable(server: "\(address)", why: obstacle)
    }
    if !mayCreate, try server.read([.init(Self.hasTables)]).first?.integer(0, 0) != 1 {
      throw .unsuitable(
        server: "\(address)",
        why:
          "it does not contain the registry of this provider: restore the database from a backup, "
          + "or choose an empty data folder")
    }
    try server.migrate(Self.schemas)
    node = try PostgresNode(providerOn: server)
    write = Mutex(0)
    reader = try PostgresServer(address, name: "registry", sharing: server.health, now: now)
    warnings = settings.warnings(ofLost: "registrations")
  }

  /// The health of the store, which shows whether the database accepts writes.
  public var health: StoreHealth { server.health }

  /// A value without damage, because rows in PostgreSQL have no checksums.
  public var damage: StoreDamage { .none }

  /// Returns no rows, because rows in PostgreSQL have no checksums.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { [] }

  /// Returns 0, because rows in PostgreSQL have no checksums.
  public func forgetSetAside() throws(StorageFailure) -> Int { 0 }

  /// Performs a write to test whether the database accepts writes.
  public func probe() throws(StorageFailure) { try change(Self.probe, []) }

  /// Returns the identifier of the data folder whose keys sealed the tokens; nil in a new database.
  public func folderID() throws(StorageFailure) -> String? {
    let rows = try read(Self.folder)
    return rows.count > 0 ? rows.optionalText(0, 0) : nil
  }

  /// Stores the identifier of the data folder whose keys seal the tokens.
  public func putFolderID(_ id: String) throws(StorageFailure) {
    assert(!id.isEmpty, "a folder has an identifier")
    try change(Self.link, [.text(id)])
  }

  /// Closes the connections; later calls throw `.closed`.
  public func close() {
    reader.close()
    server.close()
  }

  // MARK: Tokens

  /// Registers several tokens in one transaction.
  public func register(
    _ tokens: [TokenRegistration], at milliseconds: Int64, limit: RegistrationLimit?
  ) throws(StorageFailure) -> [RegistrationChange] {
    assert(limit.map { $0.tokens >= 0 } ?? true, "a limit is never negative")
    guard !tokens.isEmpty else { return [] }
    let codes = try change(
      Self.register, Self.parameters(tokens, at: milliseconds, limit: limit),
      isBulk: tokens.count > Limits.registryBulkTokens)
    let changes = codes.compactMap(RegistrationChange.init(code:))
    guard changes.count == tokens.count else { throw server.invalidRow("registration") }
    return changes
  }

  /// Removes a token from a topic, or from all topics if `topic` is nil.
  ///
  /// Returns true if the token was registered.
  public func remove(_ sealed: [UInt8], topic: String?) throws(StorageFailure) -> Bool {
    let removed = try change(Self.remove, [.data(sealed), .text(topic)]).first ?? 0
    assert(removed <= 1 || topic == nil, "a token is registered only once for a topic")
    return removed > 0
  }

  /// Removes dead tokens that have not been registered again since they became dead.
  ///
  /// Returns the number of removed tokens.
  public func removeDead(_ tokens: [DeadToken]) throws(StorageFailure) -> Int {
    guard !tokens.isEmpty else { return 0 }
    let results = try change(
      Self.removeDead, Self.parameters(tokens), isBulk: tokens.count > Limits.registryBulkTokens)
    let removed = results.first ?? 0
    assert(removed >= 0, "a number of rows is never negative")
    return Int(removed)
  }

  /// Returns the tokens with numbers above `number`, in order.
  public func tokens(
    after number: Int64, limit: Int
  ) throws(StorageFailure) -> [RegisteredToken] {
    assert(limit > 0, "the limit is positive")
    return try registeredTokens(
      try read(Self.tokens, [.integer(number), .integer(Int64(limit))]))
  }

  /// Returns a page of the tokens that match a filter, with numbers above `number`.
  ///
  /// A page can be empty even if the search has not reached its end, because each call reads a limited number of rows.
  public func tokens(
    matching filter: TokenFilter, after number: Int64, limit: Int
  ) throws(StorageFailure) -> TokenPage {
    precondition(limit > 0, "the limit is positive")
    var end = Int64.max
    if filter.sealed == nil, filter.tag == nil, filter.user == nil {
      // No index covers languages, so each request reads a limited number of rows.
      let (sum, isTooHigh) = number.addingReportingOverflow(Limits.tokensSearchedMax)
      if !isTooHigh { end = sum }
    }
    let tokens = try registeredTokens(
      try read(
        Self.search(filter),
        [
          .data(filter.sealed), .text(filter.topic), .text(filter.user), .text(filter.language),
          .text(filter.tag), .integer(number), .integer(end), .integer(Int64(limit)),
          .integer(filter.isWebPush.map { $0 ? 1 : 0 }),
        ]))
    assert(tokens.count <= limit, "a page has at most the requested number of tokens")
    if tokens.count == limit { return TokenPage(tokens: tokens, next: tokens.last?.number) }
    guard end != .max else { return TokenPage(tokens: tokens, next: nil) }
    let last = try read(Self.lastToken)
    return TokenPage(tokens: tokens, next: end >= last.integer(0, 0) ? nil : end)
  }

  /// Returns the number of tokens per app, kind, language, and environment.
  public func shares() throws(StorageFailure) -> [RegistryShare] {
    let rows = try read(Self.shares, isLong: true)
    return (0..<rows.count).map { row in
      RegistryShare(
        topic: rows.text(row, 0), language: rows.optionalText(row, 1),
        environment: rows.optionalText(row, 2), isWebPush: rows.integer(row, 3) != 0,
        count: rows.integer(row, 4))
    }
  }

  /// Returns, for each app, the number of dead tokens that were removed since the store was created.
  public func departures() throws(StorageFailure) -> [String: Int64] {
    let rows = try read(Self.departures)
    return Dictionary(
      (0..<rows.count).map { (rows.text($0, 0), rows.integer($0, 1)) }, uniquingKeysWith: +)
  }

  /// Returns the number of registered tokens.
  public func tokenCount() throws(StorageFailure) -> Int64 {
    let count = try read(Self.tokenCount).integer(0, 0)
    assert(count >= 0, "a number of tokens is never negative")
    return count
  }

  // MARK: Statements

  /// Calls a function that writes, and returns its results.
  ///
  /// The function's first two parameters are the epoch and the number of the write. The lock assigns the numbers in the
  /// order in which the writes are executed.
  @discardableResult
  func change(
    _ statement: PostgresConnection.Statement, _ parameters: [PostgresValue],
    isBulk: Bool = false
  ) throws(StorageFailure) -> [Int64] {
    try change(statement, parameters, then: nil, isBulk: isBulk).results
  }

  /// Calls a function that writes, and returns its results and the rows of a statement that follows in its transaction.
  func change(
    _ statement: PostgresConnection.Statement, _ parameters: [PostgresValue],
    then next: PostgresConnection.Call?, isBulk: Bool = false
  ) throws(StorageFailure) -> (results: [Int64], rows: PostgresRows?) {
    let answers = try write.withLock { write throws(StorageFailure) in
      write += 1
      assert(write > 0, "the numbers of writes increase")
      let call = PostgresConnection.Call(
        statement, [.integer(node.epoch), .integer(write)] + parameters)
      return try server.write(
        [node.fence, call] + (next.map { [$0] } ?? []),
        within: isBulk ? Limits.registryBulkNanoseconds : Limits.serverAnswerNanoseconds)
    }
    guard answers.count >= 2 else { throw server.invalidRow("answer") }
    let results = (0..<answers[1].count).map { answers[1].integer($0, 0) }
    return (results, answers.count > 2 ? answers[2] : nil)
  }

  /// Executes a statement that only reads; `isLong` is true for a statement that visits every token.
  func read(
    _ statement: PostgresConnection.Statement, _ parameters: [PostgresValue] = [],
    isLong: Bool = false
  ) throws(StorageFailure) -> PostgresRows {
    guard
      let rows = try reader.read(
        [.init(statement, parameters)],
        within: isLong ? Limits.registryReadNanoseconds : Limits.serverAnswerNanoseconds
      ).first
    else { throw server.invalidRow("answer") }
    return rows
  }

  private func registeredTokens(_ rows: PostgresRows) throws(StorageFailure) -> [RegisteredToken] {
    var tokens: [RegisteredToken] = []
    tokens.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      guard let token = Self.token(rows, row) else { throw server.invalidRow("token") }
      tokens.append(token)
    }
    return tokens
  }
}
