import BelfryClient
import BelfryWire
import Foundation

/// The app's tile: where a desktop is there, the number on the app's launcher.
@preconcurrency @MainActor
open class NSDockTile: NSObject {
  /// The text of the tile: a number is shown, anything else only stored; nil or empty removes
  /// the number.
  open var badgeLabel: String? {
    didSet {
      let text = badgeLabel ?? ""
      if text.isEmpty {
        AgentSession.shared.send(.setBadge(0))
      } else if let number = Int64(text), number >= 0 {
        AgentSession.shared.send(.setBadge(number))
      }
    }
  }

  /// Whether the app's badge is shown on small windows; stored, without effect.
  open var showsApplicationBadge = true

  /// Does nothing: the label is sent when it is set.
  open func display() {}
}
