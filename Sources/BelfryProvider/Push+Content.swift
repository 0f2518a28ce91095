import BelfryWire
import PushWire
public import Foundation

extension Push {
  /// The values of `apns-priority`, by name.
  public enum Priority: UInt8, Sendable {
    /// Deliver the push immediately.
    case immediate = 10
    /// Deliver the push when the device's power state allows it.
    case considerate = 5
    /// Deliver the push the next time the device is awake.
    case low = 1
  }

  /// Creates a push from typed content and validates it before it is sent.
  ///
  /// Throws an error for a push that the service would refuse. `app` is the bundle identifier, to which the suffix of
  /// the push type is added.
  public init(
    _ content: PushContent, to deviceToken: String, app: String, priority: Priority? = nil,
    expiration: Expiration = .servicePolicy, collapseID: String? = nil, id: String? = nil
  ) throws(PushFault) {
    let type = content.type
    self.init(
      to: deviceToken, topic: type.topic(ofApp: app),
      payload: try content.payload(), type: type,
      priority: try Self.priority(priority, of: type), expiration: expiration,
      collapseID: collapseID, id: id)
    assert(
      payload.count <= type.payloadBytesMax, "the payload is within the limit of its push type")
    guard Hexadecimal.decode(deviceToken).map({ !$0.isEmpty }) == true else { throw .badToken }
    guard Self.isApp(app) else { throw .badApp(app) }
    if let collapseID {
      guard (1...WireLimits.collapseIDBytesMax).contains(collapseID.utf8.count),
        collapseID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else { throw .badCollapseID }
    }
    if let id {
      guard NotificationID(Array(id.utf8).span) != nil, id == id.lowercased() else {
        throw .badID(id)
      }
    }
  }

  /// Returns the given priority, or the default priority of the type.
  ///
  /// Throws if the type does not allow the given priority (apns-protocol 1.5).
  private static func priority(
    _ priority: Priority?, of type: PushType
  ) throws(PushFault) -> UInt8? {
    switch (type, priority) {
    case (.background, nil): return Priority.considerate.rawValue
    case (.background, .immediate?), (.background, .low?), (.liveActivity, .low?):
      throw .badPriority(priority ?? .immediate, type: "\(type.name)")
    default: return priority?.rawValue
    }
  }

  static func isApp(_ app: String) -> Bool {
    !app.isEmpty && app.utf8.count <= WireLimits.topicBytesMax
      && app.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }
}

extension Push.Expiration {
  /// Returns an expiration at a given time.
  ///
  /// Only one delivery attempt is made for a push whose expiration time has already passed.
  public static func at(_ date: Date) -> Self {
    let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
    return seconds <= 0 ? .once : .until(unixSeconds: seconds)
  }

  /// Returns an expiration that lies this duration after the current time.
  public static func after(_ duration: Duration) -> Self {
    at(Date(timeIntervalSinceNow: Double(duration.components.seconds)))
  }
}

extension RetryPolicy {
  /// Creates a policy from durations.
  public init(attemptsMax: Int = 3, longestPause: Duration, timeout: Duration) {
    self.init(
      attemptsMax: attemptsMax, longestPauseNanoseconds: Self.nanoseconds(longestPause),
      timeoutNanoseconds: Self.nanoseconds(timeout))
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, overflow) = duration.components.seconds.multipliedReportingOverflow(
      by: 1_000_000_000)
    return overflow ? .max : seconds + duration.components.attoseconds / 1_000_000_000
  }
}
