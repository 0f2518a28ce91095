extension DeviceLinkClient {
  /// The gateway does not know the device any more (`LinkCloseReason.unknownDevice`): it enrols on its
  /// next connection.
  ///
  /// `enrolment` comes without its proof; the owner discards the certificate.
  public mutating func enrolAnew(_ enrolment: LinkFrame.Enrolment) {
    assert(!isUp, "a device that is connected is known")
    assert(enrolment.proof.isEmpty, "the next nonce is not known yet")
    self.enrolment = enrolment
  }
}
