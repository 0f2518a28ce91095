import AppLink
package import BelfryWire
import Foundation

/// Dialogs of the app, shown as notifications that stay until they are answered.
///
/// They need the permission for alerts; without it, or without an agent, they are not shown.
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

  /// The person's answer.
  package enum Answer: Sendable {
    /// One of the choices, with the text of the field.
    case choice(Int, text: String?)
    /// A click on the dialog itself.
    case opened
    /// The dialog was put away without a choice.
    case dismissed
    /// The dialog could not be shown.
    case unasked
  }

  package static let shared = DialogCenter(session: .shared)

  /// The prefix of the ids of dialogs, which no app's own id has.
  static let prefix = "belfry.dialog."

  private let session: AgentSession
  private let waiting = LockedBox<[String: @Sendable (Answer) -> Void]>([:])

  init(session: AgentSession) { self.session = session }

  /// Shows a dialog; the handler runs once, on the thread that delivers the answer.
  ///
  /// - Returns: The id for ``withdraw(_:)``.
  @discardableResult
  package func ask(
    title: String, message: String, choices: [Choice], field: Field? = nil,
    sound: NotificationSound? = nil, level: InterruptionLevel = .active,
    shown: @escaping @Sendable () -> Void = {}, answer: @escaping @Sendable (Answer) -> Void
  ) -> String {
    let id = Self.prefix + UUID().uuidString
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

  /// Withdraws a dialog; its handler is not called.
  package func withdraw(_ id: String) {
    guard waiting.withLock({ $0.removeValue(forKey: id) }) != nil else { return }
    session.send(.removeDelivered([id]))
  }

  /// Handles an event of a dialog; returns false for any other event.
  func handle(_ event: AppEvent, _ question: AppLinkQuestion?) -> Bool {
    switch event {
    case .willPresent(let delivered) where delivered.request.id.hasPrefix(Self.prefix):
      let hasSound = delivered.request.content.sound != nil
      question?.reply(.present(hasSound ? [.banner, .list, .sound] : [.banner, .list]))
    case .response(let response)
    where response.notification.request.id.hasPrefix(Self.prefix):
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
