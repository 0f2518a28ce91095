import Foundation
import System

import Agent

extension FuzzTarget {
  /// Runs the agent's readers for system services on a bus.
  ///
  /// The bytes determine the answers and signals on the bus.
  static func runBus(_ bytes: [UInt8]) {
    guard let loop = try? EventLoop(), let daemon = FuzzedBus(FuzzInput(bytes)) else {
      preconditionFailure("creating the event loop or the bus's socket failed")
    }
    defer { daemon.close() }
    guard let bus = try? BusConnection(.at(daemon.address), on: loop) else {
      preconditionFailure("connecting to the bus failed")
    }
    daemon.accept()
    let readers = BusReaders(bus, on: loop)
    // Run turns while either side has messages, and then a few more turns to process the consequences.
    var idleTurns = 0
    var turns = 0
    while idleTurns < 4, turns < 400 {
      turns += 1
      let hasSpoken = daemon.turn()
      let hasHeard = loop.turn(mayBlock: false)
      idleTurns = hasSpoken || hasHeard ? 0 : idleTurns + 1
    }
    daemon.close()
    readers?.close()
    bus.close()
    while loop.turn(mayBlock: false) {}
  }
}

/// The agent's readers that use a system bus.
private final class BusReaders {
  private let services: SystemServices
  private let beacons: BeaconScanner
  private let places: GeoClueService

  /// Creates the readers; nil if the bus is already closed.
  init?(_ bus: BusConnection, on loop: EventLoop) {
    do {
      services = try SystemServices(bus: bus) { change in
        if case .zone(let name) = change { precondition(name.utf8.count < 1 << 20) }
      }
      beacons = try BeaconScanner(bus: bus, log: .silent) { _ in }
      places = try GeoClueService(bus: bus, on: loop, log: .silent) { place in
        guard let place else { return }
        precondition((-90...90).contains(place.latitude) && (-180...180).contains(place.longitude))
      }
      // Read the answer of a notification server, even if the answer has an unexpected type.
      bus.call(":1.9", "/a", "org.freedesktop.Notifications", "GetCapabilities") { result in
        guard let values = try? result.get() else { return }
        _ = ServerFeatures(
          name: values.first?.stringValue ?? "", version: values.last?.stringValue ?? "",
          names: Set(values.first?.stringsValue ?? []))
        for value in values { Self.look(at: value, depth: 0) }
      }
    } catch {
      return nil
    }
    beacons.set(isNeeded: true)
    places.set(isNeeded: true)
  }

  func close() {
    beacons.close()
    places.close()
  }

  /// Reads a value as every type, because the sender chooses its type.
  private static func look(at value: BusValue, depth: Int) {
    precondition(depth < 200, "the nesting depth of a message is limited")
    _ = (value.stringValue, value.boolValue, value.unsignedValue, value.doubleValue)
    _ = (value.bytesValue, value.stringsValue, value["key"], value.signature)
    // A variant has the same pairs as its value, which is visited below. Visiting both at each depth would take 2^depth
    // steps.
    _ = value.pairs
    switch value {
    case .dictionary(_, _, let pairs):
      for pair in pairs { look(at: pair.value, depth: depth + 1) }
    case .variant(let inner): look(at: inner, depth: depth + 1)
    case .array(_, let elements), .structure(let elements):
      for element in elements { look(at: element, depth: depth + 1) }
    default: break
    }
  }
}
