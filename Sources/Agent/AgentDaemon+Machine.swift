import BelfryWire
import Foundation
import System

/// What the machine and the desktop tell, and what follows for work in the background.
extension AgentDaemon {
  /// Listens to the services of the machine, as far as they are there, whenever their bus is.
  func watchServices() {
    guard !clock.isManual else { return }
    let finder = ReconnectingBus(.system, on: loop, log: log) { [weak self] in
      self?.systemBusChanged($0)
    }
    systemBusFinder = finder
    finder.open()
  }

  /// Listens to which window is in front, where the desktop tells.
  func watchFocus() {
    guard configuration.usesSessionBus else { return }
    let focus = FocusMonitor(on: loop, log: log.child("focus")) { [weak self] window in
      self?.model.looked(at: window)
      self?.flush()
    }
    self.focus = focus
    focus.start()
  }

  private func systemBusChanged(_ bus: BusConnection?) {
    services = nil
    if let bus {
      do {
        services = try SystemServices(bus: bus) { [weak self] in self?.serviceTold($0) }
      } catch {
        // Only a connection that is ending takes no matches: the finder hears of that.
        log.warning("the system bus cannot be listened to", ["why": "\(error)"])
      }
    } else {
      // What nobody tells any more holds nothing back. A locked screen stays locked, for all that is
      // known: hidden texts are not shown because a service failed.
      serviceTold(.sleeps(false))
      changeConditions {
        $0.isBatteryLow = false
        $0.isPowerSaver = false
        $0.isMetered = false
      }
    }
    listenForPlaces(on: bus)
  }

  private func serviceTold(_ change: SystemServices.Change) {
    switch change {
    case .isBatteryLow(let isLow): changeConditions { $0.isBatteryLow = isLow }
    case .isPowerSaver(let isOn): changeConditions { $0.isPowerSaver = isOn }
    case .isMetered(let isMetered): changeConditions { $0.isMetered = isMetered }
    case .isLocked(let isLocked):
      isLockToldByService = isLocked
      changeConditions { $0.isLocked = isLocked }
    case .hasNoSession:
      // What a command has locked is not a session's.
      guard isLockToldByService else { break }
      isLockToldByService = false
      changeConditions { $0.isLocked = false }
    case .sleeps(let sleeps):
      guard sleeps != self.sleeps else { break }
      self.sleeps = sleeps
      tellLinkState()
      if !sleeps {
        receiver?.probe()
        // What came due meanwhile need not wait for the kernel's alarm.
        scheduler?.settle()
      }
    case .zone(let name): (clock as? MachineClock)?.moved(toZone: name)
    case .isOnline: receiver?.probe()
    }
  }

  func changeConditions(_ change: (inout DeviceModel.Conditions) -> Void) {
    model.change(atUnixMilliseconds: clock.now.wall, change)
    flush()
  }

  func tellLinkState() {
    var state = model.conditions.deviceState
    if sleeps { state.insert(.asleep) }
    receiver?.tell(state)
  }

  /// Wakes apps whose pushes waited, and says when to look again.
  func lookForBackground() {
    if let backgroundTimer { loop.cancel(backgroundTimer) }
    backgroundTimer = nil
    let now = clock.now.wall
    guard let next = model.nextBackground(atUnixMilliseconds: now) else { return }
    guard next > now else {
      model.releaseBackground(atUnixMilliseconds: now)
      return flush()
    }
    guard !clock.isManual else { return }
    backgroundTimer = loop.schedule(
      afterNanoseconds: (next - now) * 1_000_000,
      slackNanoseconds: Limits.backgroundSlackNanoseconds
    ) { [weak self] in
      self?.backgroundTimer = nil
      self?.lookForBackground()
    }
  }
}
