import BelfryWire

/// The notifications of one app in the Notification Center.
struct CenterGroup: Hashable, Sendable {
  /// The notifications of one thread, newest first.
  struct Thread: Hashable, Sendable {
    let id: String
    var items: [Presentation]
  }

  let app: AppID
  let name: String
  let icon: String?
  /// True if the user has not decided yet to keep or turn off the app's quiet notifications.
  let isProvisional: Bool
  var threads: [Thread]

  /// Groups notifications, which must be sorted oldest first.
  ///
  /// The apps, and the threads of each app, are ordered by their newest notification, newest first.
  static func groups(
    _ presentations: [Presentation], isProvisional: (AppID) -> Bool
  ) -> [CenterGroup] {
    var groups: [CenterGroup] = []
    for presentation in presentations.reversed() {
      let app = presentation.key.app
      let index: Int
      if let known = groups.firstIndex(where: { $0.app == app }) {
        index = known
      } else {
        index = groups.count
        groups.append(
          CenterGroup(
            app: app, name: presentation.appName, icon: presentation.icon,
            isProvisional: isProvisional(app), threads: []))
      }
      let thread = presentation.thread
      if let known = groups[index].threads.firstIndex(where: { $0.id.hasSameBytes(as: thread) }) {
        groups[index].threads[known].items.append(presentation)
      } else {
        groups[index].threads.append(Thread(id: thread, items: [presentation]))
      }
    }
    assert(
      groups.flatMap(\.threads).map(\.items.count).reduce(0, +) == presentations.count,
      "every notification is in exactly one thread")
    return groups
  }
}
