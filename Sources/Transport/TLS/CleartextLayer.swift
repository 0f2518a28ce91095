import Glibc

/// A substitute for TLS when the peer's identity is known and encryption isn't required, as in a simulation.
///
/// Bytes pass through the loop's exchange unchanged.
@safe final class CleartextLayer: TLSLayer {
  private unowned(unsafe) var shared: StreamLoop
  private let identity: StreamIdentity

  init(_ identity: StreamIdentity, shared: StreamLoop) {
    self.identity = identity
    unsafe self.shared = shared
    super.init()
  }

  override var negotiatedProtocol: String? { identity.negotiatedProtocol }

  override var peerCertificate: PeerCertificate? { identity.certificate }

  override func use(_ shared: StreamLoop) { unsafe self.shared = shared }

  override func read(into target: UnsafeMutableRawBufferPointer) -> Reading {
    let waiting = unsafe shared.unreadInput
    let count = min(waiting.count, target.count)
    guard count > 0, let source = waiting.baseAddress, let start = target.baseAddress else {
      return .needsInput
    }
    unsafe memcpy(start, source, count)
    unsafe shared.skipInput(count)
    return .bytes(count)
  }

  override func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return true }
    guard let target = unsafe shared.reserveOutput(bytes.count) else { return false }
    unsafe memcpy(target, source, bytes.count)
    unsafe shared.commitOutput(bytes.count)
    return true
  }
}
