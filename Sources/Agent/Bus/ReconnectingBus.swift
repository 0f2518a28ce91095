import Foundation
import System

/// A connection to a message bus that might start later, or stop and start again.
///
/// The object reconnects without polling: while the bus is not available, it watches the folder of the bus's socket.
final class ReconnectingBus {
  private let which: BusConnection.Bus
  private let name: String
  private let socket: String?
  private let loop: EventLoop
  private let log: Log
  private let changed: (BusConnection?) -> Void
  private(set) var bus: BusConnection?
  private var watch: PathWatch?
  /// The number of attempts left to connect to a bus whose socket has just appeared or whose connection was just lost.
  private var triesLeft = 0
  private var retry: TimerID?
  private var isToldMissing = false
  private var isClosed = false

  /// Creates an object that connects when `open` is called.
  ///
  /// - Parameters:
  ///   - which: The bus.
  ///   - environment: The environment that contains the bus's address.
  ///   - loop: The loop on which all methods and callbacks run.
  ///   - log: The log that records each connection and each loss.
  ///   - changed: Called when the bus becomes available, and with nil when it is lost.
  init(
    _ which: BusConnection.Bus,
    environment: [String: String] = ProcessInfo.processInfo.environment, on loop: EventLoop,
    log: Log, _ changed: @escaping (BusConnection?) -> Void
  ) {
    self.which = which
    self.loop = loop
    self.log = log
    self.changed = changed
    name =
      switch which {
      case .session: "session bus"
      case .system: "system bus"
      case .at(let address): "bus \(address)"
      }
    socket = Self.socket(of: which, environment)
  }

  /// Starts connecting; if the bus is already available, the connection exists when this method returns.
  func open() {
    // Without a socket to watch, the agent would not notice a new bus, so retries would be useless.
    triesLeft = socket == nil ? 0 : Limits.busTries
    connect()
  }

  func close() {
    isClosed = true
    rest()
    bus?.close()
  }

  private func connect() {
    guard bus == nil, !isClosed else { return }
    // Start watching before the attempt: a bus that appears after a failed attempt must not be missed.
    watchSocket()
    do {
      let bus = try BusConnection(which, on: loop)
      bus.onDisconnect = { [weak self] in self?.ended() }
      self.bus = bus
      isToldMissing = false
      rest()
      // A socket that accepts a connection might not belong to a working bus yet; an answered call shows that the bus
      // works.
      bus.callDriver("GetId") { [weak self, weak bus] result in
        guard let self, self.bus === bus, case .success = result else { return }
        self.triesLeft = Limits.busTries
      }
      changed(bus)
    } catch {
      if !isToldMissing { log.info("no \(name) yet", ["why": "\(error)"]) }
      isToldMissing = true
      tryAgain()
    }
  }

  private func ended() {
    guard !isClosed else { return }
    log.warning("the \(name) has disconnected")
    bus = nil
    changed(nil)
    watchSocket()
    tryAgain()
  }

  /// Retries for a limited time, because the socket exists before the bus listens on it and can outlive the bus.
  private func tryAgain() {
    guard triesLeft > 0, retry == nil, socket.map(FileSystem.exists) ?? true else { return }
    triesLeft -= 1
    retry = loop.schedule(afterNanoseconds: Limits.busRetryNanoseconds) { [weak self] in
      self?.retry = nil
      self?.connect()
    }
  }

  private func watchSocket() {
    guard watch == nil, let socket else { return }
    watch = PathWatch(socket, on: loop) { [weak self] in
      guard let self, FileSystem.exists(socket) else { return }
      self.triesLeft = Limits.busTries
      self.connect()
    }
    if watch?.isWatching == false {
      log.warning(
        "cannot watch for the \(name): raise fs.inotify.max_user_instances",
        ["socket": socket])
    }
  }

  private func rest() {
    watch?.close()
    watch = nil
    if let retry { loop.cancel(retry) }
    retry = nil
  }

  /// Returns the path of a bus's socket, or nil if its address contains no file path.
  static func socket(of which: BusConnection.Bus, _ environment: [String: String]) -> String? {
    switch which {
    case .session:
      if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
        socket(in: address)
      } else {
        environment["XDG_RUNTIME_DIR"].map { $0 + "/bus" }
      }
    case .system:
      socket(in: environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket")
    case .at(let address): socket(in: address)
    }
  }

  /// Returns the first file path among the addresses.
  private static func socket(in addresses: String) -> String? {
    for address in addresses.split(separator: ";") where address.hasPrefix("unix:") {
      for pair in address.dropFirst(5).split(separator: ",") where pair.hasPrefix("path=/") {
        return String(pair.dropFirst(5)).removingPercentEncoding
      }
    }
    return nil
  }
}
