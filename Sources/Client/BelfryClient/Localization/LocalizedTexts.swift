import Scheduling
import Foundation
import Synchronization

/// The strings that this process looked up by key.
///
/// A notification contains the key of its text, so that the text follows the user's language.
package final class LocalizedTexts: Sendable {
  package struct Source: Hashable, Sendable {
    package var key: String
    package var arguments: [String]

    package init(key: String, arguments: [String]) {
      self.key = key
      self.arguments = arguments
    }
  }

  package static let shared = LocalizedTexts()

  private struct State {
    var sources: [String: Source] = [:]
    var order: [String] = []
  }

  private let state = Mutex(State())

  /// Looks up a key, and records the key and arguments of the resulting string.
  package func text(forKey key: String, arguments: [String]) -> String {
    let format = Bundle.main.text(forKey: key, value: key, table: nil)
    let text = LocalizedFormat.fill(format, with: arguments).text
    remember(text, Source(key: key, arguments: arguments))
    return text
  }

  package func remember(_ text: String, _ source: Source) {
    state.withLock { state in
      if state.sources.updateValue(source, forKey: text) == nil {
        state.order.append(text)
        if state.order.count > Limits.localizedTexts {
          state.sources[state.order.removeFirst()] = nil
        }
      }
    }
  }

  /// Returns the key and arguments of a string; nil if the string was not looked up by a key.
  package func source(of text: String) -> Source? { state.withLock { $0.sources[text] } }
}
