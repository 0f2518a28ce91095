import CLinux
import Glibc

/// A failed request to the operating system.
public enum SystemFailure: Error, Sendable, CustomStringConvertible {
  /// The system call `name` failed with `errno`; `subject` is the path, address or descriptor.
  case call(name: StaticString, errno: Int32, subject: String)
  /// The file at `path` has more than `limit` bytes.
  case tooLarge(path: String, limit: Int)
  /// Another process holds the lock file at `path`.
  case locked(path: String)
  /// `text` is not a path or an address that this machine can use.
  case unusable(text: String, reason: String)

  /// A one-line message that says what failed and how to fix it.
  public var description: String {
    switch self {
    case .call(let name, let number, let subject):
      let on = subject.isEmpty ? "" : " on \(subject)"
      return "\(name)\(on) failed: \(Self.message(number))\(Self.advice(number))"
    case .tooLarge(let path, let limit):
      return "\(path) has more than \(limit) bytes: check that it is the right file"
    case .locked(let path):
      return "\(path) is locked by another process: stop that process or choose another folder"
    case .unusable(let text, let reason):
      return "'\(text)' cannot be used: \(reason)"
    }
  }

  /// The reason, without the subject and without advice.
  public var reason: String {
    switch self {
    case .call(_, let number, _): Self.message(number)
    case .tooLarge(_, let limit): "more than \(limit) bytes"
    case .locked: "locked by another process"
    case .unusable(_, let reason): reason
    }
  }

  /// Returns the error of the system call that just failed on this thread.
  static func last(_ name: StaticString, _ subject: String = "") -> SystemFailure {
    .call(name: name, errno: errno, subject: subject)
  }

  /// Returns the C library's text for an error number.
  public static func message(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
  }

  private static func advice(_ number: Int32) -> String {
    switch number {
    case EADDRINUSE: ": choose another port or stop the process that uses it"
    case EADDRNOTAVAIL: ": use an address of this machine"
    case EACCES, EPERM: ": check the owner and mode, or the port's number"
    case EMFILE, ENFILE:
      ": raise the limit of open files, or fs.inotify.max_user_instances for inotify"
    case ENOSPC, EDQUOT: ": free some disk space"
    case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: ": check the path"
    case EISDIR: ": name a file, not a folder"
    case EROFS: ": choose a place that can be written to"
    case ECONNREFUSED: ": nothing listens there"
    default: ""
    }
  }
}
