/// Calls of the bus itself (D-Bus specification, "Message Bus Messages").
extension BusConnection {
  private static let driver = "org.freedesktop.DBus"

  /// Calls a method of the bus.
  func callDriver(
    _ member: String, _ arguments: [BusValue] = [], mayStart: Bool = false,
    timeoutSeconds: UInt64 = 25, _ reply: @escaping Reply
  ) {
    call(
      Self.driver, "/org/freedesktop/DBus", Self.driver, member, arguments, mayStart: mayStart,
      timeoutSeconds: timeoutSeconds, reply)
  }

  /// Asks the bus to start the service that owns `name`, unless it is running.
  func startService(
    _ name: String, timeoutSeconds: UInt64 = 25, _ reply: @escaping Reply
  ) {
    callDriver(
      "StartServiceByName", [.string(name), .uint32(0)], mayStart: true,
      timeoutSeconds: timeoutSeconds, reply)
  }

  /// Calls `body` whenever the owner of `name` changes, with the owner's unique name, or an empty string if the name
  /// has no owner.
  ///
  /// The current owner is also reported unless `asksNow` is false. Following the name does not cause the bus to start a
  /// service.
  func followOwner(
    of name: String, asksNow: Bool = true, _ body: @escaping (String) -> Void
  ) throws(BusFailure) {
    try match(
      "type='signal',sender='\(Self.driver)',interface='\(Self.driver)',"
        + "member='NameOwnerChanged',arg0='\(name)'"
    ) { message in
      guard message.member == "NameOwnerChanged", let values = try? message.read(),
        values.count == 3, values[0].stringValue == name
      else { return }
      body(values[2].stringValue ?? "")
    }
    guard asksNow else { return }
    findOwner(of: name) { result in
      if case .success(let owner) = result { body(owner) }
    }
  }

  /// Calls `body` with each name whose owner changes and its new owner, which is empty if the name has no owner.
  func followOwners(_ body: @escaping (String, String) -> Void) throws(BusFailure) {
    try match(
      "type='signal',sender='\(Self.driver)',interface='\(Self.driver)',member='NameOwnerChanged'"
    ) { message in
      guard message.member == "NameOwnerChanged", let values = try? message.read(),
        values.count == 3, let name = values[0].stringValue
      else { return }
      body(name, values[2].stringValue ?? "")
    }
  }

  /// Requests the unique name of the current owner of `name`.
  func findOwner(of name: String, _ body: @escaping (Result<String, BusFailure>) -> Void) {
    callDriver("GetNameOwner", [.string(name)]) {
      body($0.map { $0.first?.stringValue ?? "" })
    }
  }
}
