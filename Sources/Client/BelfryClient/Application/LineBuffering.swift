// Glibc declares `stdout` as a variable, but this module never assigns it.
@unsafe @preconcurrency import Glibc

/// The buffering of a process's standard output.
///
/// By default, the C library collects output to a file or a pipe in large blocks. The latest lines of an app would then
/// be missing from the agent's log while the app is suspended, and would be lost if the app were killed.
enum LineBuffering {
  /// Makes `print` write each line immediately.
  static func begin() { unsafe begin(on: stdout) }

  static func begin(on stream: UnsafeMutablePointer<FILE>?) {
    _ = unsafe setvbuf(stream, nil, _IOLBF, 0)
  }
}
