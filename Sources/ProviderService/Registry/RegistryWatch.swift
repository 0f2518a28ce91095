internal import Dispatch
internal import Foundation
internal import Storage
internal import Synchronization
public import System

/// A thread that reports when the registry's disk or database fails, and when it accepts writes again.
///
/// Without this thread, an outage would not end until a request writes to the disk.
public final class RegistryWatch: Sendable {
  private let isStopped = Mutex(false)
  private let isNewer = DispatchSemaphore(value: 0)

  /// Starts the thread, which checks the store of a registry once per second.
  public init(of registry: Registry, log: Log) {
    let store = registry.store
    Thread.detachNewThread { [self] in
      var nextRemoteProbe: Int64 = .min
      while !isStopped.withLock({ $0 }) {
        let now = SystemClock.monotonicNanoseconds
        // Probe an idle database too, so that an outage is noticed before the next request.
        let isProbeDue = store.health.isRemote && now >= nextRemoteProbe
        if isProbeDue { nextRemoteProbe = now + Limits.remoteProbeNanoseconds }
        if isProbeDue || store.health.isRetryDue(atNanoseconds: now) { try? store.probe() }
        report(store.health, log)
        _ = isNewer.wait(timeout: .now() + .nanoseconds(Int(Limits.storeWatchNanoseconds)))
      }
    }
  }

  /// Stops the thread; a write in progress is finished.
  public func stop() {
    isStopped.withLock { $0 = true }
    isNewer.signal()
  }

  private func report(_ health: StoreHealth, _ log: Log) {
    switch health.report(atNanoseconds: SystemClock.monotonicNanoseconds) {
    case nil: return
    case .failing(let why, let refused):
      log.error(
        health.isRemote
          ? "the database cannot be used: registrations and changes of campaigns are refused"
          : "the disk accepts no writes: registrations and changes of campaigns are refused",
        ["store": health.name, "why": why, "refusedWrites": "\(refused)"])
    case .works(let nanoseconds, let refused):
      log.info(
        health.isRemote ? "the database can be used again" : "the disk accepts writes again",
        [
          "store": health.name, "afterSeconds": "\(nanoseconds / 1_000_000_000)",
          "refusedWrites": "\(refused)",
        ])
    case .unreadable(let why):
      log.error("the registry cannot be read", ["store": health.name, "why": why])
    }
  }
}
