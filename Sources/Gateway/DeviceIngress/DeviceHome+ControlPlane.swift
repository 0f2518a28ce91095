import PushWire
import Storage

/// The control plane's replies to a home's requests.
extension DeviceHome {
  func handle(_ reply: HomeReply) {
    switch reply {
    case .enrollment(let session, let answer):
      connections[session]?.answerEnrollment(answer)
    case .renewal(let session, let answer):
      connections[session]?.answerRenewal(answer)
    case .autopushEnrollment(let session, let answer):
      autopush[session]?.answerEnrollment(answer)
    case .autopushIdentity(let session, let isKnown):
      autopush[session]?.answerIdentity(isKnown: isKnown)
    case .adopted(let session, let request, let topic, let device):
      guard let connection = connections[session] else { return }
      assert(connection.device == device, "an app is adopted only for the connection's device")
      handle(.register, topic, of: device, request: request, on: connection)
    case .refused(let session, let request, let refusal):
      connections[session]?.answer(request, with: .refused(refusal))
    case .foundChannel(let session, let request, let id, let app):
      guard let connection = connections[session] else { return }
      subscribe(connection, to: id, app: app, request: request)
    }
  }
}
