import CLinux
import Glibc

/// Tells when files of a folder are written, put in or taken out (inotify).
public final class FolderWatch: EventHandler {
  private let loop: EventLoop
  private let descriptor: Int32
  private var registration: Registration?
  private let body: (Set<String>) -> Void

  /// Calls `body` on the loop with the names that have changed; an empty set means that too much
  /// has changed to name it, or that the folder itself has gone and is watched no more.
  ///
  /// - Parameters:
  ///   - folder: A folder that exists. What lies deeper is not watched.
  ///   - loop: Whose turn it is told in.
  ///   - body: What is called.
  /// - Throws: When there is no such folder, or no more can be watched.
  public convenience init(
    _ folder: String, on loop: EventLoop, _ body: @escaping (Set<String>) -> Void
  ) throws(SystemFailure) {
    try self.init([folder], on: loop, body)
  }

  /// Watches several folders as one; names are those within each.
  ///
  /// - Parameters:
  ///   - folders: The first must exist, others are passed over when they do not.
  ///   - loop: Whose turn it is told in.
  ///   - body: What is called.
  /// - Throws: When the first is no folder, or no more can be watched.
  public init(
    _ folders: [String], on loop: EventLoop, _ body: @escaping (Set<String>) -> Void
  ) throws(SystemFailure) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw .last("inotify_init1") }
    self.loop = loop
    self.descriptor = descriptor
    self.body = body
    // A link such as /etc/localtime is renamed over: watching the file would lose it.
    let events = IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR
    do throws(SystemFailure) {
      for (index, folder) in folders.enumerated() {
        let watch = unsafe inotify_add_watch(descriptor, folder, UInt32(events))
        guard watch >= 0 || index > 0 else { throw .last("inotify_add_watch", folder) }
      }
      registration = try loop.register(descriptor, for: .readable, handler: self)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Ends it; nothing is told any more.
  public func close() {
    guard let registration else { return }
    loop.deregister(registration)
    self.registration = nil
    Glibc.close(descriptor)
  }

  /// Reads what has come.
  public func ready(_ readiness: Readiness) {
    var names: Set<String> = []
    var isUnclear = false
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
      }
      guard count > 0 else { break }
      unsafe buffer.withUnsafeBytes { bytes in
        var position = 0
        // An event: watch, mask, cookie and length of the name, each of four bytes; then the name.
        while position + 16 <= count {
          let mask = unsafe bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
          let length = unsafe bytes.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self)
          if mask & UInt32(IN_Q_OVERFLOW | IN_IGNORED) != 0 { isUnclear = true }
          let end = min(position + 16 + Int(length), count)
          let name = unsafe bytes[(position + 16)..<end].prefix { $0 != 0 }
          if unsafe !name.isEmpty { unsafe names.insert(String(decoding: name, as: UTF8.self)) }
          position = end
        }
      }
    }
    if isUnclear { body([]) } else if !names.isEmpty { body(names) }
  }

  deinit { close() }
}
