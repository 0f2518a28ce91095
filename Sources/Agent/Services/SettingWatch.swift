import Foundation
import System

/// A watch on one GSettings key.
///
/// dconf signals on the session bus that the key has changed. The watch then reads the value with `gsettings`, because
/// dconf's own file is not a public interface.
final class SettingWatch {
  /// A key and its path.
  struct Key: Hashable, Sendable {
    /// The schema's ID.
    let schema: String
    /// The key in the schema.
    let name: String
    /// The schema's path in the settings, with a trailing slash.
    let path: String
  }

  private let key: Key
  private let loop: EventLoop
  private let environment: [String: String]
  private let body: (String?) -> Void
  private var asked: ChildProgram?
  private var answer: String?
  /// True if the key has changed since the last query began.
  private var isStale = false
  private var isClosed = false

  /// Creates a watch that calls `body` on the loop, now and after each change, with the value as `gsettings get` prints
  /// it, or with nil if the key does not exist or cannot be read.
  init(
    _ key: Key, bus: BusConnection, on loop: EventLoop, environment: [String: String],
    _ body: @escaping (String?) -> Void
  ) throws(BusFailure) {
    self.key = key
    self.loop = loop
    self.environment = environment
    self.body = body
    let writer = "ca.desrt.dconf.Writer"
    try bus.match("type='signal',interface='\(writer)',member='Notify'") { [weak self] message in
      guard message.interface == writer, message.member == "Notify",
        let values = try? message.read(), values.count == 3
      else { return }
      self?.changed(values[0].stringValue ?? "", values[1].stringsValue ?? [])
    }
    read()
  }

  func close() {
    isClosed = true
    asked?.close()
    asked = nil
  }

  /// Handles a signal from dconf: reads the setting again if it might have changed.
  ///
  /// Each change is a name below `prefix`: the name of a changed key or, with a trailing slash, a path below which keys
  /// have changed.
  private func changed(_ prefix: String, _ changes: [String]) {
    let whole = key.path + key.name
    let isOurs = changes.contains { change in
      let path = prefix + change
      return path == whole || (path.hasSuffix("/") && whole.hasPrefix(path))
    }
    if isOurs { read() }
  }

  private func read() {
    guard !isClosed else { return }
    guard asked == nil else {
      isStale = true
      return
    }
    isStale = false
    guard let program = Self.program(environment),
      let child = try? ChildProgram(
        program, ["get", key.schema, key.name], environment: environment, on: loop,
        { [weak self] in self?.onEvent($0) })
    else { return body(nil) }
    asked = child
    answer = nil
  }

  private func onEvent(_ event: ChildProgram.Event) {
    switch event {
    case .line(let line): answer = answer ?? String(decoding: line, as: UTF8.self)
    case .ended:
      asked = nil
      if isStale { read() } else { body(answer) }
    }
  }

  private static func program(_ environment: [String: String]) -> String? {
    (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
      .map { "\($0)/gsettings" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
