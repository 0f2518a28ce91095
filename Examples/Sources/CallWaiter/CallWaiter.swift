// An app that waits for calls. The pushes that announce calls are never shown.
import Narration
import PushKit

@main
class CallWaiter: NSObject, PKPushRegistryDelegate {
  static func main() {
    let waiter = CallWaiter()
    let registry = PKPushRegistry(queue: .main)
    registry.delegate = waiter
    registry.desiredPushTypes = [.voIP]
    withExtendedLifetime((waiter, registry)) { RunLoop.main.run() }
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
    say("call from \(payload.dictionaryPayload["caller"] as? String ?? "")")
    completion()
  }
}
