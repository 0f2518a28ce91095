extension BusConnection {
  private static let driver = "org.freedesktop.DBus"

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

  /// Requests the unique name of the current owner of `name`.
  func findOwner(of name: String, _ body: @escaping (Result<String, BusFailure>) -> Void) {
    call(Self.driver, "/org/freedesktop/DBus", Self.driver, "GetNameOwner", [.string(name)]) {
      body($0.map { $0.first?.stringValue ?? "" })
    }
  }
}
