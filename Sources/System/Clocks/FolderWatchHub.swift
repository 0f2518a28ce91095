import CLinux
import Glibc

/// The inotify descriptor that all folder watches on a loop share, because a user can have only 128 by default.
final class FolderWatchHub: EventHandler {
  // Links such as /etc/localtime are replaced by a rename, which is reported only by a watch on the folder.
  private static let events =
    IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR

  private struct Listener {
    let id: ObjectIdentifier
    weak var watch: FolderWatch?
  }

  private unowned let loop: EventLoop
  private var descriptor: Int32 = -1
  private var registration: Registration?
  /// The listeners for each kernel watch.
  ///
  /// Each folder has a single kernel watch for all of its listeners.
  private var listeners: [Int32: [Listener]] = [:]

  init(_ loop: EventLoop) { self.loop = loop }

  /// Watches a folder.
  ///
  /// Returns the kernel's watch descriptor.
  func add(_ folder: String, _ listener: FolderWatch) throws(SystemFailure) -> Int32 {
    try open()
    let watch = unsafe inotify_add_watch(descriptor, folder, UInt32(Self.events))
    guard watch >= 0 else {
      let failure = SystemFailure.last("inotify_add_watch", folder)
      closeIfUnused()
      throw failure
    }
    listeners[watch, default: []].append(
      Listener(id: ObjectIdentifier(listener), watch: listener))
    return watch
  }

  /// Removes a listener and, if it was the last one for its folder, the kernel's watch.
  func remove(_ watch: Int32, _ listener: ObjectIdentifier) {
    guard var left = listeners[watch] else { return }
    left.removeAll { $0.id == listener }
    listeners[watch] = left.isEmpty ? nil : left
    if left.isEmpty { inotify_rm_watch(descriptor, watch) }
    closeIfUnused()
    checkInvariants()
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert((descriptor >= 0) == (registration != nil), "an open descriptor is registered")
    assert(descriptor >= 0 || listeners.isEmpty, "watches have an open descriptor")
    assert(listeners.values.allSatisfy { !$0.isEmpty }, "a watch without listeners is removed")
  }

  private func open() throws(SystemFailure) {
    guard descriptor < 0 else { return }
    let new = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard new >= 0 else { throw .last("inotify_init1") }
    do throws(SystemFailure) {
      registration = try loop.register(new, for: .readable, handler: self)
    } catch {
      Glibc.close(new)
      throw error
    }
    descriptor = new
  }

  private func closeIfUnused() {
    guard listeners.isEmpty, descriptor >= 0 else { return }
    if let registration { loop.deregister(registration) }
    registration = nil
    Glibc.close(descriptor)
    descriptor = -1
  }

  /// Reads the kernel's events, then calls each listener once.
  func ready(_ readiness: Readiness) {
    var changed: [FolderWatch] = []
    func record(_ watch: Int32, _ name: String?) {
      for listener in (listeners[watch] ?? []).compactMap(\.watch) {
        listener.record(name)
        if !changed.contains(where: { $0 === listener }) { changed.append(listener) }
      }
    }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while descriptor >= 0 {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
      }
      guard count > 0 else { break }
      unsafe buffer.withUnsafeBytes { bytes in
        var position = 0
        // An event has four fields of four bytes each (watch, mask, cookie, length of the name), followed by the name.
        while position + 16 <= count {
          let watch = unsafe bytes.loadUnaligned(fromByteOffset: position, as: Int32.self)
          let mask = unsafe bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
          let length = unsafe bytes.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self)
          let end = min(position + 16 + Int(length), count)
          let name = unsafe bytes[(position + 16)..<end].prefix { $0 != 0 }
          if mask & UInt32(IN_Q_OVERFLOW) != 0 {
            for watch in listeners.keys { record(watch, nil) }
          } else if mask & UInt32(IN_IGNORED) != 0 {
            // The folder was removed, which also removed the kernel's watch.
            record(watch, nil)
            listeners[watch] = nil
          } else if unsafe !name.isEmpty {
            unsafe record(watch, String(decoding: name, as: UTF8.self))
          }
          position = end
        }
      }
    }
    closeIfUnused()
    for listener in changed { listener.deliver() }
    checkInvariants()
  }
}
