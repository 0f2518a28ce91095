package import Scheduling
package import System

/// A scanner that finds beacons through BlueZ's discovery, which runs only while beacons are needed.
package final class BeaconScanner: LocationSource {
  private enum Name {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let objects = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
  }

  private let bus: BusConnection
  private let log: Log
  private let onBeacon: (Beacon) -> Void
  private var isNeeded = false
  private var isClosed = false
  private var owner = ""
  /// Adapters that run discovery for this scanner.
  private var adapters: Set<String> = []
  /// The beacons in range, keyed by the paths of their devices.
  private var beacons: [String: Beacon] = [:]

  /// Creates a scanner that calls `onBeacon` on the loop whenever a beacon is received.
  package init(bus: BusConnection, log: Log, onBeacon: @escaping (Beacon) -> Void)
    throws(BusFailure)
  {
    self.bus = bus
    self.log = log
    self.onBeacon = onBeacon
    try bus.match("type='signal',sender='\(Name.service)',interface='\(Name.objects)'") {
      [weak self] message in self?.objectsChanged(message)
    }
    try bus.match(
      "type='signal',sender='\(Name.service)',interface='\(Name.properties)',"
        + "member='PropertiesChanged',arg0='\(Name.device)'"
    ) { [weak self] message in
      guard let self, message.sender == self.owner, message.member == "PropertiesChanged",
        let values = try? message.read(), values.count == 3,
        values[0].stringValue == Name.device
      else { return }
      self.deviceSaid(message.path, values[1])
    }
    try bus.followOwner(of: Name.service) { [weak self] in self?.ownerChanged($0) }
  }

  package func set(isNeeded: Bool) {
    guard isNeeded != self.isNeeded, !isClosed else { return }
    self.isNeeded = isNeeded
    if isNeeded { start() } else { stop() }
  }

  package func close() {
    if isNeeded { stop() }
    isNeeded = false
    isClosed = true
  }

  // MARK: Discovery

  private func ownerChanged(_ newOwner: String) {
    guard newOwner != owner else { return }
    owner = newOwner
    adapters = []
    beacons = [:]
    if isNeeded { start() }
  }

  private func start() {
    guard !owner.isEmpty else { return }
    let asked = owner
    bus.call(owner, "/", Name.objects, "GetManagedObjects") { [weak self] result in
      guard let self, self.owner == asked, self.isNeeded,
        case .success(let values) = result
      else { return }
      for object in values.first?.pairs ?? [] {
        self.found(object.key.stringValue ?? "", object.value)
      }
    }
  }

  private func stop() {
    for adapter in adapters { bus.call(owner, adapter, Name.adapter, "StopDiscovery") { _ in } }
    adapters = []
    beacons = [:]
  }

  private func objectsChanged(_ message: BusMessage) {
    guard message.sender == owner, isNeeded, let values = try? message.read(), values.count == 2,
      let path = values[0].stringValue
    else { return }
    switch message.member {
    case "InterfacesAdded": found(path, values[1])
    case "InterfacesRemoved":
      beacons[path] = nil
      adapters.remove(path)
    default: break
    }
  }

  /// Handles a BlueZ object, with its interfaces and their properties.
  private func found(_ path: String, _ interfaces: BusValue) {
    if interfaces[Name.adapter] != nil { discover(on: path) }
    if let properties = interfaces[Name.device] { deviceSaid(path, properties) }
  }

  private func discover(on adapter: String) {
    guard adapters.insert(adapter).inserted else { return }
    // Report duplicates: a beacon is reported each time that it is received, not only the first time.
    let filter: [(String, BusValue)] = [
      ("Transport", .string("le")), ("DuplicateData", .bool(true)),
    ]
    bus.call(owner, adapter, Name.adapter, "SetDiscoveryFilter", [.vardict(filter)]) { _ in }
    bus.call(owner, adapter, Name.adapter, "StartDiscovery") { [weak self] result in
      guard let self, case .failure(let failure) = result else { return }
      self.adapters.remove(adapter)
      self.log.info(
        "not scanning for beacons: turn Bluetooth on", ["why": "\(failure)"])
    }
  }

  /// Handles changed properties of a device.
  private func deviceSaid(_ path: String, _ properties: BusValue) {
    guard isNeeded else { return }
    let data = properties["ManufacturerData"]?.pairs.first {
      $0.key.unsignedValue == UInt64(Beacon.company)
    }?.value.bytesValue
    if let data {
      guard beacons[path] != nil || beacons.count < Limits.beaconsRemembered else { return }
      beacons[path] = Beacon(manufacturerData: data)
    }
    // BlueZ remembers devices that are out of range. Only a device in range has a signal strength.
    guard let beacon = beacons[path], data != nil || properties["RSSI"] != nil else { return }
    onBeacon(beacon)
  }
}
