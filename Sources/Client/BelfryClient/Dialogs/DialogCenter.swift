import AppLink
internal import BelfryWire
package import AppWire
import Foundation

/// The app's dialogs, shown as notifications that stay until the user answers them.
///
/// Dialogs require permission to show alerts; without that permission, or without an agent, they are not shown.
package final class DialogCenter: Sendable {
  /// A button of a dialog.
  package struct Choice: Sendable {
    package var title: String
    package var isDestructive: Bool

    package init(title: String, isDestructive: Bool = false) {
      self.title = title
      self.isDestructive = isDestructive
    }
  }

  /// A text field and the button that it belongs to.
  package struct Field: Sendable {
    package var choice: Int
    package var placeholder: String

    package init(choice: Int, placeholder: String) {
      self.choice = choice
      self.placeholder = placeholder
    }
  }

  /// The user's answer to a dialog.
  package enum Answer: Sendable {
    /// The user chose a button; `text` is the content of the button's text field.
    case choice(Int, text: String?)
    /// The user clicked the dialog itself.
    case opened
    /// The user dismissed the dialog without choosing a button.
    case dismissed
    /// The dialog could not be shown.
    case unasked
  }

  package static let shared = DialogCenter(session: .shared)

  private let session: AgentSession
  private let waiting = LockedBox<[String: @Sendable (Answer) -> Void]>([:])

  init(session: AgentSession) { self.session = session }

  /// Shows a dialog.
  ///
  /// The answer handler runs once, on the thread that delivers the answer.
  ///
  /// - Returns: The ID to pass to ``withdraw(_:)``.
  @discardableResult
  package func ask(
    title: String, message: String, choices: [Choice], field: Field? = nil,
    sound: NotificationSound? = nil, level: InterruptionLevel = .active,
    shown: @escaping @Sendable () -> Void = {}, answer: @escaping @Sendable (Answer) -> Void
  ) -> String {
    let id = NotificationRequest.dialogPrefix + UUID().uuidString
    var content = NotificationContent()
    content.title = NotificationText(title)
    content.body = NotificationText(title.isEmpty && message.isEmpty ? "…" : message)
    content.sound = sound
    content.interruptionLevel = level
    content.tellsDismissal = true
    content.actions = choices.prefix(WireLimits.actionsPerCategoryMax).enumerated().map {
      NotificationAction(
        id: String($0), title: NotificationText($1.title),
        options: $1.isDestructive ? [.destructive] : [],
        textInput: $0 == field?.choice ? field.map { .init(placeholder: $0.placeholder) } : nil)
    }
    waiting.withLock { $0[id] = answer }
    session.send(.add(NotificationRequest(id: id, content: content))) { [self] result in
      if case .failure = result { finish(id, .unasked) } else { shown() }
    }
    return id
  }

  /// Withdraws a dialog without calling its handler.
  package func withdraw(_ id: String) {
    guard waiting.withLock({ $0.removeValue(forKey: id) }) != nil else { return }
    session.send(.removeDelivered([id]))
  }

  /// Handles an event of a dialog.
  ///
  /// Returns false for any other event.
  func handle(_ event: AppEvent, _ question: AppLinkQuestion?) -> Bool {
    switch event {
    case .willPresent(let delivered) where NotificationRequest.isDialog(delivered.request.id):
      let hasSound = delivered.request.content.sound != nil
      question?.reply(.present(hasSound ? [.banner, .list, .sound] : [.banner, .list]))
    case .response(let response)
    where NotificationRequest.isDialog(response.notification.request.id):
      question?.reply(.handled)
      let answer: Answer =
        if let choice = Int(response.action) {
          .choice(choice, text: response.text)
        } else {
          response.action == NotificationResponse.dismissAction ? .dismissed : .opened
        }
      finish(response.notification.request.id, answer)
    default: return false
    }
    return true
  }

  private func finish(_ id: String, _ answer: Answer) {
    waiting.withLock { $0.removeValue(forKey: id) }?(answer)
  }
}
