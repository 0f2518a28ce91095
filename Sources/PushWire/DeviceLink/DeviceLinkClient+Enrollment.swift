extension DeviceLinkClient {
  /// Prepares the device to enroll on its next connection, because the gateway no longer knows the device
  /// (`LinkCloseReason.unknownDevice`).
  ///
  /// `enrollment` must not contain its proof yet. The owner is responsible for discarding the old certificate.
  public mutating func enrollAnew(_ enrollment: LinkFrame.Enrollment) {
    assert(!isUp, "a device enrolls again only while its link is down")
    assert(enrollment.proof.isEmpty, "the enrollment does not contain a proof yet")
    self.enrollment = enrollment
  }

  /// Discards an enrollment because its certificate cannot be used.
  ///
  /// The device disconnects, and enrolls again after a delay that increases with each failure. Call this method while
  /// handling ``Action/enrolled(device:chainPEM:)``, before the certificate is used. `enrollment` must not contain its
  /// proof yet.
  public mutating func enrollmentFailed(
    _ enrollment: LinkFrame.Enrollment, at now: Int64, output: inout [UInt8]
  ) -> Action? {
    assert(enrollment.proof.isEmpty, "the enrollment does not contain a proof yet")
    guard phase == .enrolling else { return nil }
    self.enrollment = enrollment
    return disconnect(
      LinkFault(.badValue, frameType: LinkFrameType.enrolled.rawValue), then: .pause, at: now,
      output: &output)
  }
}
