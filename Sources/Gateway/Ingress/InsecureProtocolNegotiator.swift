import System
import Transport

/// A connection on the loopback port whose protocol isn't known yet: HTTP/2 with prior knowledge, which begins with the
/// preface, or HTTP/1.1.
final class InsecureProtocolNegotiator: StreamHandler {
  private let front: ProviderFront
  private var unread: [UInt8] = []
  private var timer: TimerID?

  init(front: ProviderFront) { self.front = front }

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
    connection.streamOpened(
      stream.detach(unread: unread).attach(to: front.loop, handler: connection))
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) { stopTimer() }
}
