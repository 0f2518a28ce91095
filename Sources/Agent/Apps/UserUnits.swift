import BelfryWire
import Glibc
import System

/// Programs that run as services of the user's systemd instance, including all their child processes (linux-parts 4).
final class UserUnits {
  /// An order to start a program.
  struct Order {
    var app: AppID
    /// The program's absolute path.
    var program: String
    var arguments: [String]
    /// Environment variables in addition to the service manager's own.
    var environment: [String: String]
  }

  private static let name = "org.freedesktop.systemd1"
  private static let path = "/org/freedesktop/systemd1"

  private let bus: BusConnection
  private var started: [AppID: String] = [:]
  /// Units that are suspended, or are being suspended or resumed.
  private var freezes: [String: UnitFreeze] = [:]

  /// Creates the set of units that the service manager on the session bus runs, if the manager is available.
  init(bus: BusConnection) { self.bus = bus }

  /// Stops the unit that was last started for an app.
  ///
  /// Returns false if no unit was started.
  func end(_ app: AppID) -> Bool {
    guard let unit = started.removeValue(forKey: app) else { return false }
    bus.call(
      Self.name, Self.path, Self.name + ".Manager", "StopUnit",
      [.string(unit), .string("replace")]
    ) { _ in }
    return true
  }

  /// Kills every process of the unit that was last started for an app; the processes can be suspended.
  func killProcesses(of app: AppID) {
    guard let unit = started.removeValue(forKey: app) else { return }
    bus.call(
      Self.name, Self.path, Self.name + ".Manager", "KillUnit",
      [.string(unit), .string("all"), .int32(SIGKILL)]
    ) { _ in }
    // The kernel ends killed processes in a frozen control group, but older versions only once the group is thawed.
    setSuspended(false, unit)
  }

  /// Returns the unit that was last started for an app, or nil if no unit was started.
  func unit(of app: AppID) -> String? { started[app] }

  /// Finds out whether a unit exists; systemd removes a unit as soon as its program has exited.
  ///
  /// `done` receives false only if systemd reports that the unit does not exist.
  func find(_ unit: String, _ done: @escaping (Bool) -> Void) {
    bus.call(Self.name, Self.path, Self.name + ".Manager", "GetUnit", [.string(unit)]) { result in
      guard case .failure(let failure) = result else { return done(true) }
      done(failure.name != Self.name + ".NoSuchUnit")
    }
  }

  /// Suspends or resumes every process of a unit.
  ///
  /// The method uses the freezer of the unit's control group, which processes cannot detect, or a signal if no freezer
  /// is available. Only one call is pending per unit, because systemd refuses a second call.
  func setSuspended(_ isSuspended: Bool, _ unit: String) {
    guard isSuspended || freezes[unit] != nil else { return }
    freezes[unit, default: UnitFreeze()].isWanted = isSuspended
    settle(unit)
  }

  private func settle(_ unit: String) {
    guard let step = freezes[unit]?.next() else {
      if freezes[unit]?.isOver == true { freezes[unit] = nil }
      return
    }
    func call(_ method: String, _ arguments: [BusValue]) {
      bus.call(Self.name, Self.path, Self.name + ".Manager", method, arguments) {
        [weak self] result in
        let isDone = if case .success = result { true } else { false }
        self?.freezes[unit]?.isAnswered(step, isDone: isDone)
        self?.settle(unit)
      }
    }
    switch step {
    case .freeze: call("FreezeUnit", [.string(unit)])
    case .thaw: call("ThawUnit", [.string(unit)])
    case .stopProcesses: call("KillUnit", [.string(unit), .string("all"), .int32(SIGSTOP)])
    case .continueProcesses: call("KillUnit", [.string(unit), .string("all"), .int32(SIGCONT)])
    }
  }

  /// Starts a unit.
  ///
  /// `done` receives true if systemd accepted the order, and false if systemd refused it or is not available.
  func start(_ order: Order, _ done: @escaping (Bool) -> Void) {
    let unit = Self.unitName(order.app, random: SystemRandom.bytes(8))
    bus.call(
      Self.name, Self.path, Self.name + ".Manager", "StartTransientUnit",
      [
        .string(unit), .string("fail"), .array("(sv)", Self.properties(order)),
        .array("(sa(sv))", []),
      ]
    ) { [weak self] result in
      guard case .success = result else { return done(false) }
      self?.started[order.app] = unit
      done(true)
    }
  }

  /// Returns the unit's name, `app-belfry-ID@RANDOM.service`.
  ///
  /// The name follows the desktop's naming convention, which lets the agent identify the app by its unit.
  static func unitName(_ app: AppID, random: [UInt8]) -> String {
    "app-belfry-\(escaped(app.text))@\(Hexadecimal.encode(random)).service"
  }

  /// Escapes the same characters as systemd: `-`, which separates the parts of a unit's name, and characters that a
  /// unit's name must not contain.
  static func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += "\\x" + Hexadecimal.encode([byte])
      }
    }
    return result
  }

  private static func properties(_ order: Order) -> [BusValue] {
    func property(_ name: String, _ value: BusValue) -> BusValue {
      .structure([.string(name), .variant(value)])
    }
    let words = BusValue.strings([order.program] + order.arguments)
    return [
      property("Description", .string("\(order.app), started by Belfry")),
      property(
        "ExecStart", .array("(sasb)", [.structure([.string(order.program), words, .bool(false)])])),
      property(
        "Environment",
        .strings(order.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })),
      // This timeout is sufficient, because the app was warned before its time expired and has had time to exit.
      property("TimeoutStopUSec", .uint64(Limits.endNanoseconds / 1_000)),
      property("CollectMode", .string("inactive-or-failed")),
      property("Slice", .string("app.slice")),
    ]
  }
}
