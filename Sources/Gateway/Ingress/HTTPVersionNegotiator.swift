import System
import Transport
import WebPush

/// A connection whose protocol isn't known yet, on a port that serves both HTTP/2, which begins with the preface, and
/// HTTP/1.1, and on the Web Push port also the WebSocket of browsers.
final class HTTPVersionNegotiator: StreamHandler {
  private let front: ProviderFront
  private let interface: ProviderInterface
  private var unread: [UInt8] = []
  private var upgradeReader = HTTP1UpgradeReader()
  private var isDone = false
  private var timer: TimerID?

  init(front: ProviderFront, interface: ProviderInterface = .everything) {
    self.front = front
    self.interface = interface
  }

  func streamOpened(_ stream: ByteStream) {
    timer = front.loop.schedule(
      afterNanoseconds: Limits.providerPrefaceNanoseconds
    ) { [weak self, weak stream] in
      guard let self, let stream else { return }
      timer = nil
      // The HTTP session answers a request whose head does not arrive in time.
      if unread.count >= Self.preface.count {
        handOver(stream)
      } else {
        stream.close(afterFlush: false)
      }
    }
  }

  private static let preface = Array("PRI".utf8)
  /// The beginning of a request that might open a WebSocket.
  private static let get = Array("GET".utf8)

  private func stopTimer() {
    if let timer { front.loop.cancel(timer) }
    timer = nil
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    guard !isDone else { return }
    unsafe unread.append(contentsOf: bytes)
    guard unread.count >= Self.preface.count else { return }
    guard interface == .webPush, unread.starts(with: Self.get) else { return handOver(stream) }
    switch upgradeReader.read(unread) {
    case .incomplete: break
    case .ordinary: handOver(stream)
    case .upgrade(let head): upgrade(stream, head)
    }
  }

  /// Gives the connection to an HTTP session.
  private func handOver(_ stream: ByteStream) {
    guard !isDone else { return }
    isDone = true
    stopTimer()
    let connection = front.makeProvider(ProviderConnection.init)
    connection.speaksHTTP1 = !unread.starts(with: Self.preface)
    connection.interface = interface
    connection.streamOpened(
      stream.detach(unread: unread).attach(to: front.loop, handler: connection))
  }

  /// Opens a WebSocket, or answers why it is not opened.
  private func upgrade(_ stream: ByteStream, _ head: HTTP1UpgradeHead) {
    let handshake: WebSocketHandshake
    do throws(WebSocketHandshake.Refusal) {
      handshake = try WebSocketHandshake(
        method: head.method, fields: head.fields, subprotocol: AutopushLimits.subprotocol)
    } catch {
      if error == .notUpgrade { return handOver(stream) }
      return refuse(stream, error.response)
    }
    isDone = true
    stopTimer()
    stream.write(handshake.response)
    front.context.openAutopush(
      stream, Array(unread[head.byteCount...]),
      AutopushOpening(target: head.target, fields: head.fields))
  }

  private func refuse(_ stream: ByteStream, _ response: [UInt8]) {
    isDone = true
    stopTimer()
    stream.write(response)
    stream.close()
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) { stopTimer() }
}
