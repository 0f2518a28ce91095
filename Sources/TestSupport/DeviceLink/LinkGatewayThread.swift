import Dispatch
import Synchronization
import System

/// A ``LinkGateway`` on its own thread, for tests of programs that link to it.
public final class LinkGatewayThread: Sendable {
  /// An operation on the gateway, which runs on the gateway's thread.
  public typealias Order = @Sendable (LinkGateway) -> Void

  private struct Opening: Sendable {
    let port: UInt16
    let authorityPEM: [UInt8]
    let orders: Mailbox<Order>
  }

  private let thread: LoopThread
  private let opening: Opening

  /// The port to which devices connect.
  public var port: UInt16 { opening.port }
  /// The certificate of the authority.
  public var authorityPEM: [UInt8] { opening.authorityPEM }

  /// Starts the thread and waits until devices can connect.
  public init() throws {
    let opening = Shared<Result<Opening, any Error>>()
    thread = try LoopThread.start(name: "link gateway") { loop in
      opening.set(
        Result {
          let gateway = try LinkGateway(on: loop)
          let orders = loop.mailbox(of: Order.self) { orders in
            for order in orders { order(gateway) }
          }
          return Opening(
            port: gateway.port, authorityPEM: gateway.authority.certificatePEM, orders: orders)
        })
    }
    self.opening = try opening.wait().get()
  }

  deinit {
    thread.stop()
    thread.join()
  }

  /// Runs an operation on the gateway's thread, and waits for the result.
  public func with<Value: Sendable>(_ body: @escaping @Sendable (LinkGateway) -> Value) -> Value {
    let result = Shared<Value>()
    opening.orders.post { result.set(body($0)) }
    return result.wait()
  }
}

/// A value that one thread provides and another waits for.
private final class Shared<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isSet = DispatchSemaphore(value: 0)

  func set(_ new: Value) {
    value.withLock { $0 = new }
    isSet.signal()
  }

  func wait() -> Value {
    while true {
      isSet.wait()
      if let value = value.withLock({ $0 }) { return value }
    }
  }
}
