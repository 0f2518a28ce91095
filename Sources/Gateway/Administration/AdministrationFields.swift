public import BelfryWire
internal import PushWire
internal import Storage

/// A reader for the members of a request's object.
///
/// If a member is missing, mistyped, or unknown, the reader throws an error that identifies the member.
public struct AdministrationFields {
  /// The values that ``keep(_:)`` accepts; "all" is represented as `UInt32.max`.
  static let keepRange = "a number from 1 to \(UInt32.max - 1), or all"

  /// The maximum number of a value's characters that an error contains; a value can be a whole payload.
  private static let shownCharactersMax = 80

  private let object: JSONObject
  private var known: Set<UTF8Text> = []

  /// Creates a reader of `object`.
  public init(_ object: JSONObject) { self.object = object }

  /// Returns the string value of a required member.
  public mutating func text(_ key: String) throws(AdministrationFailure) -> String {
    guard let text = try optionalText(key) else { throw Self.missing(key) }
    return text
  }

  /// Returns the string value of a member; nil if the member is absent.
  ///
  /// The error for a value of another type says that `wanted` was expected.
  public mutating func optionalText(
    _ key: String, wanted: String = "a JSON string"
  ) throws(AdministrationFailure) -> String? {
    guard let value = removeValue(key) else { return nil }
    guard let text = value.stringValue else { throw Self.wrong(key, value.text, wanted) }
    return text
  }

  mutating func texts(_ key: String) throws(AdministrationFailure) -> [String] {
    guard let value = removeValue(key) else { return [] }
    guard let list = value.arrayValue else {
      throw Self.wrong(key, value.text, "a list of strings")
    }
    var texts: [String] = []
    for element in list {
      guard let text = element.stringValue else {
        throw Self.wrong(key, value.text, "a list of strings")
      }
      texts.append(text)
    }
    return texts
  }

  /// Returns the Boolean value of a member; nil if the member is absent.
  public mutating func optionalBool(_ key: String) throws(AdministrationFailure) -> Bool? {
    guard let value = removeValue(key) else { return nil }
    guard let bool = value.boolValue else { throw Self.wrong(key, value.shown, "true or false") }
    return bool
  }

  mutating func optionalNumber<Number: FixedWidthInteger>(
    _ key: String, of type: Number.Type
  ) throws(AdministrationFailure) -> Number? {
    guard let value = removeValue(key) else { return nil }
    guard let number = value.integerValue.flatMap({ Number(exactly: $0) }) else {
      throw Self.wrong(key, value.shown, "a whole number from \(Number.min) to \(Number.max)")
    }
    return number
  }

  mutating func optionalShare(_ key: String) throws(AdministrationFailure) -> Double? {
    guard let value = removeValue(key) else { return nil }
    guard let share = value.doubleValue, (0...1).contains(share) else {
      throw Self.wrong(key, value.shown, "a number from 0 to 1")
    }
    return share
  }

  mutating func environments(_ key: String) throws(AdministrationFailure) -> EnvironmentScope {
    guard let name = try optionalText(key) else { return .both }
    guard let scope = EnvironmentScope(name: name) else {
      throw Self.wrong(key, name, "sandbox, production or both")
    }
    return scope
  }

  /// Returns the maximum number of queued notifications per token: a number, or `.max` for "all"; nil if the member is
  /// absent.
  mutating func keep(_ key: String) throws(AdministrationFailure) -> UInt32? {
    guard let value = removeValue(key) else { return nil }
    if value == "all" { return .max }
    guard let number = value.integerValue.flatMap({ UInt32(exactly: $0) }),
      (1..<UInt32.max).contains(number)
    else { throw Self.wrong(key, value.shown, Self.keepRange) }
    return number
  }

  /// Throws if the object has members that weren't read.
  public func end() throws(AdministrationFailure) {
    if let unknown = object.keys.first(where: { !known.contains(UTF8Text($0)) }) {
      throw AdministrationFailure(
        .invalid, "unknown field '\(unknown)'", do: "remove it, or check its spelling")
    }
  }

  private mutating func removeValue(_ key: String) -> JSONValue? {
    known.insert(UTF8Text(key))
    guard let value = object[key], value != .null else { return nil }
    return value
  }

  private static func missing(_ key: String) -> AdministrationFailure {
    AdministrationFailure(.invalid, "'\(key)' is missing", do: "add it")
  }

  static func wrong(_ key: String, _ value: String, _ wanted: String) -> AdministrationFailure {
    AdministrationFailure(
      .invalid, "invalid value '\(shown(value))' for '\(key)'", do: "expected \(wanted)")
  }

  /// Returns a value as an error shows it, which is its beginning if it is long.
  public static func shown(_ value: String) -> String {
    value.count > shownCharactersMax ? "\(value.prefix(shownCharactersMax))…" : value
  }
}

extension JSONValue {
  /// A string without quotation marks, or the JSON text of any other value.
  fileprivate var shown: String { stringValue ?? text }
}

extension FaultRule {
  /// Creates a rule from an object in the format that `belfry fault list` prints.
  init(_ object: JSONObject) throws(AdministrationFailure) {
    var fields = AdministrationFields(object)
    if let text = try fields.optionalText("token") {
      guard let bytes = Hexadecimal.decode(text), !bytes.isEmpty else {
        throw AdministrationFields.wrong(
          "token", text, "a device token, which has an even number of hexadecimal digits")
      }
      token = bytes
    }
    topic = try fields.optionalText("topic")
    guard topic?.isEmpty != true else {
      throw AdministrationFields.wrong("topic", "", "a topic, such as com.example.app")
    }
    times = try fields.optionalNumber("times", of: UInt32.self)
    guard times != 0 else {
      throw AdministrationFields.wrong("times", "0", "a whole number from 1 to \(UInt32.max)")
    }
    // The output of `belfry fault list` contains these members too; ignore their values, because the gateway assigns
    // its own.
    _ = try fields.optionalNumber("id", of: Int64.self)
    _ = try fields.optionalNumber("remaining", of: UInt32.self)
    var effects: [Effect] = []
    let timestamp = try fields.optionalNumber("timestamp", of: Int64.self)
    let share = try fields.optionalShare("share") ?? 1
    if let reason = try fields.optionalText("reason") {
      guard let rejection = Rejection(reason: reason) else {
        throw AdministrationFields.wrong(
          "reason", reason,
          "an APNs reason, such as TooManyRequests; 'belfry fault add --help' lists all reasons")
      }
      effects.append(.answer(rejection, timestampMilliseconds: timestamp, share: share))
    }
    if let requests = try fields.optionalNumber("goawayAfter", of: UInt32.self) {
      effects.append(.goAway(afterRequests: requests))
    }
    if let count = try fields.optionalNumber("streams", of: UInt32.self) {
      effects.append(.streams(count))
    }
    if let bytes = try fields.optionalNumber("window", of: UInt32.self) {
      effects.append(.window(bytes: bytes))
    }
    if let milliseconds = try fields.optionalNumber("delay", of: UInt32.self) {
      effects.append(.delay(milliseconds: milliseconds))
    }
    if try fields.optionalBool("close") == true { effects.append(.close) }
    try fields.end()
    guard effects.count == 1, let effect = effects.first else {
      throw AdministrationFailure(
        .invalid, "a fault has exactly one action",
        do:
          "set one of reason, goawayAfter, streams, window, delay, close; to combine actions, add several faults"
      )
    }
    self.effect = effect
  }
}
