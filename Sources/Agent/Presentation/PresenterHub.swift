import AppWire
import Foundation
import Glibc
import System

/// The agent's presenters, and the session bus that the desktop presenter needs.
///
/// The bus can become available, or be lost, at any time.
final class PresenterHub {
  private let configuration: AgentConfiguration
  private let loop: EventLoop
  private let log: Log
  private weak var listener: (any PresenterListener)?
  private(set) var presenters: [any Presenter] = []
  private var finder: ReconnectingBus?
  private var input: TerminalInput?
  private(set) var quiet: DesktopQuiet?
  /// The windows of `belfry-center`.
  let windows: WindowPresenter
  private let words: () -> DeviceWords
  let sounds: SoundPlayback
  /// Called when the desktop's do-not-disturb mode changes.
  var onQuiet: (Bool) -> Void = { _ in }
  /// Called when a session bus becomes available or is lost.
  var onBus: (BusConnection?) -> Void = { _ in }

  /// Creates the hub; `source` provides the content of windows.
  init(
    _ configuration: AgentConfiguration, _ source: WindowPresenter.Source, on loop: EventLoop,
    listener: any PresenterListener
  ) {
    self.configuration = configuration
    self.loop = loop
    self.listener = listener
    log = configuration.log
    sounds = SoundPlayback(on: loop, log: configuration.log.child("sound"))
    words = source.words
    windows = WindowPresenter(
      source,
      isDesktop: configuration.usesSessionBus
        && configuration.presenters?.contains(.desktop) ?? true,
      on: loop, listener: listener, log: configuration.log.child("windows"))
  }

  /// True if a terminal shows the notifications, because of the options or because there is no session bus.
  var hasTerminal: Bool { presenters.contains { $0.kind == .terminal } }

  /// Opens the configured presenters.
  ///
  /// By default, the hub uses the desktop while a session bus is available. Until a bus becomes available, it uses the
  /// terminal.
  func open() {
    let kinds = configuration.presenters ?? []
    if kinds.contains(.json) {
      presenters.append(JSONPresenter(listener, write: configuration.output))
    }
    if kinds.contains(.terminal) { openTerminal() }
    if configuration.usesSessionBus {
      let finder = ReconnectingBus(.session, on: loop, log: log) { [weak self] in
        self?.busChanged($0)
      }
      self.finder = finder
      finder.open()
    }
    if presenters.isEmpty { openTerminal() }
  }

  /// Shows an event on every presenter.
  func show(_ event: PresenterEvent, atUnixMilliseconds now: Int64) {
    for presenter in presenters { presenter.show(event, atUnixMilliseconds: now) }
    windows.show(event, atUnixMilliseconds: now)
  }

  /// Shows events only on the presenter of a kind, if it exists.
  func replay(
    _ events: [PresenterEvent], to kind: PresenterKind,
    atUnixMilliseconds now: Int64
  ) {
    for presenter in presenters where presenter.kind == kind {
      for event in events { presenter.show(event, atUnixMilliseconds: now) }
    }
    // Pass the events to the windows too, because an item that the new server cannot show needs a window.
    if kind == .desktop {
      for event in events { windows.show(event, atUnixMilliseconds: now) }
    }
  }

  /// Plays a sound, unless the only presenter prints lines of JSON, which are intended for programs.
  func play(_ sound: NotificationSound, of app: LocalApp) {
    guard presenters.contains(where: { !($0 is JSONPresenter) }) else { return }
    sounds.play(sound, of: app)
  }

  /// True if the user can answer a prompt on any presenter or in a window.
  var canAsk: Bool { presenters.contains(where: \.canAsk) || windows.canAsk }

  /// The desktop's presenter, while a session bus is available.
  var desktop: DesktopPresenter? { presenters.lazy.compactMap { $0 as? DesktopPresenter }.first }

  /// The session bus, while it is available.
  var bus: BusConnection? { finder?.bus }

  func close() {
    input?.close()
    sounds.close()
    quiet?.close()
    windows.close()
    for presenter in presenters { presenter.close() }
    finder?.close()
  }

  // MARK: - The terminal

  private var isAutomatic: Bool { configuration.presenters == nil }

  private func openTerminal() {
    guard let listener else { return }
    let terminal = TerminalPresenter(
      listener: listener, ringsBell: isatty(1) == 1 && !sounds.isAvailable,
      isLooked: configuration.presenters?.contains(.terminal) == true || isatty(1) == 1,
      hasInput: { TerminalInput.canRead },
      words: words,
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

  /// Handles a new session bus, or the loss of the bus.
  ///
  /// The desktop presenter needs the bus. The agent also starts apps through the bus, regardless of the presenter.
  private func busChanged(_ bus: BusConnection?) {
    quiet?.close()
    quiet = nil
    presenters.removeAll { $0 is DesktopPresenter }
    let desktop = bus.flatMap(makeDesktop)
    if let desktop {
      if isAutomatic { presenters.removeAll { $0 is TerminalPresenter } }
      presenters.append(desktop)
    }
    if presenters.isEmpty { openTerminal() }
    if desktop == nil { windows.serverChanged(.absent) }
    onBus(bus)
    if bus == nil { onQuiet(false) }
    if desktop != nil { listener?.presenterAppeared(.desktop, isNew: true) }
  }

  private func makeDesktop(_ bus: BusConnection) -> DesktopPresenter? {
    guard wantsDesktop, let listener else { return nil }
    do {
      let desktop = try DesktopPresenter(
        bus: bus, windows: windows, words: words, listener: listener, log: log.child("desktop"))
      desktop.isDesktopQuiet = { [weak self] in self?.quiet?.quiet.isEmpty == false }
      quiet = try DesktopQuiet(bus: bus, on: loop) { [weak self] in self?.onQuiet($0) }
      return desktop
    } catch {
      // Adding a match fails only on a closing connection, which `ReconnectingBus` also detects.
      log.warning("cannot listen to the session bus", ["why": "\(error)"])
      return nil
    }
  }
}
