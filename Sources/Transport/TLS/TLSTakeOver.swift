/// A stream whose records are taken over; nothing is yet.
final class TLSRecordLayer: TLSLayer {
  /// Lets go of the peer's certificate.
  func forgetPeer() {}
}

extension ByteStream {
  /// Frees OpenSSL's object where the records can be handled without it.
  func takeOverRecords(of session: TLSSession) -> TLSRecordLayer? { nil }
}
