import Storage
import TestSupport
import Testing

@testable import ProviderService

/// Tests of the decisions about a campaign's state.
@Suite struct CampaignLifecycleTests {
  private typealias State = CampaignRecord.State
  private typealias Event = CampaignLifecycle.Event
  private typealias Action = CampaignLifecycle.Action

  private func result(
    _ state: State, isRunning: Bool = false, _ event: Event
  ) -> (actions: [Action]?, state: State) {
    var lifecycle = CampaignLifecycle(state: state, isRunning: isRunning)
    let result = lifecycle.handle(event)
    return (try? result.get(), lifecycle.state)
  }

  @Test func `A draft with a time in the future is scheduled, and starts when it is due`() {
    let scheduled = result(.draft, .sendRequested(startsLater: true))
    #expect(scheduled.actions == [.checkAudience, .storeState] && scheduled.state == .scheduled)
    let started = result(.scheduled, .due)
    #expect(started.actions == [.start, .run] && started.state == .running)
    let failed = result(.scheduled, .startFailed)
    #expect(failed.actions == [.storeState] && failed.state == .draft)
    #expect(result(.draft, .sendRequested(startsLater: false)).actions == [.start, .run])
    // A clock event that arrives after the state has changed has no effect.
    for state in State.allCases where state != .scheduled {
      #expect(result(state, .due).actions == [] && result(state, .due).state == state)
    }
  }

  @Test func `An edit never sends, and only a campaign that has not started can be edited`() {
    for (later, isHeld, end) in [
      (true, false, State.scheduled), (false, false, .draft), (true, true, .draft),
    ] {
      let edited = result(.scheduled, .editRequested(startsLater: later, isHeld: isHeld))
      #expect(edited.state == end && edited.actions?.contains(.replaceContent) == true)
      #expect(edited.actions?.contains(.run) == false)
      #expect(
        result(.draft, .editRequested(startsLater: later, isHeld: isHeld)).state == .draft)
    }
    for state in [State.running, .paused, .completed, .cancelled] {
      #expect(
        result(state, .editRequested(startsLater: true, isHeld: false)).actions == nil)
    }
  }

  @Test func `A cancelled campaign stays cancelled, and settles what was in flight`() {
    #expect(result(.scheduled, .cancelRequested).actions == [.storeState])
    #expect(
      result(.running, isRunning: true, .cancelRequested).actions
        == [.stopRunner(leaving: .cancelled)])
    for state in [State.running, .paused] {
      let cancelled = result(state, .cancelRequested)
      #expect(cancelled.actions == [.storeState, .run] && cancelled.state == .cancelled)
    }
    #expect(result(.draft, .cancelRequested).actions == nil)
    #expect(result(.completed, .cancelRequested).actions == nil)
    #expect(result(.cancelled, .sendRequested(startsLater: false)).actions == nil)
    #expect(result(.cancelled, .pauseRequested).actions == nil)
    let restarted = Event.serviceStarted(isWhole: true, hasBatches: true)
    #expect(result(.cancelled, restarted).actions == [.run])
    #expect(
      result(.cancelled, .serviceStarted(isWhole: true, hasBatches: false)).actions == [])
  }

  @Test func `Only a campaign of which nothing is in flight can be deleted`() {
    for (state, isRunning, isAllowed) in [
      (State.draft, false, true), (.scheduled, false, true), (.completed, false, true),
      (.cancelled, false, true), (.cancelled, true, false), (.running, true, false),
      (.running, false, false), (.paused, false, false),
    ] {
      let actions = result(state, isRunning: isRunning, .deleteRequested).actions
      #expect((actions == [.remove]) == isAllowed, "\(state) \(isRunning)")
    }
  }

  @Test func `Damaged rows pause a running campaign at the start of the service`() {
    let paused = result(.running, .serviceStarted(isWhole: false, hasBatches: true))
    #expect(paused.state == .paused && paused.actions == [.storeState])
    let resumed = result(.running, .serviceStarted(isWhole: true, hasBatches: false))
    #expect(resumed.state == .running && resumed.actions == [.run])
  }

  @Test func `Every refusal names the campaign, its state and a remedy`() {
    for state in State.allCases {
      for refusal in [
        CampaignLifecycle.Refusal.cannotPause(state), .cannotCancel(state), .cannotEdit(state),
        .cannotDelete(state), .cannotSend(state),
      ] {
        let (what, advice) = refusal.text(about: "c1")
        #expect(what.contains("c1") && what.contains(state.rawValue) && !advice.isEmpty)
      }
    }
  }

  /// Checks, for random histories, the properties that must hold in every history.
  @Test(arguments: 0..<200)
  func `A history of any events keeps the promises of the states`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var lifecycle = CampaignLifecycle(state: .draft, isRunning: false)
    var wasCancelled = false
    for _ in 0..<60 {
      let event: Event =
        switch Int.random(in: 0...8, using: &random) {
        case 0: .sendRequested(startsLater: Bool.random(using: &random))
        case 1:
          .editRequested(
            startsLater: Bool.random(using: &random), isHeld: Bool.random(using: &random))
        case 2: .pauseRequested
        case 3: .cancelRequested
        case 4: .deleteRequested
        case 5: .due
        case 6: .startFailed
        case 7:
          lifecycle.isRunning
            ? .runnerEnded(
              wasCancelled ? .cancelled : Bool.random(using: &random) ? .paused : .completed)
            : .due
        default:
          .serviceStarted(
            isWhole: Bool.random(using: &random), hasBatches: Bool.random(using: &random))
        }
      let before = lifecycle
      switch lifecycle.handle(event) {
      case .failure: #expect(lifecycle == before, "a refusal changes nothing")
      case .success(let actions):
        if before.state == .cancelled || before.state == .completed {
          #expect(lifecycle.state == before.state, "an ended campaign stays ended")
          #expect(!actions.contains(.start))
        }
        if before.isRunning, event != .serviceStarted(isWhole: true, hasBatches: true) {
          #expect(!actions.contains(.start), "a campaign is never started twice")
        }
        if case .editRequested = event { #expect(!lifecycle.isRunning) }
        if actions.contains(.stopRunner(leaving: .cancelled)) { wasCancelled = true }
        if actions.contains(.remove) { return #expect(!before.isRunning) }
      }
    }
  }
}
