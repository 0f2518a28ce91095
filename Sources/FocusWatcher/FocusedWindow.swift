import BelfryWire

/// The properties of the active window.
struct FocusedWindow: Hashable {
  /// The process ID in `_NET_WM_PID`.
  var process: UInt32?
  /// The values of `_KDE_NET_WM_DESKTOP_FILE`, `_GTK_APPLICATION_ID`, and both parts of `WM_CLASS`; unset properties
  /// are omitted.
  var names: [String]

  /// Returns the output line for a window; nil means that no window is active.
  static func line(_ window: FocusedWindow?) -> String {
    let value: JSONValue =
      if let window {
        .object([
          "process": window.process.map { .integer(Int64($0)) } ?? .null,
          "names": .array(window.names.map(JSONValue.string)),
        ])
      } else {
        .null
      }
    return JSONValue.object(["window": value]).text
  }
}
