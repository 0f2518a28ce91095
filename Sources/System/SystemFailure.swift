import CLinux
import Glibc

/// A failed request to the operating system.
public enum SystemFailure: Error, Sendable, CustomStringConvertible {
  /// The system call `name` failed with `errno`; `subject` is the path, address, or descriptor.
  case call(name: StaticString, errno: Int32, subject: String)
  /// The file at `path` is larger than `limit` bytes.
  case tooLarge(path: String, limit: Int)
  /// Another process holds the lock file at `path`.
  case locked(path: String)
  /// `text` is not a path or an address that this machine can use.
  case unusable(text: String, reason: String)

  /// A one-line message that says what failed and how to fix it.
  public var description: String {
    switch self {
    case .call(let name, let number, let subject):
      let what = Self.attempt("\(name)") + (subject.isEmpty ? "" : " \(subject)")
      return "cannot \(what): \(Self.plainMessage(number))\(Self.advice(number, "\(name)"))"
    case .tooLarge(let path, let limit):
      return "\(path) has more than \(limit) bytes: check that it is the right file"
    case .locked(let path):
      return "\(path) is locked by another process: stop that process or choose another folder"
    case .unusable(let text, let reason):
      // A reason such as "it is not a folder" follows the path, which replaces the word "it".
      return reason.hasPrefix("it ")
        ? "\(text) \(reason.dropFirst(3))" : "cannot use \(text): \(reason)"
    }
  }

  /// The reason as part of a sentence, without the subject or advice.
  public var reason: String {
    switch self {
    case .call(_, let number, _): Self.plainMessage(number)
    case .tooLarge(_, let limit): "more than \(limit) bytes"
    case .locked: "locked by another process"
    case .unusable(_, let reason): reason
    }
  }

  /// Returns the error of the system call that just failed on this thread.
  static func last(_ name: StaticString, _ subject: String = "") -> SystemFailure {
    .call(name: name, errno: errno, subject: subject)
  }

  /// Returns the error of the system call that just failed to create a file at `path` on this thread.
  public static func lastCreating(_ path: String) -> SystemFailure {
    guard errno == ENOENT else { return .last("open", path) }
    return .unusable(
      text: "the folder \(FileSystem.parent(of: path))",
      reason: "it does not exist: create the folder, or choose another path")
  }

  /// Returns the C library's message for an error number.
  public static func message(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
  }

  /// Returns the C library's message as part of a sentence.
  private static func plainMessage(_ number: Int32) -> String {
    if number == ENOENT { return "no such file" }
    let text = message(number)
    // "I/O error" and similar messages keep their capitalization.
    let second = text.dropFirst().first
    return second?.isLowercase == true ? text.prefix(1).lowercased() + text.dropFirst() : text
  }

  /// Returns the purpose of a system call, as a verb phrase for the user.
  private static func attempt(_ call: String) -> String {
    switch call {
    case "bind": "listen on"
    case "connect": "connect to"
    case "accept4": "accept a connection on"
    case "open", "opendir": "open"
    case "read", "pread", "recv", "readlink": "read"
    case "write", "pwrite", "send": "write to"
    case "stat", "fstat", "lstat": "examine"
    case "mkdir", "mkdtemp": "create a folder at"
    case "link", "linkat", "rename": "replace"
    case "remove": "remove"
    case "fsync": "synchronize"
    case "flock": "lock"
    case "ftruncate", "posix_fallocate": "reserve space for"
    case "fchmod": "change the mode of"
    case "posix_spawn": "start"
    case "pthread_create": "start the thread"
    case "inotify_add_watch": "watch"
    // These calls fail only if the kernel runs out of resources.
    default: "use \(call)"
    }
  }

  private static func advice(_ number: Int32, _ call: String) -> String {
    switch number {
    case EADDRINUSE: ": choose another one, or stop the process that uses it"
    case EADDRNOTAVAIL: ": use an address of this machine"
    case EACCES where call == "bind": ": use a port above 1023, or run with CAP_NET_BIND_SERVICE"
    case EACCES, EPERM: ": check the owner and mode of the file and its folders"
    case EMFILE, ENFILE:
      ": raise the limit of open files, or fs.inotify.max_user_instances for inotify"
    case ENOSPC, EDQUOT: ": free some disk space"
    case ENOTDIR, ELOOP, ENAMETOOLONG: ": check the path"
    case EISDIR: ": use a file, not a folder"
    case EROFS: ": remount the file system read-write, or choose a writable location"
    case ECONNREFUSED: ": no program listens there"
    default: ""
    }
  }
}
