internal import BelfryWire

/// The configuration of a broadcast channel (apns-protocol 5.1).
public struct ChannelConfiguration: Equatable, Sendable {
  /// True if APNs stores the newest message for disconnected devices: `message-storage-policy` 1.
  public let keepsLatest: Bool

  /// Creates a configuration that uses this storage policy.
  public init(keepsLatest: Bool) { self.keepsLatest = keepsLatest }

  /// Parses the body of a request to create a channel (apns-protocol 5.4).
  ///
  /// Throws for a body that APNs would reject.
  public init(_ body: [UInt8]) throws(Fault) {
    guard !body.isEmpty else { throw Fault(.payloadEmpty) }
    guard body.count <= WireLimits.largePayloadBytesMax else { throw Fault(.payloadTooLarge) }
    let members: JSONObject
    do throws(JSONFailure) {
      guard let object = try JSONValue(parsing: body).objectValue else {
        throw JSONFailure.unexpectedByte(offset: 0)
      }
      members = object
    } catch {
      throw Fault(.badRequestPayload)
    }
    for member in members.members
    where !member.key.hasSameBytes(as: Self.policyKey)
      && !member.key.hasSameBytes(as: Self.typeKey)
    {
      throw Fault(.badRequestParams)
    }
    guard let type = members[Self.typeKey] else { throw Fault(.missingPushType) }
    guard case .string(let name) = type, name.isASCII, name.lowercased() == "liveactivity" else {
      throw Fault(.invalidPushType)
    }
    switch members[Self.policyKey] {
    case .integer(0): keepsLatest = false
    case .integer(1): keepsLatest = true
    default: throw Fault(.missingChannelQueueSize)
    }
  }

  /// The error for a body that is not a valid channel description.
  public struct Fault: Error, Equatable {
    /// The rejection to send in the response.
    public let rejection: Rejection

    init(_ rejection: Rejection) { self.rejection = rejection }
  }

  private static let policyKey = "message-storage-policy"
  private static let typeKey = "push-type"

  /// The JSON body of the response to a request that reads the channel.
  public var json: String {
    "{\"message-storage-policy\":\(keepsLatest ? 1 : 0),\"push-type\":\"LiveActivity\"}"
  }
}
