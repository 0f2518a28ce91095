import Storage
import System

/// A reporter that shows the state of the stores and their disk in the log and the metrics.
struct StoreReports {
  private let stores: [StoreHealth]
  private let damages: [(name: String, damage: StoreDamage)]
  /// The number of damaged rows of each store that the log has already reported.
  private var reportedRows: [String: Int] = [:]  // text: names of our own stores
  private let metrics: GatewayMetrics
  private let log: Log
  /// The earliest time, in monotonic nanoseconds, at which the next line about a failing disk can be logged.
  private var nextFailureLine: Int64 = .min

  init(
    _ stores: [StoreHealth], damages: [(name: String, damage: StoreDamage)],
    _ metrics: GatewayMetrics, _ log: Log
  ) {
    self.stores = stores
    self.damages = damages
    self.metrics = metrics
    self.log = log
  }

  /// Reports any changes; called once per second.
  mutating func report(atNanoseconds now: Int64) {
    for health in stores {
      let fails = health.failure != nil
      metrics.setFailing(health.name, fails)
      if !fails { say(health.report(atNanoseconds: now), of: health) }
    }
    reportFailures(atNanoseconds: now)
    reportDamage()
  }

  /// Updates the metrics, and logs one line for each store that has set aside more damaged rows since the last report.
  private mutating func reportDamage() {
    for (name, damage) in damages {
      let count = damage.count
      metrics.setDamagedRows(name, count)
      let reported = reportedRows.updateValue(count, forKey: name) ?? 0
      guard count > reported else { continue }
      log.error(
        "damaged rows were set aside: requests that may depend on them get a 503 response",
        ["store": name, "rows": "\(count)", "tables": damage.summary ?? ""])
    }
  }

  /// Logs at most one line per minute for all failing stores together, because they are on the same disk.
  private mutating func reportFailures(atNanoseconds now: Int64) {
    guard now >= nextFailureLine else { return }
    var names: [String] = []
    var reasons: [String] = []
    var count = 0
    var isRemote = false
    for health in stores where health.failure != nil {
      let report = health.report(atNanoseconds: now)
      isRemote = health.isRemote
      guard case .failing(let why, let refused) = report else {
        say(report, of: health)
        continue
      }
      names.append(health.name)
      if !reasons.contains(why) { reasons.append(why) }  // text: our own messages
      count += refused
    }
    guard !names.isEmpty else { return }
    nextFailureLine = now + Limits.failureLogNanoseconds
    log.error(
      isRemote
        ? "the database cannot be used: requests that need it are refused"
        : "the disk accepts no writes: requests that need one are refused",
      [
        "store": names.joined(separator: ", "), "why": reasons.joined(separator: "; "),
        "refusedWrites": "\(count)",
      ])
  }

  private func say(_ report: StoreHealth.Report?, of health: StoreHealth) {
    switch report {
    case nil, .failing: return
    case .works(let nanoseconds, let refused):
      log.info(
        health.isRemote ? "the database can be used again" : "the disk accepts writes again",
        [
          "store": health.name, "afterSeconds": "\(nanoseconds / 1_000_000_000)",
          "refusedWrites": "\(refused)",
        ])
    case .unreadable(let why):
      log.error("stored data cannot be read", ["store": health.name, "why": why])
    }
  }
}
