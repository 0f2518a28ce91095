import Storage
import System

/// What the log and the metrics are told of the stores and their disk.
struct StoreReports {
  private let stores: [StoreHealth]
  private let damages: [(name: String, damage: StoreDamage)]
  /// The rows set aside that the log was told of, of each store.
  private var reportedRows: [String: Int] = [:]  // text: names of our own stores
  private let metrics: GatewayMetrics
  private let log: Log
  /// When the next line about a failing disk may come, in monotonic nanoseconds.
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

  /// Says what there is to say; called once a second.
  mutating func report(atNanoseconds now: Int64) {
    for health in stores {
      let fails = health.failure != nil
      metrics.setFailing(health.name, fails)
      if !fails { say(health.report(atNanoseconds: now), of: health) }
    }
    reportFailures(atNanoseconds: now)
    reportDamage()
  }

  /// One line for each store when rows were set aside that no line has counted.
  private mutating func reportDamage() {
    for (name, damage) in damages {
      let count = damage.count
      metrics.setDamagedRows(name, count)
      let reported = reportedRows.updateValue(count, forKey: name) ?? 0
      guard count > reported else { continue }
      log.error(
        "damaged rows are set aside: what may depend on them is answered 503",
        ["store": name, "rows": "\(count)", "tables": damage.summary ?? ""])
    }
  }

  /// One line a minute about all stores that fail, since they lie on one disk.
  private mutating func reportFailures(atNanoseconds now: Int64) {
    guard now >= nextFailureLine else { return }
    var names: [String] = []
    var reasons: [String] = []
    var count = 0
    for health in stores where health.failure != nil {
      let report = health.report(atNanoseconds: now)
      guard case .failing(let why, let refused) = report else {
        say(report, of: health)
        continue
      }
      names.append(health.name)
      reasons.append(why)
      count += refused
    }
    guard !names.isEmpty else { return }
    nextFailureLine = now + Limits.failureLogNanoseconds
    log.error(
      "the disk takes no writes: what would need one is refused",
      [
        "store": names.joined(separator: ", "), "why": reasons.joined(separator: "; "),
        "refused": "\(count)",
      ])
  }

  private func say(_ report: StoreHealth.Report?, of health: StoreHealth) {
    switch report {
    case nil, .failing: return
    case .works(let nanoseconds, let refused):
      log.info(
        "the disk takes writes again",
        [
          "store": health.name, "afterSeconds": "\(nanoseconds / 1_000_000_000)",
          "refused": "\(refused)",
        ])
    case .unreadable(let why):
      log.error("something that is stored cannot be read", ["store": health.name, "why": why])
    }
  }
}
