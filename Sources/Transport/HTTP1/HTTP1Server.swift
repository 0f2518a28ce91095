import CMicrohttpd
import Glibc
import Synchronization
public import System

/// HTTP/1.1 for people and tools, on its own threads, away from the loops: console, admin API,
/// metrics.
public final class HTTP1Server: Sendable {
  /// libmicrohttpd's daemon, an object that any thread may stop.
  @safe private struct Daemon: @unchecked Sendable {
    let raw: OpaquePointer
  }

  /// The port that is listened on.
  public let port: UInt16
  private let service: HTTP1Service
  private let daemon: Mutex<Daemon?>

  /// Listens on `address` (port 0: a free one); `handler` runs on the connection's own thread and
  /// may wait.
  ///
  /// A request whose body has more than `maximumBodyBytes` is answered 413. At most 128 connections
  /// are open at once.
  public init(
    address: SocketAddress = .loopback(port: 0), maximumBodyBytes: Int = 8_388_608,
    handler: @escaping @Sendable (HTTP1Request) -> HTTP1Response
  ) throws(SystemFailure) {
    let service = HTTP1Service(maximumBodyBytes: maximumBodyBytes, handler)
    let started = unsafe address.withRawAddress { raw in
      // The service outlives the daemon: `stop` waits for its threads.
      unsafe belfry_mhd_start(
        address.family == .v6 ? 1 : 0, raw,
        { unsafe HTTP1Service.access($0, $1, $2, $3, $5, $6, $7) },
        { _, _, state, _ in unsafe HTTP1Service.completed(state) },
        Unmanaged.passUnretained(service).toOpaque(), Limits.httpConnections,
        Limits.httpTimeoutSeconds, Limits.httpHeaderBytes)
    }
    guard let started = unsafe started else {
      throw .call(name: "bind", errno: errno, subject: address.description)
    }
    self.service = service
    port = unsafe belfry_mhd_port(started)
    daemon = Mutex(unsafe Daemon(raw: started))
  }

  /// Listens with a handler that is `async`; the connection's thread waits for it.
  public convenience init(
    address: SocketAddress = .loopback(port: 0), maximumBodyBytes: Int = 8_388_608,
    asyncHandler: @escaping @Sendable (HTTP1Request) async -> HTTP1Response
  ) throws(SystemFailure) {
    try self.init(address: address, maximumBodyBytes: maximumBodyBytes) { request in
      let answer = BlockingAnswer()
      Task { answer.give(await asyncHandler(request)) }
      return answer.wait()
    }
  }

  deinit { stop() }

  /// Ends long answers and closes; returns when the last handler has returned.
  public func stop() {
    service.endStreams()
    let taken = daemon.withLock { daemon in
      let taken = daemon
      daemon = nil
      return taken
    }
    guard let taken else { return }
    // Stopped while it refuses a request that it cannot read, libmicrohttpd 0.9.75 uses an answer that
    // it does not have; so what is under way gets a moment to end.
    for _ in 0..<Limits.httpStopSteps where unsafe belfry_mhd_connections(taken.raw) > 0 {
      usleep(Limits.httpStopStepMicroseconds)
    }
    unsafe MHD_stop_daemon(taken.raw)
  }
}

/// Carries an answer from a task to the thread that waits for it.
private final class BlockingAnswer: Sendable {
  private let stream = HTTP1BodyStream()
  private let response = Mutex<HTTP1Response?>(nil)

  func give(_ response: HTTP1Response) {
    self.response.withLock { $0 = response }
    stream.finish()
  }

  func wait() -> HTTP1Response {
    while true {
      if let response = response.withLock({ $0 }) { return response }
      _ = stream.next(limit: 1)
    }
  }
}
