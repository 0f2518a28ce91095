import Foundation

extension Scenario {
  /// The kind of bus that a test replaces with its own.
  public enum BusKind: String, Sendable {
    case session, system
  }

  /// Returns the address of the test's own bus, which is known before the bus is running.
  public func busAddress(_ kind: BusKind = .session) -> String {
    "unix:path=\(folder.file("\(kind)-bus"))"
  }

  /// Starts a test's own bus without access control, and returns its address.
  ///
  /// `services` is a folder of services that the bus can start.
  public func bus(_ kind: BusKind = .session, services: String? = nil) async throws -> String {
    try await startBus(kind, services: services).firstLine()
  }

  /// Starts a bus as `bus(_:services:)` does, but returns the program, for a test that stops the bus.
  public func startBus(
    _ kind: BusKind = .session, services: String? = nil
  ) async throws -> RunningProgram {
    let configuration = folder.file("\(kind).conf")
    try """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>\(kind)</type>
      \(services.map { "<servicedir>\($0)</servicedir>" } ?? "")
      <listen>\(busAddress(kind))</listen>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """.write(toFile: configuration, atomically: true, encoding: .utf8)
    let bus = try start(
      [
        TestTool.dbus.required(), "--config-file=\(configuration)", "--nofork",
        "--print-address=1",
      ], name: "dbus-daemon")
    _ = try await bus.firstLine()
    return bus
  }

  /// Polls a condition whose change is not announced by an event.
  ///
  /// Fails after ``TestTimeout/standard``.
  public static func wait(_ what: String, until isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + TestTimeout.standard
    while !(try await isSo()) {
      guard ContinuousClock.now < end else {
        throw ProgramFailure.unreadable("timed out while waiting for \(what)")
      }
      // Polling without a pause would starve the program that is polled.
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}

extension RunningProgram {
  /// Waits for the first line that the program prints and returns it.
  public func firstLine() async throws -> String {
    let lines = try await output(called: "its first line") { $0.first?.isEmpty == false }
    return lines.first ?? ""
  }
}
