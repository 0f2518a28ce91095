import CLinux
import Glibc

/// The one inotify descriptor of a loop: a user has few of them (128 by default), and a program that
/// watches many folders needs no more than one.
final class FolderWatchHub: EventHandler {
  // Links such as /etc/localtime are renamed over: a folder is watched for what comes and goes in it.
  private static let events =
    IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR

  private struct Listener {
    let id: ObjectIdentifier
    weak var watch: FolderWatch?
  }

  private unowned let loop: EventLoop
  private var descriptor: Int32 = -1
  private var registration: Registration?
  /// Who hears of each watch of the kernel's: of one folder there is but one.
  private var listeners: [Int32: [Listener]] = [:]

  init(_ loop: EventLoop) { self.loop = loop }

  /// Watches a folder; gives the kernel's number of the watch.
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

  /// A listener hears no more of a watch.
  func remove(_ watch: Int32, _ listener: ObjectIdentifier) {
    guard var left = listeners[watch] else { return }
    left.removeAll { $0.id == listener }
    listeners[watch] = left.isEmpty ? nil : left
    if left.isEmpty { inotify_rm_watch(descriptor, watch) }
    closeIfUnused()
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

  /// Reads what has come, then tells each listener once.
  func ready(_ readiness: Readiness) {
    var told: [FolderWatch] = []
    func hears(_ watch: Int32, _ name: String?) {
      for listener in (listeners[watch] ?? []).compactMap(\.watch) {
        listener.note(name)
        if !told.contains(where: { $0 === listener }) { told.append(listener) }
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
        // An event: watch, mask, cookie and length of the name, each of four bytes; then the name.
        while position + 16 <= count {
          let watch = unsafe bytes.loadUnaligned(fromByteOffset: position, as: Int32.self)
          let mask = unsafe bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
          let length = unsafe bytes.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self)
          let end = min(position + 16 + Int(length), count)
          let name = unsafe bytes[(position + 16)..<end].prefix { $0 != 0 }
          if mask & UInt32(IN_Q_OVERFLOW) != 0 {
            for watch in listeners.keys { hears(watch, nil) }
          } else if mask & UInt32(IN_IGNORED) != 0 {
            // The folder has gone, and the kernel's watch with it.
            hears(watch, nil)
            listeners[watch] = nil
          } else if unsafe !name.isEmpty {
            unsafe hears(watch, String(decoding: name, as: UTF8.self))
          }
          position = end
        }
      }
    }
    closeIfUnused()
    for listener in told { listener.tell() }
  }
}
