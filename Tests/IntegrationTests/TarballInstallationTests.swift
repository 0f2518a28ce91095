import Foundation
import Glibc
import System
import TestSupport
import Testing

/// Tests of `install.sh` from the archive for other distributions, with a generated archive.
///
/// `make packages-test` uses a real archive.
@Suite struct TarballInstallationTests {
  @Test func `Files that root installs under any umask are readable by the services`()
    async throws
  {
    try await Scenario.run { scenario in
      let archive = scenario.folder.file("archive")
      let files = [
        "bin/belfry", "libexec/belfry/belfry-sound", "share/man/man1/belfry.1",
        "units/belfry-gateway.service", "units/belfry.conf", "units/user/belfry-agent.service",
        "etc/belfry/gateway.yaml", "etc/default/belfry-provider", "uninstall.sh",
      ]
      for name in files {
        let path = "\(archive)/\(name)"
        try FileSystem.makeDirectories(FileSystem.parent(of: path))
        let isProgram = name.hasPrefix("bin") || name.hasPrefix("libexec")
        let bytes = isProgram ? try FileSystem.read("/bin/true", limit: 1 << 24) : Array("x".utf8)
        try FileSystem.write(bytes, to: path, mode: isProgram ? 0o755 : 0o644)
      }
      try FileManager.default.copyItem(
        atPath: Installation.root + "/scripts/tarball/install.sh", toPath: archive + "/install.sh")
      for umask in ["077", "022", "000"] {
        let prefix = scenario.folder.file("prefix-\(umask)")
        _ = try await scenario.command([
          "/bin/sh", "-c", "umask \(umask); exec sh '\(archive)/install.sh' --prefix '\(prefix)'",
        ])
        let paths = try #require(FileManager.default.subpaths(atPath: prefix))
        #expect(paths.contains("lib/systemd/system/belfry-gateway.service"))
        for path in [""] + paths {
          let whole = path.isEmpty ? prefix : "\(prefix)/\(path)"
          let mode = try FileSystem.mode(of: whole)
          let needed: UInt32 = FileSystem.isDirectory(whole) ? 0o755 : 0o644
          #expect(
            mode & needed == needed && mode & 0o022 == 0,
            "umask \(umask): \(path) \(String(mode, radix: 8))")
        }
      }
    }
  }
}
