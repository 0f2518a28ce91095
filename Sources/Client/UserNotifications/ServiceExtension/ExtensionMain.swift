import AppLink
import BelfryClient
import AppWire
import Foundation

extension UNNotificationServiceExtension {
  /// Runs the extension's process, which the agent starts for one notification.
  ///
  /// To run this method at launch, mark the subclass with `@main`, or call `NotificationService.main()` in a
  /// `main.swift`.
  public static func main() {
    MainActor.assumeIsolated { ExtensionProcess.run(self) }
  }
}

/// The process of a service extension: its main function and the extension object that is in use.
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
  /// Returns the content that the extension provided, or the original content if it cannot be sent.
  fileprivate func changed(
    _ original: AppWire.NotificationContent
  ) -> AppWire.NotificationContent {
    let stored = (try? storingAttachments()) ?? self
    guard var content = try? stored.wire(allowsNull: true) else { return original }
    // The `userInfo` that the extension sets replaces the `userInfo` of the payload.
    content.archive = content.archive ?? UserInfoCoding.archive(userInfo)
    return content
  }
}
