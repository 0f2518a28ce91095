import CLinux
import Glibc
import Synchronization

/// The maximum number of open descriptors in this process.
public enum DescriptorLimit {
  /// The limit before this process raised it; nil if the process did not raise it.
  private static let former = Mutex<(soft: UInt64, hard: UInt64)?>(nil)

  /// Raises the limit as far as an unprivileged process can, and returns it.
  ///
  /// The lower default limit for processes (usually 1,024) exists for programs that use select(2).
  @discardableResult
  public static func raise() -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    guard unsafe getrlimit(resource, &limit) == 0 else { return fallback }
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = limit.rlim_max
      if unsafe setrlimit(resource, &raised) == 0 {
        let (soft, hard) = (UInt64(limit.rlim_cur), UInt64(limit.rlim_max))
        former.withLock { $0 = (soft, hard) }
        limit = raised
      }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// Restores this process's original limit for a program that it has started.
  ///
  /// The program might use select(2), which fails for descriptors above 1,023.
  public static func restore(ofChild process: Int32) {
    assert(process > 0, "the process number is positive")
    guard let limit = former.withLock({ $0 }) else { return }
    _ = belfry_set_descriptor_limit(process, limit.soft, limit.hard)
  }

  /// The number that POSIX guarantees every process, used if the kernel does not report a limit.
  private static let fallback = 256
}
