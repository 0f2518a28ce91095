import BelfryWire

/// What scheduled notifications will show.
///
/// Memory holds the schedule alone: a request is read from its record when it is needed. Only those
/// that no commit has taken yet are held here.
struct ScheduledRequests {
  private let readRecord: (AppNotificationID) -> [UInt8]?
  /// By notification; nil is one whose record goes.
  private var unpersisted: [AppNotificationID: NotificationRequest?] = [:]

  /// Requests whose durable records `readRecord` reads.
  init(readRecord: @escaping (AppNotificationID) -> [UInt8]?) { self.readRecord = readRecord }

  /// Retains a request, in place of one with the same name.
  mutating func put(
    _ key: AppNotificationID, _ request: NotificationRequest, _ effects: inout [AgentEffect]
  ) {
    assert(key.id == request.id, "a request is stored under its own name")
    assert(request.trigger != nil, "what is shown at once does not wait")
    unpersisted[key] = .some(request)
    effects.append(.persist(.put(.pending, key: key.recordKey, request.encoded)))
  }

  /// Forgets a request.
  mutating func remove(_ key: AppNotificationID, _ effects: inout [AgentEffect]) {
    unpersisted[key] = .some(nil)
    effects.append(.persist(.remove(.pending, key: key.recordKey)))
  }

  /// The request of that name; nil when there is none, or its record is damaged.
  func request(_ key: AppNotificationID) -> NotificationRequest? {
    if let request = unpersisted[key] { return request }
    return readRecord(key).flatMap { try? NotificationRequest(decoding: $0) }
  }

  /// Every record is durable: nothing has to be held here any more.
  mutating func onRecordsPersisted() { unpersisted = [:] }

  /// Stops in a debug build when a held request stands under another name.
  func checkInvariants() {
    for case (let key, let request?) in unpersisted {
      assert(request.id == key.id, "a held request stands under its own name")
    }
  }
}
