import AppWire

/// The requests of scheduled notifications.
///
/// Memory holds only the schedule: a request is read from its record when needed. This type holds only the requests
/// that are not committed yet.
struct ScheduledRequests {
  private let readRecord: (AppNotificationID) -> [UInt8]?
  /// Uncommitted requests, keyed by notification; nil if the request's record is being removed.
  private var unpersisted: [AppNotificationID: NotificationRequest?] = [:]

  /// Creates an empty set; `readRecord` reads durable records.
  init(readRecord: @escaping (AppNotificationID) -> [UInt8]?) { self.readRecord = readRecord }

  /// Adds a request, replacing any request with the same identifier.
  mutating func put(
    _ key: AppNotificationID, _ request: NotificationRequest, _ effects: inout [AgentEffect]
  ) {
    assert(key.id == request.id, "a request is stored under its own identifier")
    assert(request.trigger != nil, "only a request with a trigger is stored")
    unpersisted[key] = .some(request)
    effects.append(.persist(.put(.pending, key: key.recordKey, request.encoded)))
  }

  /// Removes a request.
  mutating func remove(_ key: AppNotificationID, _ effects: inout [AgentEffect]) {
    unpersisted[key] = .some(nil)
    effects.append(.persist(.remove(.pending, key: key.recordKey)))
  }

  /// Returns the request with this key; nil if it does not exist or its record is damaged.
  func request(_ key: AppNotificationID) -> NotificationRequest? {
    if let request = unpersisted[key] { return request }
    return readRecord(key).flatMap { try? NotificationRequest(decoding: $0) }
  }

  /// Returns the number of bytes of a request's record; 0 if it does not exist.
  func byteCount(_ key: AppNotificationID) -> Int {
    if let request = unpersisted[key] {
      assert(request?.id == nil || request?.id == key.id, "an unpersisted request matches its key")
      return request?.encoded.count ?? 0
    }
    return readRecord(key)?.count ?? 0
  }

  /// Releases the requests held in memory, because every record is durable.
  mutating func onRecordsPersisted() { unpersisted = [:] }

  /// Traps in debug builds if a request held in memory is stored under another identifier.
  func checkInvariants() {
    for case (let key, let request?) in unpersisted {
      assert(request.id == key.id, "an unpersisted request is stored under its own identifier")
    }
  }
}
