// An app that reports the calls that VoIP pushes announce, and is notified when the user answers or declines a call.
import CallKit
import Narration
import PushKit

@main
class CallReceiver: NSObject, PKPushRegistryDelegate, CXProviderDelegate {
  let provider: CXProvider

  static func main() {
    let receiver = CallReceiver()
    let registry = PKPushRegistry(queue: .main)
    registry.delegate = receiver
    registry.desiredPushTypes = [.voIP]
    withExtendedLifetime((receiver, registry)) { RunLoop.main.run() }
  }

  override init() {
    let configuration = CXProviderConfiguration(localizedName: "CallReceiver")
    configuration.maximumCallsPerCallGroup = 1
    provider = CXProvider(configuration: configuration)
    super.init()
    provider.setDelegate(self, queue: nil)
  }

  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
  ) {
    say("token \(pushCredentials.token.map { String(format: "%02x", $0) }.joined())")
  }

  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType, completion: @escaping () -> Void
  ) {
    let call = UUID()
    let update = CXCallUpdate()
    update.localizedCallerName = payload.dictionaryPayload["caller"] as? String
    provider.reportNewIncomingCall(with: call, update: update) { error in
      say(error.map { "not shown: \($0)" } ?? "ringing")
      completion()
    }
    // The caller hangs up.
    if payload.dictionaryPayload["givesUp"] != nil {
      provider.reportCall(with: call, endedAt: nil, reason: .remoteEnded)
    }
  }

  func providerDidReset(_ provider: CXProvider) { say("reset") }

  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
    say("answered")
    action.fulfill()
  }

  func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
    say("ended")
    action.fulfill()
  }
}
