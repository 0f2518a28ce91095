import Dispatch

/// The threads of tests with real programs.
///
/// The tests of a run share one thread per core, and hundreds of them compute. A test that waited for a program would
/// resume half a minute after the program's line, too late for programs with time limits.
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
