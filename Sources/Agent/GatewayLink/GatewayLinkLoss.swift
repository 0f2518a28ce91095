public import PushWire
public import Transport

/// The cause of a lost or failed link to the gateway.
///
/// The cases distinguish only the causes that require different advice for the user.
public enum GatewayLinkLoss: Sendable, Equatable {
  /// The gateway refused to enroll the device; `hasCode` is true if the device gave a code.
  case enrollmentRefused(LinkEnrollmentRefusal, hasCode: Bool)
  /// The peer is not a gateway, or the port is not the gateway's device port.
  case otherProtocol
  /// The connection could not be established, or was lost.
  case closed(StreamClosure)
  /// The gateway closed the link, or this side failed.
  case other
}

extension GatewayLinkLoss {
  /// True if the gateway refused to enroll the device.
  public var isEnrollmentRefused: Bool {
    if case .enrollmentRefused = self { true } else { false }
  }

  /// Returns the steps with which an agent enrolls as another device; `identity` is the folder of its identity.
  ///
  /// The gateway never enrolls a revoked key again, so a new invitation does not help while the key exists.
  static func enrollAgain(identity: String) -> String {
    "to enroll again, stop the agent, remove \(identity), and run the command that 'belfry device invite' prints on "
      + "the gateway's machine"
  }

  /// Returns advice for the user of an agent whose gateway is at `host` and `port`.
  func advice(host: String, port: UInt16) -> String {
    let device = "'belfry device invite' on the gateway's machine"
    switch self {
    case .enrollmentRefused(.wrongCode, hasCode: false):
      return "start the agent with --enroll CODE, or with a new invitation from \(device)"
    case .enrollmentRefused(.wrongCode, hasCode: true):
      return
        "the code is wrong or was rotated: start the agent with the current --enroll CODE, or with a new "
        + "invitation from \(device)"
    case .enrollmentRefused(let refusal, let hasCode): return refusal.advice(hasCode: hasCode)
    case .closed(let closure) where closure.isUnknownAuthority:
      return
        "the gateway's CA certificate has changed: join again with a new invitation or gateway.json; if that does not "
        + "help, the gateway was restored from a backup: stop the agent, remove 'identity' in its data folder, and "
        + "start it with a new invitation from \(device)"
    case .closed(let closure) where closure.isOwnCertificateRefused:
      return
        "the gateway does not accept this device's certificate: stop the agent, remove 'identity' in its data "
        + "folder, and start it with a new invitation from \(device)"
    case .closed(let closure) where closure.isOtherName:
      return
        "use a host name that the gateway's certificate contains, or restart the gateway with --name \(host)"
    case .closed(.connectFailed), .closed(.timedOut(.connect)):
      return
        "check that the gateway is running, and that \(host) can be reached on TCP port \(port)"
    case .otherProtocol, .closed(.tlsFailed), .closed(.timedOut(.handshake)):
      return "check the port: \(port) is not the device port of a gateway (by default 5223)"
    case .closed(.local), .closed(.peer), .closed(.truncated), .closed(.broken), .closed(.timedOut),
      .closed(.outputOverflow), .other:
      return
        "check that the gateway is running, and that its device port can be reached (TCP port \(port))"
    }
  }
}
