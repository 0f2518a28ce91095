import BelfryWire
import AppWire
import System

extension DeliveredList.Entry {
  /// Checks a command's action on the notification: throws if the notification does not have the action, or if only one
  /// of the action and the command has a text.
  func checkOffers(_ action: PersonAction, _ context: AgentContext) throws(AppLinkFailure) {
    let content = retained.outline
    let category = context.apps[key.app]?.category(content.category)
    let offered = content.actions ?? category.map { $0.actions + ($0.minimalActions ?? []) } ?? []
    guard let chosen = offered.first(where: { $0.id.hasSameBytes(as: action.id) }) else {
      let choices = offered.map { words($0, context) }
      throw AppLinkFailure(
        .invalidArgument,
        "the notification '\(key.id)' has no action '\(action.id)': "
          + (choices.isEmpty ? "open it, or dismiss it" : "use \(CommandLineOptions.list(choices))")
      )
    }
    // An empty reply must be intended, because the notification disappears with the reply.
    guard chosen.textInput == nil || action.text != nil else {
      throw AppLinkFailure(
        .invalidArgument, "the action \(action.id) needs a reply: add --text 'TEXT'")
    }
    // A reply must not get lost, because the notification disappears with the action.
    guard chosen.textInput != nil || action.text == nil else {
      let replies = offered.filter { $0.textInput != nil }.map { words($0, context) }
      throw AppLinkFailure(
        .invalidArgument,
        "the action \(action.id) has no text field: remove --text"
          + (replies.isEmpty ? "" : ", or use \(CommandLineOptions.list(replies))"))
    }
  }

  /// Returns the words for an action in an error.
  ///
  /// The identifiers of an alert's buttons are numbers, so the words include the buttons' titles.
  private func words(_ offer: NotificationAction, _ context: AgentContext) -> String {
    guard retained.outline.actions != nil else { return "'\(offer.id)'" }
    let title = context.text(offer.title, of: key.app)
    return "'\(offer.id)' (\(String(title.unicodeScalars.prefix(80))))"
  }
}
