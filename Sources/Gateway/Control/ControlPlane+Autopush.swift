import PushWire
import Storage
import System
import Transport
import WebPush

/// The control plane's answer to a browser that asked for an identifier.
enum AutopushEnrollment: Sendable {
  /// The browser is a new device.
  case enrolled(AutopushUserAgentID)
  case refused(LinkEnrollmentRefusal)
}

/// The enrollment and the identification of browsers, which have neither a key nor a certificate.
extension ControlPlane {
  /// Creates a device for a browser.
  func enrollAutopush(
    _ session: SessionID, _ opening: AutopushOpening, route: Route, peer: String
  ) {
    do throws(EnrollmentProblem) {
      // Without a code, the pages of every site that is open in a browser of this network could enroll devices.
      if configuration.enrollment == .open, opening.isFromWebPage { throw .refused(.notOffered) }
      try admitEnrollment(withCode: opening.code)
      let number = try makeDeviceNumber()
      let uaid = AutopushUserAgentID(
        device: number, random: random.next() as UInt64, random.next() as UInt64)
      guard let uaid else { throw .failed("the device number \(number) has more than 56 bits") }
      let claim = uaid.claim
      assert(claim.number == number, "the identifier contains the device's number")
      let ticket = makeTicket()
      enrolling[ticket] = Enrolling(
        route: route, device: claim, isKnown: false,
        answer: .autopushEnrollment(session, .enrolled(uaid)),
        refusal: .autopushEnrollment(session, .refused(.tryLater)))
      let record = DeviceRecord(
        number: number, keyHash: claim.keyHash, name: "Web Push client",
        enrolledMilliseconds: loop.unixMilliseconds)
      writer.submit(changes: [.putDevice(record)], ticket: ticket, reply: replies)
    } catch {
      error.report(to: log, peer: peer, hasCode: !opening.code.isEmpty)
      metrics.count(error.refusal)
      answer(route, .autopushEnrollment(session, .refused(error.refusal)))
    }
  }

  /// Finds out whether the store has the device of a browser's identifier.
  ///
  /// A node of a cluster asks before it claims the device, because a claim closes the device's connections to other
  /// nodes, and anybody can present an identifier with the number of a device. The store is read on the writer's thread,
  /// because many browsers can connect at the same time.
  func findAutopush(_ session: SessionID, _ claim: DeviceClaim, route: Route) {
    let peer = peers[route.loop]
    let log = log
    let isAsked = writer.perform { store in
      var isKnown: Bool?
      do throws(StorageFailure) {
        isKnown = try store.devices(withKey: claim.keyHash).contains { $0.number == claim.number }
      } catch {
        log.storeFailure("cannot read the device of a browser", error)
      }
      peer.post(.routed(.homeReply(.autopushIdentity(session, isKnown: isKnown))))
    }
    if !isAsked { answer(route, .autopushIdentity(session, isKnown: nil)) }
  }
}
