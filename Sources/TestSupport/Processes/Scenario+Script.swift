extension Scenario {
  /// Writes a shell script that can be started at once.
  ///
  /// Returns its path. A separate process writes it. A program that another test starts at the same time would inherit
  /// a file that this process has open, and the kernel does not start an executable that is open for writing
  /// (`ETXTBSY`).
  public func script(_ name: String, _ text: String) async throws -> String {
    let path = folder.file(name)
    _ = try await command(
      ["/bin/sh", "-c", #"cat > "$1" && chmod 755 "$1""#, "sh", path],
      input: "#!/bin/sh\n" + text)
    return path
  }
}
