import BelfryWire
import Glibc
import System
import Transport

/// The socket in the data folder of `belfry device run` through which `belfry device order` reaches the devices.
final class OrderServer {
  private var listener: StreamListener?
  private var connections: [Swift.ObjectIdentifier: OrderConnection] = [:]
  private let place: OrderSocketPath

  private let carryOut: (DeviceOrder, OrderConnection) -> Void

  init(
    on loop: EventLoop, folder: String,
    _ carryOut: @escaping (DeviceOrder, OrderConnection) -> Void
  ) throws(SystemFailure) {
    self.carryOut = carryOut
    place = try OrderSocketPath(folder: folder)
    let accept = { [weak self] (stream: ByteStream) in self?.accept(stream) }
    listener = try StreamListener(loop: loop, unixPath: place.path, accept: accept)
  }

  private func accept(_ stream: ByteStream) -> (any StreamHandler)? {
    guard let peer = stream.peerCredentials, peer.uid == geteuid() || peer.uid == 0,
      connections.count < Self.connectionsMax
    else { return nil }
    let connection = OrderConnection(stream, of: self)
    connections[Swift.ObjectIdentifier(connection)] = connection
    return connection
  }

  fileprivate func received(_ order: DeviceOrder, _ connection: OrderConnection) {
    carryOut(order, connection)
  }

  fileprivate func closed(_ connection: OrderConnection) {
    connections[Swift.ObjectIdentifier(connection)] = nil
  }

  /// The maximum number of concurrent orders, each of which waits for its devices.
  private static let connectionsMax = 64

  func close() {
    listener?.close()
    listener = nil
    for connection in connections.values { connection.close() }
  }
}

/// A connection from `belfry device order`, which sends an order and receives a line for each part that was carried
/// out.
final class OrderConnection: StreamHandler {
  private let stream: ByteStream
  private weak var server: OrderServer?
  private var input: [UInt8] = []
  private var hasOrder = false

  fileprivate init(_ stream: ByteStream, of server: OrderServer) {
    self.stream = stream
    self.server = server
  }

  /// True while the command waits.
  var isOpen: Bool { stream.isOpen }

  func send(_ line: JSONObject) {
    if stream.isOpen { stream.write(JSONValue.object(line).bytes + [0x0A]) }
  }

  /// Sends the last line, which reports completion or the refusal, and closes the connection.
  func finish(_ refusal: DeviceOrder.Refusal? = nil) {
    if let refusal {
      send(["error": .string(refusal.reason), "advice": .string(refusal.advice)])
    } else {
      send(["event": "done"])
    }
    stream.close(afterFlush: true)
  }

  func close() { stream.close(afterFlush: true) }

  func streamOpened(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    guard !hasOrder else { return }
    unsafe input.append(contentsOf: bytes)
    guard let end = input.firstIndex(of: 0x0A) else {
      if input.count > Self.orderBytesMax { stream.close(afterFlush: false) }
      return
    }
    hasOrder = true
    guard let order = DeviceOrder(input[..<end]) else {
      return finish(
        .init(
          "the devices do not know this order",
          do: "use the same release of belfry for the devices and for this command"))
    }
    server?.received(order, self)
  }

  /// The maximum size of an order, in bytes; an order with a token has about 100.
  private static let orderBytesMax = 4_096

  func streamAwaitsAnswers(_ stream: ByteStream) -> Bool { hasOrder }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) { server?.closed(self) }
}

/// The path of the socket in a folder, in a form that works even if the folder's path is too long for a socket.
final class OrderSocketPath {
  let path: String
  private let folder: Int32?

  init(folder path: String) throws(SystemFailure) {
    let usual = path + "/orders.sock"
    guard usual.utf8.count > Self.pathBytesMax else {
      self.path = usual
      folder = nil
      return
    }
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .call(name: "open", errno: errno, subject: path) }
    folder = descriptor
    self.path = "/proc/self/fd/\(descriptor)/orders.sock"
  }

  deinit { if let folder { close(folder) } }

  /// The maximum length, in bytes, of a socket's path (unix(7)), without the terminating zero.
  private static let pathBytesMax = 107
}
