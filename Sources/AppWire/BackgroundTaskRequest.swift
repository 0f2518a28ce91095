public import BelfryWire

/// An app's request to be launched for a background task (`BGTaskRequest`).
public struct BackgroundTaskRequest: Sendable, Hashable {
  /// The purpose of a task.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A short task that updates the app's content.
    case refresh
    /// A task that takes longer than a refresh.
    case processing
    /// A longer task for a health study.
    case research
  }

  /// The task's identifier.
  ///
  /// Another request with the same identifier replaces this one.
  public var id: String
  /// The purpose of the task.
  public var kind: Kind
  /// The earliest start in milliseconds since 1970; nil for as soon as possible.
  public var earliestUnixMilliseconds: Int64?
  /// True if the task waits for a network connection.
  public var needsNetwork = false
  /// True if the task waits until the machine is charging.
  public var needsPower = false

  /// Creates a request with no condition other than the time.
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

  /// The request in its stored form.
  public var json: JSONObject {
    var builder = AppLinkBuilder()
    write(&builder)
    return builder.object
  }

  /// Reads a request from its stored form.
  public init(json: JSONObject) throws(AppLinkDecodingFailure) {
    try self.init(AppLinkFields(json, []))
  }
}
