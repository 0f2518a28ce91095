import BelfryWire
import Foundation
import Glibc
import System

/// The agent's presenters, and the session bus that the desktop's needs: it may come later and go.
final class PresenterHub {
  private let configuration: AgentConfiguration
  private let loop: EventLoop
  private let log: Log
  private weak var listener: (any PresenterListener)?
  private(set) var presenters: [any Presenter] = []
  private(set) var bus: BusConnection?
  private var input: TerminalInput?
  private var busWatch: FolderWatch?
  /// How often a bus that has just appeared is still tried.
  private var triesLeft = 0
  private var isClosed = false
  private(set) var quiet: DesktopQuiet?
  let sounds: SoundDesk
  /// Told when the desktop's do-not-disturb changes.
  var onQuiet: (Bool) -> Void = { _ in }
  /// Told when there is a session bus, or none any more.
  var onBus: (BusConnection?) -> Void = { _ in }

  init(
    _ configuration: AgentConfiguration, on loop: EventLoop, listener: any PresenterListener
  ) {
    self.configuration = configuration
    self.loop = loop
    self.listener = listener
    log = configuration.log
    sounds = SoundDesk(on: loop, log: configuration.log.child("sound"))
  }

  /// Opens what was asked for: without a wish the desktop if a session bus is there, else the
  /// terminal until one is.
  func open() {
    let kinds = configuration.presenters ?? []
    if kinds.contains(.json) {
      presenters.append(JSONPresenter(listener, write: configuration.output))
    }
    if kinds.contains(.terminal) { openTerminal() }
    if configuration.usesSessionBus { openBus() }
    if presenters.isEmpty { openTerminal() }
  }

  /// Shows an event everywhere.
  func show(_ event: PresenterEvent, atUnixMilliseconds now: Int64) {
    for presenter in presenters { presenter.show(event, atUnixMilliseconds: now) }
  }

  /// Plays a sound where a person may hear it: lines of JSON are for programs.
  func play(_ sound: NotificationSound, of app: AppRecord) {
    guard presenters.contains(where: { !($0 is JSONPresenter) }) else { return }
    sounds.play(sound, of: app)
  }

  /// Whether a person can answer a prompt somewhere.
  var canAsk: Bool { presenters.contains(where: \.canAsk) }

  /// The desktop's presenter, while there is a session bus.
  var desktop: DesktopPresenter? { presenters.lazy.compactMap { $0 as? DesktopPresenter }.first }

  func close() {
    isClosed = true
    input?.close()
    sounds.close()
    busWatch?.close()
    for presenter in presenters { presenter.close() }
    bus?.close()
  }

  // MARK: - The terminal

  private var isAutomatic: Bool { configuration.presenters == nil }

  private func openTerminal() {
    guard let listener else { return }
    let terminal = TerminalPresenter(
      listener: listener, ringsBell: isatty(1) == 1 && !sounds.isAvailable,
      isLooked: configuration.presenters?.contains(.terminal) == true || isatty(1) == 1,
      write: configuration.output)
    presenters.append(terminal)
    guard configuration.readsInput, input == nil else { return }
    input = TerminalInput(loop: loop) { [weak self] line in
      let terminal = self?.presenters.lazy.compactMap { $0 as? TerminalPresenter }.first
      terminal?.typed(line)
    }
  }

  // MARK: - The desktop

  private var wantsDesktop: Bool { configuration.presenters?.contains(.desktop) ?? true }

  /// Opens the session bus: the desktop needs it, and apps are started by it whoever presents.
  private func openBus() {
    guard let listener, bus == nil, !isClosed else { return }
    do {
      let bus = try BusConnection(.session, on: loop)
      let desktop =
        wantsDesktop
        ? try DesktopPresenter(bus: bus, listener: listener, log: log.child("desktop")) : nil
      if wantsDesktop {
        quiet = try DesktopQuiet(bus: bus) { [weak self] in self?.onQuiet($0) }
      }
      bus.onDisconnect = { [weak self] in self?.busIsGone() }
      self.bus = bus
      busWatch?.close()
      busWatch = nil
      if let desktop {
        if isAutomatic { presenters.removeAll { $0 is TerminalPresenter } }
        presenters.append(desktop)
      }
      onBus(bus)
      if let desktop { listener.presenterAppeared(desktop, isNew: true) }
    } catch {
      guard triesLeft > 0 else {
        log.info("there is no session bus yet", ["why": "\(error)"])
        return watchForBus()
      }
      // Its socket is there before anybody listens on it.
      triesLeft -= 1
      loop.schedule(afterNanoseconds: Limits.busRetryNanoseconds) { [weak self] in
        self?.openBus()
      }
    }
  }

  private func busIsGone() {
    log.warning("the session bus is gone")
    bus = nil
    quiet = nil
    presenters.removeAll { $0 is DesktopPresenter }
    if presenters.isEmpty { openTerminal() }
    onBus(nil)
    onQuiet(false)
    watchForBus()
  }

  /// The user's bus appears as a socket in the runtime folder.
  private func watchForBus() {
    guard busWatch == nil,
      let (folder, name) = Self.busSocket(ProcessInfo.processInfo.environment)
    else { return }
    busWatch = try? FolderWatch(folder, on: loop) { [weak self] names in
      guard let self, names.isEmpty || names.contains(name) else { return }
      self.triesLeft = Limits.busTries
      self.openBus()
    }
  }

  /// The folder in which the session bus's socket will appear, and its name there; nil when its
  /// address is no path.
  static func busSocket(_ environment: [String: String]) -> (folder: String, name: String)? {
    guard let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty else {
      return environment["XDG_RUNTIME_DIR"].map { ($0, "bus") }
    }
    let path = (address.split(separator: ",").first ?? "").dropFirst("unix:path=".count)
    guard address.hasPrefix("unix:path="), let slash = path.lastIndex(of: "/") else { return nil }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}
