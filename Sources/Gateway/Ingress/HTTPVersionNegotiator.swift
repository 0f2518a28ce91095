import System
import Transport

/// A connection whose protocol isn't known yet, on a port that serves both HTTP/2, which begins with the preface, and
/// HTTP/1.1.
final class HTTPVersionNegotiator: StreamHandler {
  private let front: ProviderFront
  private let interface: ProviderInterface
  private var unread: [UInt8] = []
  private var timer: TimerID?

  init(front: ProviderFront, interface: ProviderInterface = .everything) {
    self.front = front
    self.interface = interface
  }

  func streamOpened(_ stream: ByteStream) {
    timer = front.loop.schedule(
      afterNanoseconds: Limits.providerPrefaceNanoseconds
    ) { [weak stream] in
      stream?.close(afterFlush: false)
    }
  }

  private func stopTimer() {
    if let timer { front.loop.cancel(timer) }
    timer = nil
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    unsafe unread.append(contentsOf: bytes)
    let preface = Array("PRI".utf8)
    guard unread.count >= preface.count else { return }
    stopTimer()
    let connection = front.makeProvider(ProviderConnection.init)
    connection.speaksHTTP1 = !unread.starts(with: preface)
    connection.interface = interface
    connection.streamOpened(
      stream.detach(unread: unread).attach(to: front.loop, handler: connection))
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) { stopTimer() }
}
