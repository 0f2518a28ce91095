import System

/// The agent's timers that can be cancelled or reset; confined to the agent's loop.
package final class AgentTimers {
  private let loop: EventLoop
  /// Called with the event of each timer that fires.
  var report: (AgentEvent) -> Void = { _ in }
  /// The timeouts of questions to apps.
  private var questions: [Question: TimerID] = [:]
  /// The timer for background work.
  private var backgroundWork: TimerID?
  /// The timer for the end of an app's background time.
  private var backgroundTime: TimerID?

  /// Creates a set without timers.
  init(on loop: EventLoop) { self.loop = loop }

  /// Converts milliseconds to nanoseconds, capped at 73 years: an app can request a date so distant that the wait does
  /// not fit in an `Int64`.
  package static func nanoseconds(_ milliseconds: Int64) -> Int64 {
    min(max(0, milliseconds), .max / 4_000_000) * 1_000_000
  }

  /// Reports an event after the given number of milliseconds.
  ///
  /// The report cannot be cancelled.
  func report(_ event: AgentEvent, afterMilliseconds milliseconds: Int64) {
    loop.schedule(afterNanoseconds: Self.nanoseconds(milliseconds)) { [weak self] in
      self?.report(event)
    }
  }

  /// Runs `body` in the next turn of the loop.
  func soon(_ body: @escaping () -> Void) { loop.schedule(afterNanoseconds: 0, body) }

  /// Starts a timer that reports the question's timeout unless `cancel` is called first.
  func start(_ question: Question, milliseconds: Int64) {
    assert(questions[question] == nil, "a question's timeout timer is started only once")
    questions[question] = loop.schedule(afterNanoseconds: Self.nanoseconds(milliseconds)) {
      [weak self] in
      self?.questions[question] = nil
      self?.report(.questionTimedOut(question))
    }
  }

  /// Cancels a question's timeout.
  func cancel(_ question: Question) {
    if let timer = questions.removeValue(forKey: question) { loop.cancel(timer) }
  }

  /// Sets the timer that reports `backgroundWorkDue`, replacing an earlier timer; nil cancels the timer.
  func armBackgroundWork(afterMilliseconds milliseconds: Int64?) {
    if let backgroundWork { loop.cancel(backgroundWork) }
    backgroundWork = milliseconds.map { milliseconds in
      loop.schedule(
        afterNanoseconds: Self.nanoseconds(milliseconds),
        slackNanoseconds: Limits.backgroundSlackNanoseconds
      ) { [weak self] in
        self?.backgroundWork = nil
        self?.report(.backgroundWorkDue)
      }
    }
  }

  /// Sets the timer that reports `backgroundTimeDue`, replacing an earlier timer; nil cancels the timer.
  func armBackgroundTime(afterMilliseconds milliseconds: Int64?) {
    if let backgroundTime { loop.cancel(backgroundTime) }
    backgroundTime = milliseconds.map { milliseconds in
      loop.schedule(afterNanoseconds: Self.nanoseconds(milliseconds)) { [weak self] in
        self?.backgroundTime = nil
        self?.report(.backgroundTimeDue)
      }
    }
  }

  /// Cancels all timers that can be cancelled.
  func close() {
    for timer in questions.values { loop.cancel(timer) }
    questions = [:]
    armBackgroundWork(afterMilliseconds: nil)
    armBackgroundTime(afterMilliseconds: nil)
  }
}
