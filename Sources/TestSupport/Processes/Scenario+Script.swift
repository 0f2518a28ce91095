extension Scenario {
  /// Writes a script for the shell that can be started at once; gives its path.
  ///
  /// A process of its own writes it. A program that another test starts meanwhile would inherit a
  /// file that this process has open, and the kernel starts no executable that somebody has open for
  /// writing (`ETXTBSY`).
  public func script(_ name: String, _ text: String) async throws -> String {
    let path = folder.file(name)
    _ = try await command(
      ["/bin/sh", "-c", #"cat > "$1" && chmod 755 "$1""#, "sh", path],
      input: "#!/bin/sh\n" + text)
    return path
  }
}
