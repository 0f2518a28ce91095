/// The search for registered tokens.
extension RegistryEngine {
  /// Returns a page of the tokens that match a filter, with numbers above `number`.
  func tokens(
    matching filter: TokenFilter, after number: Int64, limit: Int
  ) throws(StorageFailure) -> TokenPage {
    precondition(limit > 0, "the limit is positive")
    let source: String
    var end = Int64.max
    if filter.sealed != nil {
      source = "token WHERE sealed = ?1"
    } else if filter.tag != nil {
      source = "tag CROSS JOIN token ON token.number = tag.token WHERE tag.name = ?5 AND ?1 IS NULL"
    } else if filter.user != nil {
      source = "token WHERE user = ?3 AND ?1 IS NULL"
    } else {
      // No index covers languages, so each request reads a limited number of rows.
      source = "token WHERE ?1 IS NULL"
      end = number &+ Limits.tokensSearchedMax
      if end < number { end = .max }
    }
    let select = try statement(
      """
      SELECT number, sealed, topic, language, time_zone, user, installation, first, last,
        environment, keys, \(RegistryTable.token.isWhole(of: "token."))
      FROM \(source)
        AND (?2 IS NULL OR topic = ?2) AND (?3 IS NULL OR user = ?3)
        AND (?4 IS NULL OR language = ?4 COLLATE NOCASE
          OR substr(language, 1, length(?4) + 1) = ?4 || '-' COLLATE NOCASE)
        AND (?5 IS NULL OR EXISTS (SELECT 1 FROM tag WHERE tag.token = token.number AND tag.name = ?5))
        AND (?9 IS NULL OR (keys IS NOT NULL) = ?9) AND number > ?6 AND number <= ?7
      ORDER BY number LIMIT ?8
      """)
    try select.bind(1, filter.sealed)
    try select.bind(2, filter.topic)
    try select.bind(3, filter.user)
    try select.bind(4, filter.language)
    try select.bind(5, filter.tag)
    try select.bind(6, number)
    try select.bind(7, end)
    try select.bind(8, Int64(limit))
    try select.bind(9, filter.isWebPush.map { $0 ? 1 : 0 as Int64 })
    let tokens = try registeredTokens(select)
    if tokens.count == limit { return TokenPage(tokens: tokens, next: tokens.last?.number) }
    guard end != .max else { return TokenPage(tokens: tokens, next: nil) }
    let last = try lastNumber(of: .all, campaign: "")
    return TokenPage(tokens: tokens, next: end >= last ? nil : end)
  }
}
