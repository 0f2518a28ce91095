public import BelfryWire
public import PushWire
import Foundation

/// The content of a push, by push type (apns-protocol 1.5 and section 3).
public enum PushContent: Sendable, Equatable {
  /// A notification that the user notices.
  case alert(AlertContent)
  /// A background fetch by the app, which the user does not notice.
  case background(custom: JSONObject = [:])
  /// An update of a Live Activity.
  case liveActivity(LiveActivityContent)
  /// An incoming VoIP call; the topic has the suffix `.voip`.
  case voip(custom: JSONObject)
  /// An update of a watch complication.
  case complication(custom: JSONObject)
  /// A change to the files of a file provider.
  case fileProvider(container: String, domain: String)
  /// A request to a managed device to check for commands; `app` is the certificate's own topic.
  case mdm(pushMagic: String)
  /// A request to the app's location extension for the device's location.
  case location(custom: JSONObject = [:])
  /// An incoming Push to Talk transmission.
  case pushToTalk(custom: JSONObject)
  /// A request to reload the app's widgets.
  case widgets
  /// A request to reload the app's controls.
  case controls

  /// The value of `apns-push-type`, which also determines the topic's suffix.
  public var type: PushType {
    switch self {
    case .alert: .alert
    case .background: .background
    case .liveActivity: .liveActivity
    case .voip: .voip
    case .complication: .complication
    case .fileProvider: .fileProvider
    case .mdm: .mdm
    case .location: .location
    case .pushToTalk: .pushToTalk
    case .widgets: .widgets
    case .controls: .controls
    }
  }

  /// Returns the payload's bytes, within the limit of the type.
  public func payload() throws(PushFault) -> [UInt8] {
    try payload(bytesMax: type.payloadBytesMax)
  }

  /// Returns the payload's bytes, within a limit.
  func payload(bytesMax: Int) throws(PushFault) -> [UInt8] {
    let payload = try object().bytes
    assert(PayloadSyntax.isObject(payload.span), "content is one JSON object")
    guard payload.count <= bytesMax else {
      throw .payloadTooLarge(bytes: payload.count, limit: bytesMax)
    }
    return payload
  }

  private func object() throws(PushFault) -> JSONObject {
    switch self {
    case .alert(let content): return try Self.beside(content.custom, aps: content.aps())
    case .background(let custom): return try Self.beside(custom, aps: ["content-available": 1])
    case .liveActivity(let content): return ["aps": .object(try content.aps())]
    case .voip(let custom), .complication(let custom), .location(let custom),
      .pushToTalk(let custom):
      return try Self.beside(custom, aps: [:])
    case .fileProvider(let container, let domain):
      return ["container-identifier": .string(container), "domain": .string(domain)]
    case .mdm(let magic):
      guard !magic.isEmpty else {
        throw .badValue(member: "pushMagic", wanted: "a nonempty string")
      }
      return ["mdm": .string(magic)]
    case .widgets, .controls: return ["aps": ["content-changed": true]]
    }
  }

  private static func beside(_ custom: JSONObject, aps: JSONObject) throws(PushFault) -> JSONObject
  {
    guard custom["aps"] == nil else { throw .reservedMember("aps") }
    var object: JSONObject = ["aps": .object(aps)]
    object.merge(custom)
    return object
  }
}

extension JSONObject {
  /// Creates an app's custom members from a value that encodes to a JSON object.
  public init(encoding value: some Encodable) throws(PushFault) {
    let encoded: JSONValue
    do {
      encoded = try JSONValue(parsing: Array(JSONEncoder().encode(value)))
    } catch {
      throw .notEncodable("\(error)")
    }
    guard let object = encoded.objectValue else { throw .notEncodable("expected a JSON object") }
    self = object
  }
}
