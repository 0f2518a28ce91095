import PushWire
import Storage
import System
import Transport

/// The renewal of device certificates before they expire, and the tracking of each device's progress in a rotation.
extension ControlPlane {
  /// The renewals in progress, and their limits.
  struct Renewals {
    fileprivate struct Open {
      let route: Route
      let session: SessionID
      let renewed: LinkFrame.Renewed
    }

    fileprivate var open: [UInt64: Open] = [:]
    fileprivate var next: Int64 = 0
    /// The time of each device's last request, on the loop's clock, in nanoseconds.
    fileprivate var asked: [UInt64: Int64] = [:]
    fileprivate var arrivals: [DeviceArrival] = []

    /// Returns true if a device can receive a certificate now, and counts the certificate if so.
    fileprivate mutating func admits(_ device: UInt64, at now: Int64) -> Bool {
      if let last = asked[device], now - last < Limits.renewalPauseNanoseconds { return false }
      guard Limits.renewalRate.admits(&next, at: now) else { return false }
      if asked.count >= Limits.renewalsRemembered { asked.removeAll(keepingCapacity: true) }
      asked[device] = now
      return true
    }

    func checkInvariants(lastTicket: UInt64) {
      assert(open.keys.allSatisfy { $0 <= lastTicket }, "every renewal has an assigned ticket")
      assert(
        asked.count <= Limits.renewalsRemembered,
        "the number of remembered renewals is within its limit")
    }
  }

  /// Renews the certificate of a connected device for its existing key.
  func renew(_ session: SessionID, device: UInt64, publicKey: [UInt8], route: Route) {
    do throws(EnrollmentProblem) {
      guard renewals.admits(device, at: loop.nowNanoseconds) else {
        throw .refused(.tooMany)
      }
      let key = try ownKey(publicKey, of: device)
      let issued = try issue(key, device: device)
      let renewed = LinkFrame.Renewed(
        certificate: issued.certificate.der,
        authorities: authority.trustedCertificates.map(\.der))
      guard renewed.isWellFormed else {
        throw .failed("the authorities' certificates are too long for one frame")
      }
      let ticket = makeTicket()
      renewals.open[ticket] = .init(route: route, session: session, renewed: renewed)
      writer.submit(
        changes: [.putDeviceCertificate(issued.record)], ticket: ticket, reply: replies)
    } catch {
      if let what = error.log { log.error("cannot renew a device's certificate", ["why": what]) }
      refuse(error.refusal, session, route)
    }
  }

  /// Returns the key if it is well-formed and belongs to the device.
  private func ownKey(
    _ publicKey: [UInt8], of device: UInt64
  ) throws(EnrollmentProblem) -> ES256PublicKey {
    guard let key = try? ES256PublicKey(spkiDER: publicKey) else { throw .refused(.badKey) }
    let record: DeviceRecord?
    do throws(StorageFailure) {
      record = try store.device(number: device)
    } catch {
      throw .failed("\(error)")
    }
    if record == nil, store.damage.mayHave(.device(device)) { throw .refused(.tryLater) }
    guard let record, record.keyHash == SHA256.hash(key.spkiDER) else { throw .refused(.badKey) }
    guard record.revokedMilliseconds == nil else { throw .refused(.revoked) }
    return key
  }

  private func refuse(_ refusal: LinkEnrollmentRefusal, _ session: SessionID, _ route: Route) {
    let seconds: UInt32 =
      switch refusal {
      case .tooMany: UInt32.random(in: Limits.renewalRetrySeconds, using: &random)
      case .tryLater: UInt32.random(in: 60...300, using: &random)
      default: LinkLimits.renewalWaitSecondsMax
      }
    answer(route, .renewal(session, .refused(refusal, afterSeconds: seconds)))
  }

  /// Finishes the renewal that the reply's ticket identifies; returns false if the ticket belongs to another operation.
  func finishRenewal(_ reply: ControlReply) -> Bool {
    guard let done = renewals.open.removeValue(forKey: reply.ticket) else { return false }
    if let failure = reply.failure {
      log.storeFailure("cannot store a renewed certificate", failure)
      refuse(.tryLater, done.session, done.route)
    } else {
      metrics.renewals.add()
      answer(done.route, .renewal(done.session, .renewed(done.renewed)))
    }
    return true
  }

  // MARK: Rotations

  /// Switches to other authorities and notifies devices.
  func use(_ authorities: any DeviceCertificateIssuer) {
    let mark = authorities.trustMark
    guard mark != authority.trustMark else {
      authority = authorities
      return
    }
    authority = authorities
    for peer in peers { peer.post(.rotation(.trust(mark: mark))) }
  }

  /// Seals tokens with the first of these keys, and opens tokens with any of them.
  func use(tokenKeys: [[UInt8]]) {
    self.tokenKeys = tokenKeys
    for peer in peers { peer.post(.rotation(.tokenKeys(tokenKeys))) }
  }

  /// Sends the current authorities and token keys to loops that have just started, because a rotation might have taken
  /// place since the loops were created.
  func repeatRotations() {
    for peer in peers {
      peer.post(.rotation(.trust(mark: authority.trustMark)))
      if let tokenKeys { peer.post(.rotation(.tokenKeys(tokenKeys))) }
    }
  }

  /// Records which certificate and token key a device has, in one batch with other arrivals within a second.
  func note(_ arrival: DeviceArrival) {
    renewals.arrivals.append(arrival)
    guard renewals.arrivals.count == 1 else { return }
    loop.schedule(afterNanoseconds: Limits.arrivalNanoseconds) { [weak self] in
      self?.persistArrivals()
    }
  }

  private func persistArrivals() {
    let arrivals = renewals.arrivals
    assert(!arrivals.isEmpty, "at least one arrival is waiting")
    renewals.arrivals.removeAll(keepingCapacity: arrivals.count < 1_024)
    let log = log
    writer.perform { store in
      do throws(StorageFailure) {
        // Usually, nothing has changed, so this causes no write.
        try store.apply(store.newer(in: arrivals).map { .recordArrival($0) })
      } catch {
        log.storeFailure("cannot record which certificates devices have", error)
      }
    }
  }
}
