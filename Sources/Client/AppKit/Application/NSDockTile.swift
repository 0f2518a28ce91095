import BelfryClient
import AppWire
import Foundation

/// The Dock tile of the app.
///
/// On a desktop, its number appears on the app's launcher.
@preconcurrency @MainActor
open class NSDockTile: NSObject {
  /// The label of the tile.
  ///
  /// A number appears as the badge; other text is stored, but not shown. Nil or an empty string removes the badge.
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

  /// A Boolean value that indicates whether small windows show the app's badge; stored, but has no effect.
  open var showsApplicationBadge = true

  /// Does nothing, because the label is sent when it is set.
  open func display() {}
}
