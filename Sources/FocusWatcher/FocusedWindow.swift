import BelfryWire

/// The properties of the active window.
struct FocusedWindow: Hashable {
  /// `_NET_WM_PID`.
  var process: UInt32?
  /// `_KDE_NET_WM_DESKTOP_FILE`, `_GTK_APPLICATION_ID` and the two of `WM_CLASS`, as far as they are
  /// there.
  var names: [String]

  /// The output line for a window; nil is none.
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
