import Glibc
import System

/// Tells that a program has ended: it holds one end of a pipe as long as it runs.
///
/// What the program has started holds that end, too, unless it closes it: a wrapper that leaves its work to
/// another process has not ended.
final class ProcessEndWatch: EventHandler {
  private let loop: EventLoop
  private let report: (ProcessEndWatch) -> Void
  private var registration: Registration?
  private var ends: (read: Int32, write: Int32)

  /// Makes the pipe; `report` is called once, in a turn of the loop.
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

  /// The end for the program, until it has it.
  var programEnd: Int32 { ends.write }

  /// The program has its end, or could not be started: this process keeps none.
  func release() {
    if ends.write >= 0 { Glibc.close(ends.write) }
    ends.write = -1
  }

  /// Reports nothing any more.
  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    release()
    if ends.read >= 0 { Glibc.close(ends.read) }
    ends.read = -1
  }

  /// The program's end is closed, or somebody writes into it, which is nothing to hear.
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
