/// A watch on one property of a service on a bus, which continues when the service restarts.
///
/// The watch starts no service. A service that is not running has no value.
final class BusPropertyWatch {
  private let bus: BusConnection
  /// The service's well-known name.
  let service: String
  private let path: String
  private let interface: String
  private let property: String
  private let body: (BusValue?) -> Void
  private var owner = ""
  /// True if the service is running.
  var isThere: Bool { !owner.isEmpty }

  /// Creates a watch that calls `body` with the value whenever it changes, and with nil when the service stops.
  init(
    _ bus: BusConnection, service: String, path: String, interface: String, property: String,
    _ body: @escaping (BusValue?) -> Void
  ) throws(BusFailure) {
    self.bus = bus
    self.service = service
    self.path = path
    self.interface = interface
    self.property = property
    self.body = body
    try bus.match(
      "type='signal',sender='\(service)',path='\(path)',"
        + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
        + "arg0='\(interface)'"
    ) { [weak self] message in self?.changed(message) }
    try bus.followOwner(of: service) { [weak self] in self?.ownerChanged($0) }
  }

  private func ownerChanged(_ newOwner: String) {
    guard newOwner != owner else { return }
    owner = newOwner
    guard !newOwner.isEmpty else { return body(nil) }
    read()
  }

  private func read() {
    let asked = owner
    bus.call(
      asked, path, "org.freedesktop.DBus.Properties", "Get",
      [.string(interface), .string(property)]
    ) { [weak self] result in
      guard let self, self.owner == asked, case .success(let values) = result else { return }
      self.body(values.first)
    }
  }

  private func changed(_ message: BusMessage) {
    // A match by a well-known name also delivers signals from other services (linux-parts 1).
    guard message.sender == owner, message.member == "PropertiesChanged", message.path == path,
      let values = try? message.read(), values.count == 3,
      values[0].stringValue == interface
    else { return }
    if let value = values[1][property] {
      body(value)
    } else if values[2].stringsValue?.contains(property) == true {
      read()
    }
  }
}
