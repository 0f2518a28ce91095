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

/// The enrollment of browsers, which have neither a key nor a certificate.
extension ControlPlane {
  /// Creates a device for a browser; `code` is from the path of the browser's request.
  func enrollAutopush(_ session: SessionID, code: [UInt8], route: Route, peer: String) {
    do throws(EnrollmentProblem) {
      try admitEnrollment(withCode: code)
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
      error.report(to: log, peer: peer, hasCode: !code.isEmpty)
      metrics.count(error.refusal)
      answer(route, .autopushEnrollment(session, .refused(error.refusal)))
    }
  }
}
