internal import BelfryWire

extension LinkFrame {
  /// Appends the frame, header and body, to `output`.
  ///
  /// The caller must keep the fields within ``LinkLimits``. Fields that were decoded from a peer are always within
  /// these limits.
  public func encode(to output: inout [UInt8]) {
    switch self {
    case .notification(let notification): notification.encode(to: &output)
    case .enroll, .enrolled, .enrollRefused, .hello, .welcome, .connect, .connected, .ready:
      encodeOpening(to: &output)
    case .topic, .token, .refused, .subscribe, .unsubscribe, .subscribed, .done:
      encodeRequest(to: &output)
    case .acknowledge, .discard, .state, .ping, .pong, .reconnect, .draining, .close:
      encodeTraffic(to: &output)
    case .trust, .renew, .renewed, .renewalRefused: encodeRenewal(to: &output)
    }
  }

  /// The encoded bytes of the frame.
  public var encoded: [UInt8] {
    var output: [UInt8] = []
    encode(to: &output)
    return output
  }

  /// The frame's type on the wire.
  public var type: LinkFrameType {
    switch self {
    case .hello: .hello
    case .welcome: .welcome
    case .enroll: .enroll
    case .enrolled: .enrolled
    case .enrollRefused: .enrollRefused
    case .connect: .connect
    case .connected: .connected
    case .ready: .ready
    case .topic(.register, _, _): .register
    case .topic(.unregister, _, _): .unregister
    case .topic(.disable, _, _): .disable
    case .topic(.enable, _, _): .enable
    case .token: .token
    case .refused: .refused
    case .subscribe: .subscribe
    case .unsubscribe: .unsubscribe
    case .subscribed: .subscribed
    case .done: .done
    case .notification(let notification): notification.isBroadcast ? .broadcast : .notification
    case .acknowledge: .acknowledge
    case .discard: .discard
    case .state: .state
    case .ping: .ping
    case .pong: .pong
    case .reconnect: .reconnect
    case .draining: .draining
    case .close: .close
    case .trust: .trust
    case .renew: .renew
    case .renewed: .renewed
    case .renewalRefused: .renewalRefused
    }
  }

  private func encodeOpening(to output: inout [UInt8]) {
    let writer = LinkFieldWriter(type, to: &output)
    switch self {
    case .hello(let hello):
      writer.integer(hello.oldestVersion, to: &output)
      writer.integer(hello.newestVersion, to: &output)
      writer.integer(hello.state.rawValue, to: &output)
      writer.integer(hello.window, to: &output)
      writer.integer(hello.provedSeconds, to: &output)
      writer.integer(hello.failedSeconds, to: &output)
      if hello.renews { writer.integer(UInt8(1), to: &output) }
    case .welcome(let welcome):
      assert(
        welcome.environment != nil || welcome.webPushOrigin.isEmpty,
        "the origin follows the environment")
      writer.integer(welcome.version, to: &output)
      writer.integer(welcome.bodyBytesMax, to: &output)
      writer.integer(welcome.intervalSeconds, to: &output)
      writer.identity(welcome.nonce, to: &output)
      if let environment = welcome.environment {
        writer.integer(environment.rawValue, to: &output)
        if !welcome.webPushOrigin.isEmpty { writer.shortText(welcome.webPushOrigin, to: &output) }
      }
    case .enroll(let enrollment):
      writer.integer(UInt16(truncatingIfNeeded: enrollment.publicKey.count), to: &output)
      output.append(contentsOf: enrollment.publicKey)
      assert(
        enrollment.proof.count == LinkLimits.proofBytes,
        "an enrollment has a proof of the required size")
      output.append(contentsOf: enrollment.proof)
      writer.shortText(enrollment.code, to: &output)
      writer.shortText(enrollment.name, to: &output)
    case .enrolled(let device, let chainPEM):
      writer.integer(device, to: &output)
      output.append(contentsOf: chainPEM)
    case .enrollRefused(let refusal): writer.integer(refusal.rawValue, to: &output)
    case .connected(let device, let unixMilliseconds):
      writer.integer(device, to: &output)
      writer.integer(unixMilliseconds, to: &output)
    case .connect, .ready: break
    default: assertionFailure("not an opening frame: \(type)")
    }
    writer.finish(&output)
  }

  private func encodeRequest(to output: inout [UInt8]) {
    let writer = LinkFieldWriter(type, to: &output)
    switch self {
    case .topic(_, let request, let topic):
      assert(!topic.bundleID.isEmpty, "a topic has a bundle ID")
      writer.integer(request, to: &output)
      writer.integer(topic.kind.rawValue, to: &output)
      writer.shortText(topic.bundleID, to: &output)
    case .token(let request, let handle, let token):
      writer.integer(request, to: &output)
      writer.integer(handle, to: &output)
      writer.shortBytes(token, to: &output)
    case .refused(let request, let refusal):
      writer.integer(request, to: &output)
      writer.integer(refusal.rawValue, to: &output)
    case .subscribe(let request, let bundleID, let channel),
      .unsubscribe(let request, let bundleID, let channel):
      writer.integer(request, to: &output)
      writer.shortText(bundleID, to: &output)
      writer.shortBytes(channel, to: &output)
    case .subscribed(let request, let handle):
      writer.integer(request, to: &output)
      writer.integer(handle, to: &output)
    case .done(let request): writer.integer(request, to: &output)
    default: assertionFailure("not a request frame: \(type)")
    }
    writer.finish(&output)
  }

  private func encodeTraffic(to output: inout [UInt8]) {
    let writer = LinkFieldWriter(type, to: &output)
    switch self {
    case .acknowledge(let through): writer.integer(through, to: &output)
    case .discard(let delivery, let reason):
      writer.integer(delivery, to: &output)
      writer.integer(reason.rawValue, to: &output)
    case .state(let state): writer.integer(state.rawValue, to: &output)
    case .ping(let token): writer.integer(token, to: &output)
    case .pong(let token, let intervalSeconds):
      writer.integer(token, to: &output)
      writer.integer(intervalSeconds, to: &output)
    case .reconnect(let hint):
      writer.integer(hint.afterMilliseconds, to: &output)
      writer.integer(hint.jitterMilliseconds, to: &output)
      writer.shortText(hint.host, to: &output)
      writer.integer(hint.port, to: &output)
    case .draining(let milliseconds): writer.integer(milliseconds, to: &output)
    case .close(let fault):
      writer.integer(fault.reason.rawValue, to: &output)
      writer.integer(fault.frameType, to: &output)
    default: assertionFailure("not a traffic frame: \(type)")
    }
    writer.finish(&output)
  }
}
