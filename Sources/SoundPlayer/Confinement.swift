import CConfinement
import Glibc

/// The restrictions on a process that reads untrusted bytes, so that an exploited decoder can do no harm.
enum Confinement {
  /// Restricts this process so that it can only read the given files, allocate memory, read clocks, and use its open
  /// descriptors.
  ///
  /// Returns the names of the kernel features that these restrictions require but that are missing.
  ///
  /// Call this method before the process starts another thread.
  static func enter(reading paths: [String]) -> [String] {
    var copies = unsafe paths.map { unsafe UnsafePointer(strdup($0)) }
    defer {
      for index in unsafe copies.indices {
        unsafe free(UnsafeMutablePointer(mutating: copies[index]))
      }
    }
    return names(of: unsafe belfry_confine(&copies, Int32(copies.count)))
  }

  /// Tries several operations in a confined process that may read only `named`, and returns which of them succeed.
  ///
  /// `belfry-sound confined` prints the result to show which restrictions the machine's kernel enforces.
  static func attempts(named: String, other: String) -> JSONLine {
    func opens(_ path: String, _ flags: Int32) -> Bool {
      let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC)
      if descriptor >= 0 { Glibc.close(descriptor) }
      return descriptor >= 0
    }
    let lacking = enter(reading: [named])
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let child = belfry_fork()
    if child == 0 { _exit(0) }
    return JSONLine([
      ("lacking", .text(lacking.joined(separator: ", "))),
      ("named", .truth(opens(named, O_RDONLY))), ("other", .truth(opens(other, O_RDONLY))),
      ("written", .truth(opens(named, O_WRONLY))), ("socket", .truth(socket >= 0)),
      ("started", .truth(child > 0)),
    ])
  }

  private static func names(of lacking: Int32) -> [String] {
    [
      (BELFRY_LACKS_NO_NEW_PRIVILEGES, "no_new_privs"), (BELFRY_LACKS_LANDLOCK, "Landlock"),
      (BELFRY_LACKS_SECCOMP, "seccomp"),
    ].filter { lacking & $0.0 != 0 }.map(\.1)
  }
}
