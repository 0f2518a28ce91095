import Foundation

/// A limit on the number of scenarios that run concurrently.
///
/// All tests in a run start at the same time. Each scenario has several processes, and hundreds of scenarios on two
/// cores would be too slow for programs with time limits.
actor ScenarioPlaces {
  static let shared = ScenarioPlaces(6 * ProcessInfo.processInfo.activeProcessorCount)

  /// True if the current task is in a scenario.
  ///
  /// A nested scenario does not need a place of its own.
  @TaskLocal static var isInside = false

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  /// Waits for a place, in order of arrival.
  func enter() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Releases a place, or passes it to the scenario that has waited the longest.
  func leave() {
    guard !waiting.isEmpty else { return free += 1 }
    waiting.removeFirst().resume()
  }
}
