internal import BelfryWire
package import Storage
internal import System

/// A message from another thread to a campaign's runner.
package enum CampaignMessage: Sendable {
  /// All responses of a batch are available.
  case answered(batch: Int64, BatchAnswers.Answers)
  /// Stop claiming recipients, and finish the pushes in flight.
  ///
  /// The value is the state in which to leave the campaign.
  case stop(CampaignRecord.State)
}

/// The work of a campaign's runner: one run after another, until the campaign is finished or stopped.
///
/// If the campaign's store fails, nothing more is sent, because no outcome could be stored. Another run continues from
/// the store's state once the store is writable again.
package struct CampaignWork {
  private enum Phase: Equatable {
    /// The run has not read the store yet.
    case starting
    case running
    /// The store has failed, and another run starts at this time, in monotonic nanoseconds.
    case waiting(until: Int64)
    case over
  }

  private var campaign: CampaignRecord
  private let document: CampaignDocument
  private let resources: CampaignRunner.Resources
  private let onAnswers: @Sendable (_ batch: Int64, BatchAnswers.Answers) -> Void
  private var run: CampaignRun
  private var phase = Phase.starting
  /// The number of consecutive store failures since a run last wrote to the store successfully.
  private var failures = 0
  /// The reason that the campaign waits for its store; nil if it does not wait.
  private(set) var problem: String?
  /// The reason that the campaign waits for a time; nil if it does not wait.
  var timeWait: CampaignTimeWait? { phase == .running ? run.timeWait : nil }

  /// Creates the work of a campaign that is running, or was cancelled while pushes were in flight.
  ///
  /// `onAnswers` is called once all responses of a batch are available, on any thread.
  package init(
    _ campaign: CampaignRecord, _ document: CampaignDocument, _ resources: CampaignRunner.Resources,
    onAnswers: @escaping @Sendable (_ batch: Int64, BatchAnswers.Answers) -> Void
  ) {
    self.campaign = campaign
    self.document = document
    self.resources = resources
    self.onAnswers = onAnswers
    run = CampaignRun(campaign, document, resources, onAnswers: onAnswers)
  }

  /// Handles a message from another thread, according to the current phase.
  package mutating func handle(_ message: CampaignMessage) {
    switch (message, phase) {
    case (.answered(let batch, let answers), .running): run.handle(answers, of: batch)
    // Discard the answers. The next run looks up the pushes in the delivery log, as after a crash.
    case (.answered(let batch, _), _): run.drop(batch)
    case (.stop(let state), .waiting):
      run.stop(leaving: state)
      phase = .waiting(until: 0)
    case (.stop(let state), _): run.stop(leaving: state)
    }
  }

  /// Performs all due steps.
  ///
  /// Returns the time of the next step in monotonic nanoseconds, or nil if the work is over.
  package mutating func turn() -> Int64? {
    if case .waiting(let moment) = phase {
      // If the program is exiting, leave the pushes in flight to its next start.
      if run.endState == .running { return end() }
      if run.isAwaitingAnswers { return .max / 2 }
      guard moment <= resources.now.nanoseconds else { return moment }
      guard restart() else { return end() }
    }
    guard phase != .over else { return nil }
    do throws(StorageFailure) {
      if phase == .starting {
        try run.recover()
        phase = .running
      }
      let due = try run.advance()
      if run.hasWritten { problem = nil }
      return due ?? end()
    } catch {
      return wait(after: error)
    }
  }

  private mutating func end() -> Int64? {
    phase = .over
    problem = nil
    return nil
  }

  /// Starts another run; returns false if the campaign no longer exists.
  private mutating func restart() -> Bool {
    let endState = run.endState
    do throws(StorageFailure) {
      guard let stored = try resources.registry.store.campaign(campaign.id) else { return false }
      campaign = stored
    } catch {
      // Start another run with the values in memory. It also fails if the store still cannot be read.
    }
    run = CampaignRun(campaign, document, resources, onAnswers: onAnswers)
    if let endState { run.stop(leaving: endState, isRequest: false) }
    phase = .starting
    return true
  }

  private mutating func wait(after failure: StorageFailure) -> Int64? {
    let fields: KeyValuePairs = ["campaign": campaign.id, "why": failure.description]
    guard failure.isOfDisk else {
      resources.log.error("a campaign has stopped", fields)
      let end = end()
      return end
    }
    failures = run.hasWritten ? 1 : failures + 1
    if problem == nil { resources.log.error("a campaign is waiting for its store", fields) }
    problem = "the campaign is waiting for the registry's store: \(failure)"
    let backoff = Backoff(
      firstNanoseconds: Limits.retryPauseNanoseconds,
      longestNanoseconds: Limits.retryPauseNanosecondsMax)
    var random = resources.random()
    let moment =
      resources.now.nanoseconds
      + backoff.nanoseconds(afterFailures: failures, random: random.next())
    phase = .waiting(until: moment)
    return run.isAwaitingAnswers ? .max / 2 : moment
  }
}
