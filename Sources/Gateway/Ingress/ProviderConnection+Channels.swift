import BelfryWire
import PushWire
import System
import Transport

/// The API that is available on a provider port.
enum ProviderInterface {
  /// The provider API with channels and broadcasts.
  case everything
  /// Channel management only, where GET and DELETE are allowed (apns-protocol 1.1).
  case channelManagement
  /// The Web Push service only.
  case webPush
}

/// The handling of requests about channels and broadcasts (apns-protocol section 5), which the connection checks and
/// the channel service executes.
extension ProviderConnection {
  /// Returns true if the answer identifies the request by `apns-request-id`.
  func isAboutChannels(_ open: ProviderStream) -> Bool {
    switch open.request.path {
    case .broadcast, .channels, .allChannels: true
    case .device, .deviceWithoutToken, .webPush, .webPushMessage, .matrixNotify, .other:
      interface == .channelManagement
    }
  }

  func idName(of open: ProviderStream) -> StaticString {
    isAboutChannels(open) ? "apns-request-id" : "apns-id"
  }

  func requestEcho(of open: ProviderStream) -> [UInt8] {
    if case .value = open.request.requestID { return open.request.requestIDText }
    return []
  }

  func requestID(of open: ProviderStream) -> NotificationID {
    if case .value(let id) = open.request.requestID { return id }
    return generatedID(of: open)
  }

  func decideChannelRequest(_ open: ProviderStream) {
    open.generatedID = front.makeID()
    guard isServed(open.request.path) else {
      let method = open.request.method
      let isLegal = method == .post || method == .get || method == .delete
      return refuse(open.streamID, isLegal ? .badPath : .methodNotAllowed)
    }
    var context = self
    switch ChannelAdmission.evaluate(
      open.request, body: open.body, bodyBytes: open.bodyBytes, context: &context)
    {
    case .refused(let rejection):
      refuse(open.streamID, rejection)
    case .admitted(let app, let call):
      raiseStreamLimit()
      if let rejection = scripted(open.request, to: app) {
        return refuse(open.streamID, rejection)
      }
      guard isInRate(app) else { return refuse(open.streamID, .tooManyRequests) }
      open.uniqueID = front.makeID()
      var payload: [UInt8] = []
      if case .broadcast = call { payload = open.takeBody() }
      let request = ChannelRequest(
        connection: number, stream: open.streamID, app: app.number, call: call,
        id: requestID(of: open), uniqueID: open.uniqueID, payload: payload)
      guard case .list = call else { return front.ask(.channels(request)) }
      lists.append(request)
      scheduleFlush()
    }
  }

  /// Requests the next list once the previous one has been read.
  func askForNextList() {
    guard let session,
      let next = lists.next(
        unsentBytes: unsentBytes, holdsBody: session.holdsLargeBody, isOpen: { streams[$0] != nil })
    else { return }
    front.ask(.channels(next))
  }

  private func isServed(_ path: PushRequest.Path) -> Bool {
    switch path {
    case .channels, .allChannels: true
    case .broadcast: interface == .everything
    case .device, .deviceWithoutToken, .webPush, .webPushMessage, .matrixNotify, .other: false
    }
  }

  /// Answers an open stream with the channel service's answer.
  func answer(_ streamID: Int32, _ answer: ChannelAnswer) {
    switch answer {
    case .refused(let rejection):
      refuse(streamID, rejection)
    case .made(let id):
      respond(streamID, status: 201, channel: id)
    case .configuration(let configuration):
      respond(streamID, status: 200, body: Array(configuration.json.utf8))
    case .removed:
      respond(streamID, status: 204)
    case .list(let list):
      lists.answered()
      scheduleFlush()
      respond(streamID, status: 200, body: list)
    case .accepted(let broadcast):
      front.metrics.broadcasts.add()
      respond(
        streamID, status: 200,
        uniqueID: front.environment == .sandbox ? broadcast.uniqueID : nil)
    }
  }

  private func respond(
    _ streamID: Int32, status: Int, uniqueID: NotificationID? = nil, channel: ChannelID? = nil,
    body: [UInt8] = []
  ) {
    guard let open = streams.remove(streamID), let session else { return }
    front.responses.answerChannels(
      streamID, status: status, idText: requestEcho(of: open), id: requestID(of: open),
      uniqueID: uniqueID, channel: channel, body: body, on: session)
    front.recycle(open)
    scheduleFlush()
  }
}
