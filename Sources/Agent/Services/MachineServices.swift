import System

/// The system bus, and the reports of the services on it.
///
/// The bus can become available, or be lost, at any time. The class is confined to its loop.
final class MachineServices {
  private let log: Log
  private let report: (SystemServices.Change) -> Void
  private let onBus: (BusConnection?) -> Void
  private var finder: ReconnectingBus?
  private var services: SystemServices?

  /// Starts looking for the bus; calls `report` with each change, and `onBus` with each new bus, or with nil when the
  /// bus is lost.
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

  /// True if the bus is available.
  var hasBus: Bool { finder?.bus != nil }

  /// The bus names of the running services.
  var running: Set<String> { services?.running ?? [] }

  /// Releases the bus.
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
        // Adding a match fails only on a closing connection, which `ReconnectingBus` also detects.
        log.warning("cannot listen to the system bus", ["why": "\(error)"])
      }
    } else {
      report(.device(.servicesLost))
    }
    onBus(bus)
  }
}
