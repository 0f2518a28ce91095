import BelfryWire
import PushWire

/// A command to virtual devices, given as a line on standard input.
struct FleetCommand: Sendable {
  enum Verb: Sendable {
    case offline
    case online
    case sleep
    case wake
    case power(isRestricted: Bool)
    case disable
    case enable
    case register
    case unregister
    case subscribe
    case unsubscribe
    case summary
    case exit
  }

  let verb: Verb
  /// The bundle identifier, for verbs that concern an app.
  let topic: String
  /// The channel, for verbs that concern a channel.
  let channel: LinkChannel?
  /// The kind of the app's tokens; `nil` for all registered kinds.
  let kind: TokenKind?
  /// The number of the device at the gateway, or its position in the run; `nil` for all devices.
  let device: UInt64?

  /// Parses a line of input.
  init(_ line: String) throws(Refusal) {
    guard let object = try? JSONValue(parsing: line).objectValue,
      let verb = object["do"]?.stringValue
    else { throw Refusal(line: line, reason: "expected a JSON object with \"do\"") }
    topic =
      try Self.member("topic", of: object, in: line, mustBe: "a bundle identifier") {
        $0.stringValue
      } ?? ""
    channel = object["channel"]?.stringValue.flatMap { LinkChannel(reading: $0) }
    device = try Self.member(
      "device", of: object, in: line, mustBe: "a device's number, or its position in the run"
    ) { $0.integerValue.flatMap { UInt64(exactly: $0) } }
    let type = try Self.member("type", of: object, in: line, mustBe: "a kind of token") {
      $0.stringValue
    }
    if let name = type {
      guard let kind = TokenKind(name: name) else {
        throw Refusal(line: line, reason: "unknown type '\(name)'")
      }
      self.kind = kind
    } else {
      kind = nil
    }
    switch verb {
    case "offline": self.verb = .offline
    case "online": self.verb = .online
    case "sleep": self.verb = .sleep
    case "wake": self.verb = .wake
    case "power":
      let isRestricted = try Self.member(
        "restricted", of: object, in: line, mustBe: "true or false"
      ) { $0.boolValue }
      self.verb = .power(isRestricted: isRestricted ?? false)
    case "disable": self.verb = .disable
    case "enable": self.verb = .enable
    case "register": self.verb = .register
    case "unregister": self.verb = .unregister
    case "subscribe": self.verb = .subscribe
    case "unsubscribe": self.verb = .unsubscribe
    case "summary": self.verb = .summary
    case "exit": self.verb = .exit
    default: throw Refusal(line: line, reason: "unknown command '\(verb)'")
    }
    switch self.verb {
    case .disable, .enable, .register, .unregister:
      guard !topic.isEmpty else {
        throw Refusal(line: line, reason: "missing \"topic\"")
      }
    case .subscribe, .unsubscribe:
      guard channel != nil else {
        throw Refusal(line: line, reason: "missing \"channel\" in the form APP/ID")
      }
    default: break
    }
  }

  /// Returns the value of a member; `nil` if the object does not have the member.
  ///
  /// Throws if `read` returns `nil`. Ignoring such a value would apply the command to more devices or apps than the
  /// user meant.
  private static func member<Value>(
    _ name: String, of object: JSONObject, in line: String, mustBe wanted: String,
    _ read: (JSONValue) -> Value?
  ) throws(Refusal) -> Value? {
    guard let member = object[name] else { return nil }
    guard let value = read(member) else {
      throw Refusal(line: line, reason: "\"\(name)\" must be \(wanted)")
    }
    return value
  }

  /// The error for a line that isn't a command.
  struct Refusal: Error, CustomStringConvertible {
    let line: String
    let reason: String

    var description: String {
      "invalid command \(line): \(reason); docs/virtual-devices.md lists the commands"
    }
  }
}
