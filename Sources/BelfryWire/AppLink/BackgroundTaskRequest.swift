/// An app's request to be started for a task in the background (`BGTaskRequest`).
public struct BackgroundTaskRequest: Sendable, Hashable {
  /// What a task is for.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A short one, to bring the app's content up to date.
    case refresh
    /// A longer one.
    case processing
    /// A longer one of a study about health.
    case research
  }

  /// The task's identifier: another request with the same one replaces it.
  public var id: String
  /// What the task is for.
  public var kind: Kind
  /// The earliest start in milliseconds since 1970; nil for as soon as possible.
  public var earliestUnixMilliseconds: Int64?
  /// Whether it waits for a network.
  public var needsNetwork = false
  /// Whether it waits for the machine to be charged.
  public var needsPower = false

  /// A request that waits for nothing but its time.
  public init(id: String, kind: Kind, earliestUnixMilliseconds: Int64? = nil) {
    self.id = id
    self.kind = kind
    self.earliestUnixMilliseconds = earliestUnixMilliseconds
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    id = try fields.string("id")
    guard !id.isEmpty, id.utf8.count <= WireLimits.backgroundTaskIDBytesMax else {
      throw .unexpected(field: "id")
    }
    kind = try fields.word("kind")
    earliestUnixMilliseconds = try fields.optionalInteger("earliest")
    needsNetwork = try fields.bool("needsNetwork")
    needsPower = try fields.bool("needsPower")
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("id", id)
    builder.set("kind", kind.rawValue)
    builder.set("earliest", earliestUnixMilliseconds)
    builder.set("needsNetwork", needsNetwork)
    builder.set("needsPower", needsPower)
  }

  /// The request as it is kept.
  public var json: JSONObject {
    var builder = AppLinkBuilder()
    write(&builder)
    return builder.object
  }

  /// Reads what `json` made.
  public init(json: JSONObject) throws(AppLinkDecodingFailure) {
    try self.init(AppLinkFields(json, []))
  }
}
