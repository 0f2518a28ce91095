internal import Storage

/// The conversion of records to parameters, and of rows to records; an invalid row yields nil.
extension PostgresRegistryStore {
  // MARK: Parameters

  /// Returns the parameters of `registry_subscribe` after the epoch and the number.
  static func parameters(
    _ tokens: [TokenRegistration], at milliseconds: Int64, limit: RegistrationLimit?
  ) -> [PostgresValue] {
    var tagEnds: [Int64] = []
    var tags: [String] = []
    for token in tokens {
      tags += token.tags
      tagEnds.append(Int64(tags.count))
    }
    assert(tagEnds.count == tokens.count, "each token has a range of tags")
    return [
      .integer(milliseconds), .integer(limit?.tokens), .texts(limit?.topics ?? []),
      .texts(tokens.map(\.topic)), .datas(tokens.map(\.sealed)), .texts(tokens.map(\.language)),
      .texts(tokens.map(\.timeZone)), .texts(tokens.map(\.user)),
      .texts(tokens.map(\.installation)), .texts(tokens.map(\.environment)),
      .integers(tagEnds), .texts(tags), .datas(tokens.map(\.keys)),
    ]
  }

  static func parameters(_ dead: [DeadToken]) -> [PostgresValue] {
    [
      .datas(dead.map(\.sealed)), .texts(dead.map(\.topic)),
      .integers(dead.map(\.sinceMilliseconds)), .texts(dead.map(\.environment)),
    ]
  }

  /// Returns the columns of a campaign, in order.
  static func parameters(_ campaign: CampaignRecord) -> [PostgresValue] {
    assert(!campaign.id.isEmpty, "a campaign has an ID")
    return [
      .text(campaign.id), .integer(campaign.createdMilliseconds), .data(campaign.document),
      .text(campaign.topic), .text(campaign.audience.kind),
      .text(campaign.audience.subject ?? ""), .integer(campaign.rate),
      .text(campaign.state.rawValue), .text(campaign.problem), .integer(campaign.total),
      .integer(campaign.lastNumber), .integer(campaign.finishedMilliseconds),
      .text(campaign.environment), .text(campaign.name),
    ]
  }

  /// Returns the first seven parameters of `campaign_recipients`.
  static func parameters(
    _ campaign: CampaignRecord, _ zone: ZoneGroup.Zone
  ) -> [PostgresValue] {
    [
      .text(campaign.id), .text(campaign.topic), .text(campaign.audience.kind),
      .text(campaign.audience.subject ?? ""), .text(campaign.environment), .flag(zone == .any),
      .text(name(of: zone)),
    ]
  }

  /// Returns the name of a time zone; nil for any zone, and for devices without a zone.
  static func name(of zone: ZoneGroup.Zone) -> String? {
    switch zone {
    case .any: nil
    case .named(let name): name
    }
  }

  /// Encodes each number in eight bytes, big-endian.
  static func bytes(_ numbers: [Int64]) -> [UInt8] {
    numbers.flatMap { number in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Int64($0)) }
    }
  }

  private static func numbers(_ bytes: [UInt8]) -> [Int64] {
    assert(bytes.count.isMultiple(of: 8), "each number has eight bytes")
    return stride(from: 0, to: bytes.count - 7, by: 8).map { start in
      bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
    }
  }

  // MARK: Records

  static func token(_ rows: PostgresRows, _ row: Int) -> RegisteredToken? {
    rows.texts(row, 11).map { tags in
      RegisteredToken(
        number: rows.integer(row, 0),
        registration: TokenRegistration(
          sealed: rows.bytes(row, 1), topic: rows.text(row, 2),
          language: rows.optionalText(row, 3), timeZone: rows.optionalText(row, 4),
          user: rows.optionalText(row, 5), installation: rows.optionalText(row, 6), tags: tags,
          environment: rows.optionalText(row, 9), keys: rows.optionalBytes(row, 10)),
        firstMilliseconds: rows.integer(row, 7), lastMilliseconds: rows.integer(row, 8))
    }
  }

  static func campaign(_ rows: PostgresRows, _ row: Int) -> CampaignRecord? {
    guard let audience = CampaignAudience(kind: rows.text(row, 4), subject: rows.text(row, 5)),
      let state = CampaignRecord.State(rawValue: rows.text(row, 7))
    else { return nil }
    return CampaignRecord(
      id: rows.text(row, 0), name: rows.optionalText(row, 13),
      createdMilliseconds: rows.integer(row, 1), document: rows.bytes(row, 2),
      topic: rows.text(row, 3), audience: audience, rate: rows.optionalInteger(row, 6),
      environment: rows.optionalText(row, 12), state: state, problem: rows.optionalText(row, 8),
      total: rows.integer(row, 9), lastNumber: rows.integer(row, 10),
      finishedMilliseconds: rows.optionalInteger(row, 11))
  }

  static func recipients(_ rows: PostgresRows) -> [CampaignRecipient] {
    let recipients = (0..<rows.count).map { row in
      CampaignRecipient(
        number: rows.integer(row, 0), sealed: rows.bytes(row, 1),
        language: rows.optionalText(row, 2), keys: rows.optionalBytes(row, 3))
    }
    assert(
      zip(recipients, recipients.dropFirst()).allSatisfy { $0.number < $1.number },
      "recipients are in ascending order")
    return recipients
  }

  static func batch(_ rows: PostgresRows, _ row: Int) -> CampaignBatch {
    CampaignBatch(
      number: rows.integer(row, 0), group: Int(rows.integer(row, 1)), after: rows.integer(row, 2),
      last: rows.integer(row, 3), claimedMilliseconds: rows.integer(row, 4),
      unsettled: rows.isNull(row, 5) ? nil : numbers(rows.bytes(row, 5)),
      isSent: rows.integer(row, 6) != 0)
  }

  static func tally(_ rows: PostgresRows, _ row: Int) -> CampaignTally? {
    CampaignTally(
      storedOutcome: rows.text(row, 0), reason: rows.text(row, 1), language: rows.text(row, 2),
      count: rows.integer(row, 3))
  }
}

extension RegistrationChange {
  /// Creates a change from a result of `registry_register`.
  init?(code: Int64) {
    switch code {
    case 1: self = .added
    case 2: self = .replaced
    case 3: self = .renewed
    case 4: self = .full
    default: return nil
    }
  }
}

extension PostgresValue {
  /// Returns a `bigint`: 1 for true.
  static func flag(_ isSet: Bool) -> PostgresValue { .integer(isSet ? 1 : 0) }
}
