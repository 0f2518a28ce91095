internal import BelfryWire

/// The urgency of a message (RFC 8030 section 5.3), in ascending order.
public enum WebPushUrgency: UInt8, CaseIterable, Comparable, Sendable {
  /// On power and Wi-Fi only, such as advertisements.
  case veryLow
  /// On either power or Wi-Fi, such as topic updates.
  case low
  /// On neither power nor Wi-Fi, such as chat messages.
  case normal
  /// Also on low battery, such as incoming calls.
  case high

  /// Reads the value of the field `Urgency`, in uppercase or lowercase, as in every grammar of RFC 5234.
  ///
  /// Returns nil for any other text.
  public init?(_ text: Span<UInt8>) {
    guard let urgency = Self.allCases.first(where: { text.equalsIgnoringCase($0.word) }) else {
      return nil
    }
    self = urgency
  }

  /// The value of the field `Urgency` in lowercase.
  public var word: StaticString {
    switch self {
    case .veryLow: "very-low"
    case .low: "low"
    case .normal: "normal"
    case .high: "high"
    }
  }

  /// The value of `apns-priority` that has the same effect on delivery: 1, 5 or 10.
  public var priority: UInt8 {
    switch self {
    case .veryLow, .low: 1
    case .normal: 5
    case .high: 10
    }
  }

  /// Compares the order in which the cases are declared.
  public static func < (one: WebPushUrgency, other: WebPushUrgency) -> Bool {
    one.rawValue < other.rawValue
  }
}
