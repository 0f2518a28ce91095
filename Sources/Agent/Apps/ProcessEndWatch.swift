import Glibc
import System

/// A watch that reports a program's exit; the program holds one end of a pipe while it runs.
///
/// Child processes of the program also hold that end unless they close it, so a wrapper that delegates its work to
/// another process does not count as exited.
final class ProcessEndWatch: EventHandler {
  private let loop: EventLoop
  private let report: (ProcessEndWatch) -> Void
  private var registration: Registration?
  private var ends: (read: Int32, write: Int32)

  /// Creates the pipe; `report` is called once, in a turn of the loop.
  init(
    on loop: EventLoop, _ report: @escaping (ProcessEndWatch) -> Void
  ) throws(SystemFailure) {
    self.loop = loop
    self.report = report
    ends = try PipeEnds.make()
    do throws(SystemFailure) {
      registration = try loop.register(ends.read, for: .readable, handler: self)
    } catch {
      close()
      throw error
    }
  }

  /// The program's end of the pipe, until it is released.
  var programEnd: Int32 { ends.write }

  /// Closes this process's copy of the program's end, once the program has its own copy or could not be started.
  func release() {
    if ends.write >= 0 { Glibc.close(ends.write) }
    ends.write = -1
  }

  /// Stops watching; nothing is reported afterwards.
  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    release()
    if ends.read >= 0 { Glibc.close(ends.read) }
    ends.read = -1
  }

  /// Handles the closing of the pipe; bytes written to the pipe are ignored.
  func ready(_ readiness: Readiness) {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(ends.read, $0.baseAddress, $0.count)
    }
    if count > 0 || (count < 0 && errno == EINTR) { return }
    close()
    report(self)
  }

  deinit { close() }
}
