extension DeviceLinkClient {
  /// Prepares the device to enroll on its next connection, because the gateway no longer knows it
  /// (`LinkCloseReason.unknownDevice`).
  ///
  /// `enrolment` must not contain its proof yet; the owner discards the certificate.
  public mutating func enrolAnew(_ enrolment: LinkFrame.Enrolment) {
    assert(!isUp, "a device that is connected is known")
    assert(enrolment.proof.isEmpty, "the next nonce is not known yet")
    self.enrolment = enrolment
  }
}
