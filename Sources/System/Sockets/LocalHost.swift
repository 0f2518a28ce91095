import CLinux
import Glibc

/// The names and addresses of this machine.
public enum LocalHost {
  /// The hostname, including the domain if there is one; empty if it cannot be read.
  public static var name: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      guard let base = text.baseAddress, unsafe gethostname(base, 255) == 0 else { return "" }
      unsafe text[255] = 0
      return unsafe String(cString: base)
    }
  }

  /// The addresses of the machine's active interfaces, except loopback and link-local addresses.
  public static var addresses: [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    var addresses: [String] = []
    var next = unsafe list
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard unsafe entry.pointee.ifa_flags & UInt32(IFF_UP) != 0,
        let raw = unsafe entry.pointee.ifa_addr, let text = unsafe host(of: raw),
        let address = SocketAddress(host: text, port: 0), !address.isLoopback,
        !text.hasPrefix("fe80:"), !addresses.contains(address.host)
      else { continue }
      addresses.append(address.host)
    }
    return addresses
  }

  private static func host(of address: UnsafeMutablePointer<sockaddr>) -> String? {
    let length: Int
    switch unsafe Int32(address.pointee.sa_family) {
    case AF_INET: length = MemoryLayout<sockaddr_in>.size
    case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
    default: return nil
    }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      guard let base = text.baseAddress,
        unsafe getnameinfo(address, socklen_t(length), base, 64, nil, 0, NI_NUMERICHOST) == 0
      else { return nil }
      return unsafe String(cString: base)
    }
  }
}
