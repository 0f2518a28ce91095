extension Scenario {
  /// Writes a shell script that can be executed immediately, and returns its path.
  ///
  /// A separate process writes the script. If this process wrote it, a program that another test starts at the same
  /// time would inherit the open file, and the kernel does not start an executable that is open for writing
  /// (`ETXTBSY`).
  public func script(_ name: String, _ text: String) async throws -> String {
    let path = folder.file(name)
    _ = try await command(
      ["/bin/sh", "-c", #"cat > "$1" && chmod 755 "$1""#, "sh", path],
      input: "#!/bin/sh\n" + text)
    return path
  }
}
