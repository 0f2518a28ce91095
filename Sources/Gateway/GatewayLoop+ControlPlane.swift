import BelfryWire
import Storage

/// The loop's requests to the control plane, and the replies.
extension GatewayLoop {
  func ask(_ request: ControlPlaneRequest) { post(.request(loop: index, request)) }

  func handle(_ reply: ControlPlaneReply) {
    switch reply {
    case .enrollment(let session, let answer):
      connections.device(session)?.answerEnrollment(answer)
    case .renewal(let session, let answer):
      connections.device(session)?.answerRenewal(answer)
    case .adopted(let session, let request, let topic, let device):
      guard let connection = connections.device(session) else { return }
      assert(connection.device == device, "an app is adopted only for the connection's device")
      handle(.register, topic, of: device, request: request, on: connection)
    case .refused(let session, let request, let refusal):
      connections.device(session)?.answer(request, with: .refused(refusal))
    case .channels(let number, let stream, let outcome):
      if case .accepted(let broadcast) = outcome { appendToLog(received: broadcast) }
      guard let provider = connections.provider(number) else { return }
      guard let connection = provider as? ProviderConnection else {
        return assertionFailure("a channel answer was sent to a connection without channels")
      }
      connection.answer(stream, outcome)
    case .foundChannel(let session, let request, let id, let app):
      guard let connection = connections.device(session) else { return }
      subscribe(connection, to: id, app: app, request: request)
    case .feedback(let number, let records):
      connections.removeFeedbackClient(number)?.answer(records)
    }
  }

  /// Requests an app's feedback from the control plane, because only it knows the registrations of all loops.
  func askFeedback(app: UInt32, after cursor: FeedbackCursor?, _ connection: FeedbackConnection) {
    ask(.feedback(number: connections.addWaiting(connection), app: app, after: cursor))
  }

  /// Returns one tuple for each token key, because providers may have a token sealed with any of them.
  func feedbackTuples(_ record: RegistrationRecord) -> [FeedbackTuple] {
    let kind = TokenKind(rawValue: record.key.kind)
    assert(kind == .alert, "feedback is only about alert tokens")
    let contents = TokenContents(
      environment: environment, kind: kind ?? .alert, generation: record.generation,
      app: record.key.app, device: record.key.device)
    return tokens.sealWithEachKey(contents).map { token in
      FeedbackTuple(seconds: UInt32(clamping: record.changedMilliseconds / 1_000), token: token)
    }
  }
}
