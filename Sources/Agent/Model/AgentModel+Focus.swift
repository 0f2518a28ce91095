import BelfryWire

/// A window that the person looks at, by what it says of itself.
struct FocusedWindow: Hashable, Sendable {
  /// The process that it belongs to.
  var process: Int32?
  /// What it calls its app, the surest first.
  var names: [String]
}

/// Which app the person looks at, for apps with windows (linux-parts 5).
///
/// An app of which no window was ever in front is left alone: it has none, or says by itself where it
/// is.
extension AgentModel {
  /// Another window is in front; nil is none.
  mutating func looked(at window: FocusedWindow?) {
    focusedWindow = window
    let front = window.flatMap { app(of: $0) }
    if front != nil || conditions.front != nil { conditions.front = front?.text ?? "none" }
    for peer in peers.values.sorted(by: { $0.order < $1.order }) { tell(peer, front: front) }
  }

  /// A connection of an app is new: its window may have come before it.
  mutating func lookAgain(for connection: ConnectionID) {
    guard let peer = peers[connection], let front = focusedWindow.flatMap({ app(of: $0) }),
      front == peer.app
    else { return }
    conditions.front = front.text
    tell(peer, front: front)
  }

  /// Tells an app that it came to the front, or left it, when that is news.
  private mutating func tell(_ peer: AppPeer, front: AppID?) {
    guard peer.role == .app else { return }
    let isFront = peer.app == front
    guard isFront != (peer.isLookedAt ?? false) else { return }
    peers[peer.connection]?.isLookedAt = isFront
    emit(.tell(peer.connection, .state(isFront ? .foreground : .background)))
  }

  /// The app of a window: the one that runs as its process, else the one that it names.
  private func app(of window: FocusedWindow) -> AppID? {
    let owner = peers.values.first {
      $0.role == .app && window.process != nil && $0.process == window.process
    }
    if let app = owner?.app { return app }
    for name in window.names {
      if let id = AppID(name), apps[id] != nil { return id }
      if let record = apps.values.first(where: { $0.installation?.windowClass == name }) {
        return record.id
      }
    }
    return nil
  }
}
