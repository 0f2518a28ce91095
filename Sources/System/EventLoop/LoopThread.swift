import CLinux
import Glibc
import Synchronization

/// A thread that owns an event loop and exits when the loop stops.
public final class LoopThread: Sendable {
  private let waker: LoopWaker
  private let thread: Mutex<pthread_t?>

  private init(waker: LoopWaker, thread: pthread_t) {
    self.waker = waker
    self.thread = Mutex(thread)
  }

  /// Starts a thread.
  ///
  /// `body` runs on the thread and creates all objects that the loop holds. The loop then runs until it is stopped.
  /// `name` is shown in `top -H`, truncated to 15 bytes.
  public static func start(
    name: String, _ body: @escaping @Sendable (EventLoop) -> Void
  ) throws(SystemFailure) -> LoopThread {
    let waker = try LoopWaker()
    let start = ThreadStart(name: name) {
      let loop = EventLoop(waker: waker)
      body(loop)
      loop.run()
      loop.releaseAll()
    }
    return LoopThread(waker: waker, thread: try start.launch())
  }

  /// Stops the loop after its current turn; can be called from any thread.
  ///
  /// All objects that the loop holds are released on the loop's thread.
  public func stop() { waker.stop() }

  /// Waits until the thread has exited.
  ///
  /// Call this method only once, and never from the thread itself.
  public func join() {
    let joined = thread.withLock { thread in
      let joined = thread
      thread = nil
      return joined
    }
    if let joined { pthread_join(joined, nil) }
  }
}

/// The work of a new thread.
final class ThreadStart: Sendable {
  private let name: String
  private let body: @Sendable () -> Void

  init(name: String, _ body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }

  func launch() throws(SystemFailure) -> pthread_t {
    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(self).toOpaque()
    let code = unsafe pthread_create(&thread, nil, { unsafe ThreadStart.run($0) }, argument)
    guard code == 0 else {
      unsafe Unmanaged<ThreadStart>.fromOpaque(argument).release()
      throw .call(name: "pthread_create", errno: code, subject: name)
    }
    return thread
  }

  private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    _ = unsafe pthread_setname_np(pthread_self(), String(start.name.prefix(15)))
    start.body()
    return nil
  }
}
