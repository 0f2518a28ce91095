import BelfryWire
import System

/// A source of locations or beacons, which runs only while needed.
protocol LocationSource: AnyObject {
  /// Starts reporting, or stops.
  func set(isNeeded: Bool)
  func close()
}

/// The location services of the machine, as far as they are there, and the regions' timer.
///
/// Confined to its loop. Reports what it hears; `AgentModel` says what has to run and when to look.
final class LocationServices: TimerTarget {
  private let loop: EventLoop
  private let report: (AgentEvent) -> Void
  private var needs = LocationNeeds()
  private var timer: TimerID?
  private var places: (any LocationSource)?
  private var beacons: (any LocationSource)?
  /// Whether a service says where the device is.
  private(set) var isReporting = false

  /// No services yet; `report` is called on the loop.
  init(on loop: EventLoop, report: @escaping (AgentEvent) -> Void) {
    self.loop = loop
    self.report = report
  }

  /// The services of a bus, in place of those of an earlier one; nil has none.
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

  /// Starts and stops services.
  func run(_ needs: LocationNeeds) {
    self.needs = needs
    apply()
  }

  /// Reports `regionsDue` at that moment, in milliseconds awake, in place of an earlier one.
  func arm(atAwakeMilliseconds moment: Int64?) {
    if let timer { loop.cancel(timer) }
    timer = moment.map { moment in
      let wait = moment - loop.nowNanoseconds / 1_000_000
      return loop.schedule(afterNanoseconds: max(0, wait) * 1_000_000, self, tag: 0)
    }
  }

  /// Ends what runs.
  func close() {
    closeSources()
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// The regions' time has come.
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
