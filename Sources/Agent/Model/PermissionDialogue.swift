import BelfryWire

/// The dialogue with the user about one app's permissions: the open prompt, and whatever waits for an answer.
struct PermissionDialogue: Equatable {
  /// The state of the notifications that an app showed or scheduled through an older interface before the user decided.
  enum OwnNotifications: Equatable {
    /// None of the app's own notifications wait for a decision.
    case none
    /// Notifications in the schedule or in the list wait for the answer to the open prompt.
    case kept
    /// The user dismissed the prompt; the notifications wait for the next one.
    case postponed
  }

  /// The open prompt; an app has at most one.
  var prompt: Prompt?
  /// The app's requests that wait for a decision about notifications, oldest first.
  var requests: [RequestID] = []
  /// Notifications from commands that wait for the same decision, oldest first; each has its own record.
  var waiting: [WaitingNotification] = []
  /// The app's own notifications that wait for the same decision.
  var own = OwnNotifications.none
  /// Requests that wait for a decision about location, oldest first.
  var locationRequests: [RequestID] = []
  /// True if the app also requested location in the background.
  var wantsAlways = false
  /// True if the app requested the location without a usage description in this run of the agent.
  var lacksLocationUsage = false

  /// True if the decision about the app's notifications is still open.
  var isUndecided: Bool { !requests.isEmpty || !waiting.isEmpty || own == .kept }

  /// Returns the decision that the next prompt asks for; nil if nothing waits for a decision.
  func nextSubject(locationUsage: String) -> Prompt.Subject? {
    if isUndecided { return .notifications }
    return locationRequests.isEmpty ? nil : .location(usage: locationUsage)
  }

  /// True if something waits for the answer to the open prompt.
  var isAwaited: Bool {
    switch prompt?.subject {
    case nil: false
    case .notifications: isUndecided
    case .location: !locationRequests.isEmpty
    }
  }

  /// Drops the requests of a connection that has closed.
  ///
  /// A command's notification is shown even if the command's connection is closed.
  mutating func remove(_ connection: ConnectionID) {
    requests.removeAll { $0.connection == connection }
    locationRequests.removeAll { $0.connection == connection }
    if locationRequests.isEmpty { wantsAlways = false }
    assert(
      !(requests + locationRequests).contains { $0.connection == connection },
      "no request of a closed connection waits")
  }

  /// Asserts that the prompt and the waiting requests are consistent.
  func checkInvariants(of app: AppID) {
    assert(prompt.map { $0.app == app } ?? true, "a prompt is listed under its own app")
    assert(prompt == nil || isAwaited, "something waits for every prompt's answer")
    assert(prompt != nil || !isUndecided, "whatever waits for a decision has an open prompt")
    assert(
      prompt != nil || locationRequests.isEmpty, "waiting location requests have an open prompt")
    assert(
      zip(waiting, waiting.dropFirst()).allSatisfy { $0.number < $1.number },
      "waiting notifications are sorted by number")
  }
}

extension Prompt.Subject {
  /// Returns true if both prompts ask for the same decision, regardless of their text.
  func isSameDecision(as other: Prompt.Subject) -> Bool {
    switch (self, other) {
    case (.notifications, .notifications), (.location, .location): true
    case (.notifications, .location), (.location, .notifications): false
    }
  }
}
