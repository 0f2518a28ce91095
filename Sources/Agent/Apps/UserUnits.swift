import Glibc
import System

/// Starts programs as services of the user's systemd, with all that they start (linux-parts 4).
final class UserUnits {
  /// What is to be started.
  struct Order {
    var app: AppID
    /// Absolute.
    var program: String
    var arguments: [String]
    /// Besides the manager's own.
    var environment: [String: String]
  }

  private static let name = "org.freedesktop.systemd1"
  private static let path = "/org/freedesktop/systemd1"

  private let bus: BusConnection
  private var started: [AppID: String] = [:]
  /// Units that are suspended, or on the way there or back.
  private var freezes: [String: UnitFreeze] = [:]

  /// Uses the manager on the session bus, where there is one.
  init(bus: BusConnection) { self.bus = bus }

  /// Ends the unit that was last started for an app.
  ///
  /// Returns false when there is none.
  func end(_ app: AppID) -> Bool {
    guard let unit = started.removeValue(forKey: app) else { return false }
    bus.call(
      Self.name, Self.path, Self.name + ".Manager", "StopUnit",
      [.string(unit), .string("replace")]
    ) { _ in }
    return true
  }

  /// The unit that was last started for an app; nil when there is none.
  func unit(of app: AppID) -> String? { started[app] }

  /// Stops every process of a unit, or lets them run on.
  ///
  /// By its control group's freezer, which no process of it can notice; where there is none, by a signal.
  /// One call is under way at a time: systemd refuses a second one.
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

  /// Tells whether systemd took it; false also where there is no systemd.
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

  /// `app-belfry-ID@RANDOM.service`: the desktop's convention, by which the app is known again.
  static func unitName(_ app: AppID, random: [UInt8]) -> String {
    "app-belfry-\(escaped(app.text))@\(hexadecimal(random)).service"
  }

  /// Characters that a unit's name may not hold, and `-`, which parts it, as systemd writes them.
  static func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += "\\x" + hexadecimal([byte])
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
      // What was told that its time is over has had time to end.
      property("TimeoutStopUSec", .uint64(Limits.endNanoseconds / 1_000)),
      property("CollectMode", .string("inactive-or-failed")),
      property("Slice", .string("app.slice")),
    ]
  }
}
