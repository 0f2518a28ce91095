import AppLink
import BelfryClient
import BelfryWire
import Foundation

extension UNNotificationServiceExtension {
  /// Runs the extension's process, which the agent starts for one notification: what `@main` on
  /// the subclass calls, or `NotificationService.main()` in a `main.swift`.
  public static func main() {
    MainActor.assumeIsolated { ExtensionProcess.run(self) }
  }
}

/// The process of a service extension.
@MainActor
enum ExtensionProcess {
  private static var current: UNNotificationServiceExtension?

  static func run(_ type: UNNotificationServiceExtension.Type) -> Never {
    let session = AgentSession.shared
    session.declare(role: .serviceExtension)
    session.listen(as: .serviceExtension) { event, question in
      handle(event, question, type)
    }
    session.connect()
    ApplicationRunLoop.run {}
  }

  private static func handle(
    _ event: AppEvent, _ question: AppLinkQuestion?, _ type: UNNotificationServiceExtension.Type
  ) -> Bool {
    switch event {
    case .extend(let request, let payload):
      let original = UNNotificationRequest(request, payload: payload)
      guard let object = NewObject.make(type) as? UNNotificationServiceExtension else {
        question?.reply(.content(request.content))
        return true
      }
      current = object
      let answer = CallOnce<UNNotificationContent> { content in
        question?.reply(.content(content.fields.changed(request.content)))
        DispatchQueue.main.async {
          MainActor.assumeIsolated { () -> Void in ApplicationRunLoop.end {} }
        }
      }
      object.didReceive(original) { answer.call($0) }
    case .extensionTimeEnds: current?.serviceExtensionTimeWillExpire()
    default: return false
    }
    return true
  }
}

extension ContentFields {
  /// The content that the extension made; the original where it cannot be sent.
  fileprivate func changed(
    _ original: BelfryWire.NotificationContent
  ) -> BelfryWire.NotificationContent {
    let stored = (try? storingAttachments()) ?? self
    guard var content = try? stored.wire(allowsNull: true) else { return original }
    // The app's data now are these, whatever the payload said.
    content.archive = content.archive ?? UserInfoCoding.archive(userInfo)
    return content
  }
}
