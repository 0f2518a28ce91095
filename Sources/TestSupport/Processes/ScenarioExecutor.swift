import Dispatch

/// The threads of tests with real programs.
///
/// The tests of a run share a thread for each core, and hundreds of them compute: one that waits for a program
/// got its turn back half a minute after the program's line, too late for what programs bound by time.
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
