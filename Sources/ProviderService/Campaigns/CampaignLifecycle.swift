package import Storage

/// The states of a campaign, and the effect of each request and event in each state.
///
/// This type is a state machine without I/O: its owner executes the actions in order.
package struct CampaignLifecycle: Equatable, Sendable {
  package typealias State = CampaignRecord.State

  /// A request from the operator, or an event in the service.
  package enum Event: Equatable, Sendable {
    /// Start a draft, or continue a paused or interrupted campaign.
    ///
    /// `startsLater` is true if the campaign's time is in the future for every device.
    case sendRequested(startsLater: Bool)
    /// Replace the content. `isHeld` is true if the campaign becomes a draft afterward.
    case editRequested(startsLater: Bool, isHeld: Bool)
    case pauseRequested
    case cancelRequested
    case deleteRequested
    /// The time of a scheduled campaign has arrived.
    case due
    /// The scheduled campaign could not be started.
    case startFailed
    /// The service has started; `isWhole` is false if rows of the campaign are damaged.
    case serviceStarted(isWhole: Bool, hasBatches: Bool)
    /// The runner has finished and left the campaign in this state.
    case runnerEnded(State)
  }

  /// An action for the state machine's owner.
  package enum Action: Equatable, Sendable {
    /// Check that the campaign can be sent to its audience; a problem aborts the request.
    case checkAudience
    /// Store the current state.
    case storeState
    /// Store the new content with the current state.
    case replaceContent
    /// Check the audience, freeze it, and store the current state, in one transaction.
    case start
    /// Send the campaign, or settle the batches that an earlier run left in flight.
    case run
    /// Stop the runner and leave the campaign in this state.
    case stopRunner(leaving: State)
    /// Remove the campaign with its outcomes.
    case remove
  }

  /// The reason that a state does not allow a request.
  package enum Refusal: Error, Equatable, Sendable {
    case cannotPause(State)
    case cannotCancel(State)
    case cannotEdit(State)
    case cannotDelete(State)
    case cannotSend(State)
    /// Pushes in flight have no outcome yet, so the campaign has not ended completely.
    case isEnding
  }

  package private(set) var state: State
  /// True while a runner sends the campaign or settles its batches in flight.
  private(set) var isRunning: Bool

  package init(state: State, isRunning: Bool) {
    self.state = state
    self.isRunning = isRunning
    checkInvariants()
  }

  /// Handles an event and returns the actions that follow from it.
  package mutating func handle(_ event: Event) -> Result<[Action], Refusal> {
    defer { checkInvariants() }
    switch event {
    case .sendRequested(let startsLater): return send(startsLater: startsLater)
    case .editRequested(let startsLater, let isHeld):
      return edit(staysScheduled: startsLater && !isHeld)
    case .pauseRequested: return pause()
    case .cancelRequested: return cancel()
    case .deleteRequested: return delete()
    case .due: return .success(state == .scheduled ? begin() : [])
    case .startFailed:
      // The campaign was never started, so it can be edited and started again.
      return .success(state == .scheduled ? become(.draft) : [])
    case .serviceStarted(let isWhole, let hasBatches):
      return .success(recover(isWhole: isWhole, hasBatches: hasBatches))
    case .runnerEnded(let end):
      // Nothing can undo a cancellation.
      if state != .cancelled { state = end }
      isRunning = false
      return .success([])
    }
  }

  private mutating func send(startsLater: Bool) -> Result<[Action], Refusal> {
    switch state {
    case .draft:
      guard startsLater else { return .success(begin()) }
      return .success([.checkAudience] + become(.scheduled))
    case .scheduled: return .success(startsLater ? [] : begin())
    case .running: return .success(isRunning ? [] : run())
    case .paused:
      if isRunning { return .failure(.isEnding) }
      return .success(become(.running) + run())
    case .completed: return .success([])
    case .cancelled: return .failure(.cannotSend(state))
    }
  }

  private mutating func edit(staysScheduled: Bool) -> Result<[Action], Refusal> {
    switch state {
    case .draft: return .success([.replaceContent])
    case .scheduled:
      // An edit never sends a campaign: unless its time is in the future, the campaign becomes a draft.
      guard staysScheduled else {
        state = .draft
        return .success([.replaceContent])
      }
      return .success([.checkAudience, .replaceContent])
    case .running, .paused, .completed, .cancelled: return .failure(.cannotEdit(state))
    }
  }

  private mutating func pause() -> Result<[Action], Refusal> {
    switch state {
    case .running:
      return .success(isRunning ? [.stopRunner(leaving: .paused)] : become(.paused))
    case .paused: return .success([])
    case .draft, .scheduled, .completed, .cancelled: return .failure(.cannotPause(state))
    }
  }

  private mutating func cancel() -> Result<[Action], Refusal> {
    switch state {
    case .scheduled: return .success(become(.cancelled))
    case .running, .paused:
      if isRunning { return .success([.stopRunner(leaving: .cancelled)]) }
      return .success(become(.cancelled) + run())
    case .cancelled: return .success([])
    case .draft, .completed: return .failure(.cannotCancel(state))
    }
  }

  private mutating func delete() -> Result<[Action], Refusal> {
    switch state {
    case .draft, .scheduled: return .success([.remove])
    case .completed, .cancelled: return isRunning ? .failure(.isEnding) : .success([.remove])
    case .running, .paused: return .failure(.cannotDelete(state))
    }
  }

  private mutating func recover(isWhole: Bool, hasBatches: Bool) -> [Action] {
    switch state {
    case .running: return isWhole ? run() : become(.paused)
    // The pushes that were in flight when the service stopped still get their outcomes.
    case .cancelled: return hasBatches && isWhole ? run() : []
    case .draft, .scheduled, .paused, .completed: return []
    }
  }

  private mutating func begin() -> [Action] {
    state = .running
    isRunning = true
    return [.start, .run]
  }

  private mutating func run() -> [Action] {
    isRunning = true
    return [.run]
  }

  private mutating func become(_ state: State) -> [Action] {
    self.state = state
    return [.storeState]
  }

  /// Asserts that the state and the runner are consistent with each other.
  func checkInvariants() {
    precondition(
      !isRunning || (state != .draft && state != .scheduled),
      "only a started campaign is running")
  }
}

extension CampaignLifecycle.Refusal {
  /// Returns a message about the campaign with this ID, and advice on how to proceed.
  package func text(about id: String) -> (what: String, advice: String) {
    switch self {
    case .cannotPause(let state):
      (
        "cannot pause campaign \(id): it is \(state.phrase)",
        state == .scheduled ? "edit or cancel it" : "only a running campaign can be paused"
      )
    case .cannotCancel(let state):
      (
        "cannot cancel campaign \(id): it is \(state.phrase)",
        state == .draft
          ? "delete it" : "only a scheduled, running or paused campaign can be cancelled"
      )
    case .cannotEdit(let state):
      ("cannot edit campaign \(id): it is \(state.phrase)", "copy it and edit the copy")
    case .cannotDelete(let state):
      ("cannot delete campaign \(id): it is \(state.phrase)", "cancel it first")
    case .cannotSend(let state):
      ("cannot send campaign \(id): it is \(state.phrase)", "copy it and send the copy")
    case .isEnding:
      ("campaign \(id) is waiting for responses to pushes in flight", "try again in a few seconds")
    }
  }
}

extension CampaignRecord.State {
  /// The state in words, for use within a sentence.
  var phrase: String { self == .draft ? "a draft" : rawValue }
}
