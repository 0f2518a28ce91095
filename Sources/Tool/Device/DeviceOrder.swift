import BelfryWire

/// An order from `belfry device order` to the devices of a run, which is sent as a JSON line.
struct DeviceOrder: Sendable {
  enum Verb: String, CaseIterable, Sendable {
    case offline, online, sleep, wake, unregister, register, disable, enable

    /// The state of the device or the app after the order.
    var outcome: String {
      switch self {
      case .offline, .online: rawValue
      case .sleep: "asleep"
      case .wake: "awake"
      case .unregister: "unregistered"
      case .register: "registered"
      case .disable: "disabled"
      case .enable: "enabled"
      }
    }
  }

  /// The devices or the app to which the order applies.
  enum Target: Sendable {
    case all
    /// A device, identified by its number at the gateway or by its position in the fleet: 1 for "virtual 1".
    case device(UInt64)
    case token([UInt8])
  }

  let verb: Verb
  let target: Target

  /// True if the order changes apps rather than the device.
  var isAboutApps: Bool { [.unregister, .register, .disable, .enable].contains(verb) }
  /// True if the order applies to the app with a token.
  var isForToken: Bool { if case .token = target { true } else { false } }

  init(_ verb: Verb, _ target: Target) {
    self.verb = verb
    self.target = target
  }

  /// Parses a line; returns nil for anything that isn't an order.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard let object = (try? JSONValue(parsing: Array(bytes)))?.objectValue,
      let verb = object["do"]?.stringValue.flatMap(Verb.init)
    else { return nil }
    self.verb = verb
    if let text = object["token"]?.stringValue {
      guard let token = Hexadecimal.decode(text), !token.isEmpty else { return nil }
      target = .token(token)
    } else if let number = object["device"]?.stringValue.flatMap({ UInt64($0) }) {
      target = .device(number)
    } else {
      target = .all
    }
  }

  /// The order as an object.
  var line: JSONObject {
    var line: JSONObject = ["do": .string(verb.rawValue)]
    switch target {
    case .all: break
    case .device(let number): line["device"] = .string("\(number)")
    case .token(let token): line["token"] = .string(Hexadecimal.encode(token))
    }
    return line
  }

  /// Returns a device's number as a member of a line: an integer, unless the number is too large for one.
  static func number(_ device: UInt64) -> JSONValue {
    Int64(exactly: device).map { .integer($0) } ?? .string("\(device)")
  }

  /// Returns the device number in a line.
  static func number(in line: JSONObject) -> String? {
    line["device"].map { $0.stringValue ?? $0.text }
  }

  /// The reason that an order isn't carried out, and how to fix the problem.
  struct Refusal: Error, CustomStringConvertible {
    let reason: String
    let advice: String
    var description: String { "\(reason): \(advice)" }

    init(_ reason: String, do advice: String) {
      self.reason = reason
      self.advice = advice
    }
  }
}
