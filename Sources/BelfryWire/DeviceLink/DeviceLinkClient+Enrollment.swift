extension DeviceLinkClient {
  /// Prepares the device to enroll on its next connection, because the gateway no longer knows it
  /// (`LinkCloseReason.unknownDevice`).
  ///
  /// `enrollment` must not contain its proof yet; the owner discards the certificate.
  public mutating func enrollAnew(_ enrollment: LinkFrame.Enrollment) {
    assert(!isUp, "a device that is connected is known")
    assert(enrollment.proof.isEmpty, "the next nonce is not known yet")
    self.enrollment = enrollment
  }
}
