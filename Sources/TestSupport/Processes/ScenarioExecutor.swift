import Dispatch

/// An executor with separate threads for tests that run real programs.
///
/// By default, all tests in a run share one thread per core, and hundreds of tests keep these threads busy. There, a
/// test that waits for a program would resume half a minute after the program printed a line, which is too late for
/// programs with time limits.
final class ScenarioExecutor: TaskExecutor {
  static let shared = ScenarioExecutor()

  private let queue = DispatchQueue(
    label: "belfry.scenarios", qos: .userInitiated, attributes: .concurrent)

  private init() {}

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
