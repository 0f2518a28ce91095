import CXcb
import Glibc

/// A connection to an X server, which reports the active window (EWMH 1.5).
///
/// Other programs set the window properties, so the size of each copy is limited.
@safe final class XDisplay {
  /// The result of a wait.
  enum Outcome {
    case changed, quiet, ended
  }

  private let connection: OpaquePointer
  private let root: xcb_window_t
  private let active: xcb_atom_t
  private let process: xcb_atom_t
  /// The properties in which a window can identify its app, most reliable first.
  private let names: [xcb_atom_t]

  /// Connects to the display that the environment specifies, or returns nil if no X server is reachable.
  init?() {
    var screen: Int32 = 0
    guard let connection = unsafe xcb_connect(nil, &screen) else { return nil }
    guard unsafe xcb_connection_has_error(connection) == 0,
      let root = unsafe Self.root(of: connection, screen: screen)
    else {
      unsafe xcb_disconnect(connection)
      return nil
    }
    unsafe self.connection = connection
    self.root = root
    active = unsafe Self.atom("_NET_ACTIVE_WINDOW", of: connection)
    process = unsafe Self.atom("_NET_WM_PID", of: connection)
    names = ["_KDE_NET_WM_DESKTOP_FILE", "_GTK_APPLICATION_ID", "WM_CLASS"]
      .map { unsafe Self.atom($0, of: connection) }
    var events = UInt32(XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue)
    _ = unsafe xcb_change_window_attributes(
      connection, root, UInt32(XCB_CW_EVENT_MASK.rawValue), &events)
    unsafe xcb_flush(connection)
  }

  deinit { unsafe xcb_disconnect(connection) }

  /// The active window, or nil if no window is active.
  var activeWindow: FocusedWindow? {
    guard let window = Self.number(property(active, of: root)), window != 0 else { return nil }
    return FocusedWindow(
      process: Self.number(property(process, of: window)),
      names: names.flatMap { property($0, of: window).split(separator: 0) }
        .map { String(decoding: $0, as: UTF8.self) })
  }

  /// Waits until the active window might have changed, or until the given number of milliseconds has elapsed.
  ///
  /// If `milliseconds` is nil, there is no time limit. Returns `ended` once the server or the reader of standard output
  /// has exited.
  func wait(milliseconds: Int64?) -> Outcome {
    let end = milliseconds.map { Self.nowMilliseconds + $0 }
    while true {
      // Events might have arrived with earlier replies.
      if hasChanged { return .changed }
      guard unsafe xcb_connection_has_error(connection) == 0 else { return .ended }
      var descriptors = [
        pollfd(
          fd: unsafe xcb_get_file_descriptor(connection), events: Int16(POLLIN), revents: 0),
        pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
      ]
      let left = end.map { max(0, $0 - Self.nowMilliseconds) } ?? -1
      let count = unsafe poll(&descriptors, 2, Int32(clamping: left))
      if count == 0 { return .quiet }
      if count < 0, errno != EINTR { return .ended }
      if count > 0, descriptors[1].revents != 0 { return .ended }
    }
  }

  /// True if the active window might have changed since the last check.
  private var hasChanged: Bool {
    var hasChanged = false
    while let event = unsafe xcb_poll_for_event(connection) {
      defer { unsafe free(event) }
      guard unsafe event.pointee.response_type & 0x7F == UInt8(XCB_PROPERTY_NOTIFY) else {
        continue
      }
      // The X protocol guarantees the layout of an event of this type.
      let notice = unsafe UnsafeRawPointer(event).loadUnaligned(
        as: xcb_property_notify_event_t.self)
      if notice.atom == active { hasChanged = true }
    }
    return hasChanged
  }

  /// Returns up to 1,024 bytes of a window's property; returns no bytes if the window does not exist.
  private func property(_ atom: xcb_atom_t, of window: xcb_window_t) -> [UInt8] {
    guard atom != 0 else { return [] }
    let cookie = unsafe xcb_get_property(connection, 0, window, atom, 0, 0, 256)
    guard let reply = unsafe xcb_get_property_reply(connection, cookie, nil) else { return [] }
    defer { unsafe free(reply) }
    let count = Int(unsafe xcb_get_property_value_length(reply))
    guard count > 0, let start = unsafe xcb_get_property_value(reply) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Returns the first 32 bits in the machine's byte order, in which the protocol delivers them.
  private static func number(_ bytes: [UInt8]) -> UInt32? {
    guard bytes.count >= 4 else { return nil }
    return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
  }

  private static func atom(_ name: String, of connection: OpaquePointer) -> xcb_atom_t {
    let cookie = unsafe xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name)
    guard let reply = unsafe xcb_intern_atom_reply(connection, cookie, nil) else { return 0 }
    defer { unsafe free(reply) }
    return unsafe reply.pointee.atom
  }

  private static func root(of connection: OpaquePointer, screen: Int32) -> xcb_window_t? {
    var screens = unsafe xcb_setup_roots_iterator(xcb_get_setup(connection))
    for _ in 0..<max(0, screen) where unsafe screens.rem > 1 { unsafe xcb_screen_next(&screens) }
    guard unsafe screens.rem > 0, let data = unsafe screens.data else { return nil }
    return unsafe data.pointee.root
  }

  private static var nowMilliseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
