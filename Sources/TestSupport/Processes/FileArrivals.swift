import Foundation
import Glibc
import Synchronization

/// A watcher that counts the files that arrive in folders, using a single inotify instance for all tests.
///
/// The kernel allows only 128 instances per user, and each agent, bus, and desktop program in the tests needs one.
final class FileArrivals: Sendable {
  static let shared = FileArrivals()

  private struct Waiter {
    let folder: Int32
    let end: ContinuousClock.Instant
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    /// The number of arrivals, by watch number.
    var counts: [Int32: Int] = [:]
    var waiters: [Waiter] = []
  }

  private let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
  private let state = Mutex(State())

  private init() {
    // Use a separate thread, because the tests and Dispatch are limited to one thread per core.
    Thread.detachNewThread { [self] in
      while true {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&wanted, 1, 50)
        serve()
      }
    }
  }

  /// Starts watching a folder, and returns the number of the watch.
  func watch(_ folder: String) -> Int32 {
    inotify_add_watch(descriptor, folder, UInt32(IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE))
  }

  /// Returns the number of arrivals in a folder.
  func count(in folder: Int32) -> Int { state.withLock { $0.counts[folder, default: 0] } }

  /// Waits until more than `count` files have arrived or `limit` has passed.
  func more(than count: Int, in folder: Int32, within limit: Duration) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isThere = state.withLock { state in
        guard state.counts[folder, default: 0] == count else { return true }
        state.waiters.append(
          Waiter(folder: folder, end: .now + limit, continuation: continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func serve() {
    let folders = readFolders()
    let ready = state.withLock { state -> [Waiter] in
      for folder in folders { state.counts[folder, default: 0] += 1 }
      let now = ContinuousClock.now
      let isReady = { (waiter: Waiter) in folders.contains(waiter.folder) || waiter.end <= now }
      let ready = state.waiters.filter(isReady)
      state.waiters.removeAll(where: isReady)
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// Reads the pending events, and returns the watches that they concern.
  private func readFolders() -> Set<Int32> {
    var folders: Set<Int32> = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return folders }
      bytes.withUnsafeBytes { bytes in
        var offset = 0
        let header = MemoryLayout<inotify_event>.size
        while offset + header <= count {
          folders.insert(bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
          offset += header + Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        }
      }
    }
  }
}
