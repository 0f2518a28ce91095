import Foundation

/// Places for scenarios that run at the same time.
///
/// All tests of a run begin at once. Each scenario has several processes, and hundreds of them on two cores
/// make every one too slow for what programs bound by time.
actor ScenarioPlaces {
  static let shared = ScenarioPlaces(6 * ProcessInfo.processInfo.activeProcessorCount)

  /// Set in a scenario: another within it needs no place.
  @TaskLocal static var isInside = false

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  /// Waits for a place; those who came first have it first.
  func enter() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Gives a place back, or to the one who waits longest.
  func leave() {
    guard !waiting.isEmpty else { return free += 1 }
    waiting.removeFirst().resume()
  }
}
