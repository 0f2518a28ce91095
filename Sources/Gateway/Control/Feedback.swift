import BelfryWire
import Storage

/// The alert tokens of an app that became inactive since a feedback client last read them.
struct Feedback {
  let app: UInt32

  /// Returns at most ``Limits/feedbackPageRows`` records after `cursor`.
  ///
  /// If `cursor` is nil, the page starts after the time up to which clients have read.
  func page(
    after cursor: FeedbackCursor?, in store: any ControlStore
  ) throws(StorageFailure) -> [RegistrationRecord] {
    let start =
      if let cursor { cursor } else {
        FeedbackCursor(endOfMillisecond: try lastReading(in: store))
      }
    let records = try store.unregistered(
      app: app, kind: TokenKind.alert.rawValue, after: start, limit: Limits.feedbackPageRows)
    assert(
      zip(records, records.dropFirst()).allSatisfy {
        ($0.changedMilliseconds, $0.key.device) <= ($1.changedMilliseconds, $1.key.device)
      }, "feedback is ordered by time and device")
    assert(
      records.allSatisfy { $0.state == .unregistered }, "feedback is only about unregistered tokens"
    )
    return records
  }

  /// Records that a client has read everything up to the given time.
  ///
  /// If several clients have read, the latest time counts.
  func noteRead(
    upToMilliseconds milliseconds: Int64, in store: any ControlStore
  ) throws(StorageFailure) {
    let latest = max(milliseconds, try lastReading(in: store))
    try store.apply([
      .putSetting(name: ControlSetting.feedbackRead(app: app), value: Array("\(latest)".utf8)),
      .forgetFormerRegistrations(
        app: app, kind: TokenKind.alert.rawValue, upToMilliseconds: latest),
    ])
  }

  private func lastReading(in store: any ControlStore) throws(StorageFailure) -> Int64 {
    let text = try store.setting(ControlSetting.feedbackRead(app: app)) ?? []
    return Int64(String(decoding: text, as: UTF8.self)) ?? 0
  }
}
