extension DeviceLinkClient {
  /// Prepares the device to enroll on its next connection, because the gateway no longer knows the device
  /// (`LinkCloseReason.unknownDevice`).
  ///
  /// `enrollment` must not contain its proof yet. The owner discards the old certificate.
  public mutating func enrollAnew(_ enrollment: LinkFrame.Enrollment) {
    assert(!isUp, "a device that is connected is known")
    assert(enrollment.proof.isEmpty, "the next nonce is not known yet")
    self.enrollment = enrollment
  }
}
