public import System

extension ByteStream: TurnEndTarget {
  /// Queues bytes.
  ///
  /// A single write(2) at the end of the loop's turn sends all queued bytes.
  ///
  /// Bytes queued during the handshake are sent after it. Bytes queued after `close` are dropped. If a peer leaves 8 MB
  /// unread, the stream is closed (`.outputOverflow`), so watch `pendingOutputBytes` and `streamDrained`.
  public func write(_ bytes: UnsafeRawBufferPointer) {
    guard isOpen, bytes.count > 0 else { return }
    guard pendingOutputBytes + bytes.count <= Limits.unsentOutputBytes else {
      abort(.outputOverflow)
      return
    }
    unsafe plain.append(bytes, pool: shared.pool)
    if plain.count > Limits.highWaterBytes { flags.insert(.aboveHigh) }
    scheduleTurnEnd()
  }

  /// Queues an array of bytes.
  public func write(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe write($0) }
  }

  /// Sends queued output.
  ///
  /// The loop calls this method.
  public func turnEnded() {
    flags.remove(.turnEndScheduled)
    defer { checkInvariants() }
    if flags.contains(.aborted) {
      finish(ending?.reason ?? .local)
      return
    }
    if pendingInput != nil { deliverPendingInput() }
    flush()
  }

  private func flush() {
    guard state == .open || state == .handshaking || state == .closing else { return }
    var budget = Limits.writtenPerTurnBytes
    while true {
      guard sendUnsent() else { return }
      if plain.isEmpty || state == .handshaking { break }
      if budget <= 0 {
        waitForWritable(true)
        return
      }
      guard let count = sendPlain() else { return }
      budget -= count
    }
    waitForWritable(false)
    notifyDrained()
    if state == .closing, pendingOutputBytes == 0 { concludeClosing() }
  }

  /// Sends encrypted bytes that are waiting, or returns false if the socket is full or broken.
  private func sendUnsent() -> Bool {
    guard let tls, !tls.unsent.isEmpty else { return true }
    switch unsafe Socket.write(descriptor, tls.unsent.bytes) {
    case .bytes(let count):
      bytesOut &+= UInt64(count)
      tls.unsent.consume(count, pool: shared.pool)
      if tls.unsent.isEmpty { return true }
      waitForWritable(true)
    case .wouldBlock: waitForWritable(true)
    case .failed(let number): writingFailed(number)
    }
    notifyDrained()
    return false
  }

  /// Sends some of the plaintext, or returns nil if the socket is full or broken.
  private func sendPlain() -> Int? {
    guard let tls else { return sendUnencrypted() }
    let count = min(plain.count, Limits.encryptedAtOnceBytes)
    shared.clearOutput()
    guard unsafe tls.write(UnsafeRawBufferPointer(rebasing: plain.bytes[0..<count])) else {
      finish(.tlsFailed("encrypting failed"))
      return nil
    }
    plain.consume(count, pool: shared.pool)
    let output = unsafe shared.output
    switch unsafe Socket.write(descriptor, output) {
    case .bytes(let written):
      bytesOut &+= UInt64(written)
      if written == output.count { return count }
      unsafe tls.unsent.append(
        UnsafeRawBufferPointer(rebasing: output[written...]), pool: shared.pool)
      waitForWritable(true)
    case .wouldBlock:
      unsafe tls.unsent.append(output, pool: shared.pool)
      waitForWritable(true)
    case .failed(let number): writingFailed(number)
    }
    notifyDrained()
    return nil
  }

  private func sendUnencrypted() -> Int? {
    switch unsafe Socket.write(descriptor, plain.bytes) {
    case .bytes(let count):
      bytesOut &+= UInt64(count)
      plain.consume(count, pool: shared.pool)
      if plain.isEmpty { return count }
      waitForWritable(true)
    case .wouldBlock: waitForWritable(true)
    case .failed(let number): writingFailed(number)
    }
    notifyDrained()
    return nil
  }

  private func waitForWritable(_ wanted: Bool) {
    guard flags.contains(.waitsForWritable) != wanted else { return }
    if wanted { flags.insert(.waitsForWritable) } else { flags.remove(.waitsForWritable) }
    updateInterests()
  }

  private func notifyDrained() {
    guard flags.contains(.aboveHigh), pendingOutputBytes <= Limits.lowWaterBytes,
      state == .open
    else { return }
    flags.remove(.aboveHigh)
    handler?.streamDrained(self)
  }

  /// Handles a failed write by reading first, because the socket might contain an alert with the peer's reason.
  ///
  /// The stream then closes.
  private func writingFailed(_ number: Int32) {
    plain.clear(shared.pool)
    tls?.unsent.clear(shared.pool)
    while state == .open || state == .handshaking && tls != nil {
      guard case .bytes(let count) = unsafe Socket.read(descriptor, into: shared.input), count > 0
      else { break }
      unsafe consume(UnsafeRawBufferPointer(rebasing: shared.input[0..<count]))
    }
    if state == .closing, let ending {
      finish(ending.reason)
    } else {
      finish(.broken(errno: number))
    }
  }
}
