import BelfryWire
import Foundation
import System

/// A monitor of the focused window of an X server, as reported by `belfry-focus`.
final class FocusMonitor {
  private let loop: EventLoop
  private let log: Log
  private let environment = ProcessInfo.processInfo.environment
  private let onChange: (FocusedWindow?) -> Void
  /// The absolute path of `belfry-focus`; nil if it is not installed.
  let program: String?
  private var child: ChildProgram?

  /// Creates a monitor with the `belfry-focus` next to this program or on `PATH`; `onChange` is called with each
  /// change.
  init(on loop: EventLoop, log: Log, onChange: @escaping (FocusedWindow?) -> Void) {
    self.loop = loop
    self.log = log
    self.onChange = onChange
    program = HelperProgram.find("belfry-focus", environment)
  }

  /// True if this session has an X server.
  var hasDisplay: Bool { environment["DISPLAY"].map { !$0.isEmpty } ?? false }

  /// True if windows are being watched.
  var isWatching: Bool { child != nil }

  /// Starts watching, if an X server is available and nothing is watching yet.
  func start() {
    guard hasDisplay, child == nil, let program else { return }
    do {
      child = try ChildProgram(program, [], environment: environment, on: loop) { [weak self] in
        self?.onEvent($0)
      }
    } catch {
      log.warning("the foreground window is not known", ["why": "\(error)"])
    }
  }

  /// Stops watching.
  func close() {
    child?.close()
    child = nil
  }

  private func onEvent(_ event: ChildProgram.Event) {
    switch event {
    case .line(let line):
      if let lacking = (try? JSONValue(parsing: line))?.objectValue?["lacking"]?.stringValue {
        log.warning("watching windows with an incomplete sandbox", ["lacking": lacking])
      }
      if let change = Self.window(in: line) { onChange(change) }
    case .ended:
      log.info(
        "the foreground window is no longer known: the X server exited or does not report one")
      child = nil
      onChange(nil)
    }
  }

  /// Parses a line.
  ///
  /// Returns the focused window, an inner nil if no window has the focus, or an outer nil if the line is invalid.
  static func window(in line: [UInt8]) -> FocusedWindow?? {
    guard let object = (try? JSONValue(parsing: line))?.objectValue, let value = object["window"]
    else { return nil }
    guard let window = value.objectValue else { return .some(nil) }
    return FocusedWindow(
      process: window["process"]?.integerValue.flatMap(Int32.init(exactly:)),
      names: (window["names"]?.arrayValue ?? []).compactMap(\.stringValue))
  }
}
