import Glibc

/// How many descriptors this process may have open.
public enum DescriptorLimit {
  /// Raises the limit as far as an ordinary process may, and returns it.
  ///
  /// The lower limit that processes begin with (1,024 mostly) is for programs that use select(2).
  @discardableResult
  public static func raise() -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    guard unsafe getrlimit(resource, &limit) == 0 else { return fallback }
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = limit.rlim_max
      if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// What POSIX grants every process, where the kernel does not say.
  private static let fallback = 256
}
