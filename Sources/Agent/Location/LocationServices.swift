import Scheduling
import System

/// A source of locations or beacons, which runs only while needed.
protocol LocationSource: AnyObject {
  /// Starts or stops reporting.
  func set(isNeeded: Bool)
  func close()
}

/// The machine's available location services, and the timer for regions.
///
/// The class is confined to its loop. It only reports events; `AgentModel` decides which services run and when to check
/// regions.
final class LocationServices: TimerTarget {
  private let loop: EventLoop
  private let report: (AgentEvent) -> Void
  private var needs = LocationNeeds()
  private var timer: TimerID?
  private var places: (any LocationSource)?
  private var beacons: (any LocationSource)?
  /// True if a service reports the device's location.
  private(set) var isReporting = false

  /// Creates the object without services; `report` is called on the loop.
  init(on loop: EventLoop, report: @escaping (AgentEvent) -> Void) {
    self.loop = loop
    self.report = report
  }

  /// Uses the location services on `bus` instead of the services on an earlier bus; uses no services if `bus` is nil.
  func use(_ bus: BusConnection?, log: Log) {
    closeSources()
    guard let bus else { return }
    do {
      let service = try GeoClueService(bus: bus, on: loop, log: log) { [weak self] in
        self?.located($0)
      }
      places = service
      beacons = try BeaconScanner(bus: bus, log: log) { [weak self] in
        self?.report(.beaconHeard($0))
      }
    } catch {
      log.warning("the machine's location services cannot be used", ["why": "\(error)"])
    }
    apply()
  }

  /// Starts and stops services as needed.
  func run(_ needs: LocationNeeds) {
    self.needs = needs
    apply()
  }

  /// Sets the timer that reports `regionsDue` at the given ``AgentTime/awake`` time, replacing an earlier timer.
  func arm(atAwakeMilliseconds moment: Int64?) {
    if let timer { loop.cancel(timer) }
    timer = moment.map { moment in
      let wait = moment - loop.nowNanoseconds / 1_000_000
      return loop.schedule(afterNanoseconds: AgentTimers.nanoseconds(wait), self, tag: 0)
    }
  }

  /// Stops all services and the timer.
  func close() {
    closeSources()
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// Reports that the regions are due.
  func timerFired(tag: UInt64) {
    timer = nil
    report(.regionsDue)
  }

  private func located(_ place: Place?) {
    isReporting = place != nil
    report(place.map(AgentEvent.located) ?? .locationServiceEnded)
  }

  private func apply() {
    places?.set(isNeeded: needs.places)
    beacons?.set(isNeeded: needs.beacons)
  }

  private func closeSources() {
    places?.close()
    beacons?.close()
    places = nil
    beacons = nil
  }
}
