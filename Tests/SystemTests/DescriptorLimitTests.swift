import Glibc
import Testing

@testable import System

/// Tests of the limit on open files, both for a process and for the programs that it starts.
@Suite struct DescriptorLimitTests {
  private func limits(of process: Int32) throws -> [UInt64] {
    let text = String(
      decoding: try FileSystem.read("/proc/\(process)/limits", limit: 1 << 16), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Max open files") })
    return line.split(separator: " ").compactMap { UInt64($0) }
  }

  @Test func `A process raises its own limit, and its programs begin with the former one`() throws {
    var limit = rlimit()
    let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #expect(getrlimit(resource, &limit) == 0)
    // Use one less than the maximum: the tests that run concurrently still have enough descriptors.
    let former = UInt64(limit.rlim_max - 1)
    limit.rlim_cur = limit.rlim_max - 1
    #expect(setrlimit(resource, &limit) == 0)
    #expect(DescriptorLimit.raise() == Int(clamping: limit.rlim_max))
    #expect(try limits(of: getpid()).first == UInt64(limit.rlim_max))
    let child = try ProgramLaunch("/bin/sleep", ["100"], environment: [:]).start()
    defer {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    #expect(try limits(of: child).first == UInt64(limit.rlim_max))
    DescriptorLimit.restore(ofChild: child)
    #expect(try limits(of: child) == [former, UInt64(limit.rlim_max)])
  }
}
