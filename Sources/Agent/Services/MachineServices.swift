import System

/// The system bus, which may come later and go, and what the services on it report.
///
/// Confined to its loop.
final class MachineServices {
  private let log: Log
  private let report: (SystemServices.Change) -> Void
  private let onBus: (BusConnection?) -> Void
  private var finder: ReconnectingBus?
  private var services: SystemServices?

  /// Looks for the bus at once; `report` hears of each change, `onBus` of each bus, and of none.
  init(
    on loop: EventLoop, log: Log, report: @escaping (SystemServices.Change) -> Void,
    onBus: @escaping (BusConnection?) -> Void
  ) {
    self.log = log
    self.report = report
    self.onBus = onBus
    let finder = ReconnectingBus(.system, on: loop, log: log) { [weak self] in
      self?.busChanged($0)
    }
    self.finder = finder
    finder.open()
  }

  /// Whether there is a bus now.
  var hasBus: Bool { finder?.bus != nil }

  /// The services that run now, by their names on the bus.
  var running: Set<String> { services?.running ?? [] }

  /// Lets go of the bus.
  func close() {
    services = nil
    finder?.close()
  }

  private func busChanged(_ bus: BusConnection?) {
    services = nil
    if let bus {
      do {
        services = try SystemServices(bus: bus) { [weak self] in self?.report($0) }
      } catch {
        // Only a connection that is ending takes no matches: the finder hears of that.
        log.warning("the system bus cannot be listened to", ["why": "\(error)"])
      }
    } else {
      report(.device(.servicesLost))
    }
    onBus(bus)
  }
}
