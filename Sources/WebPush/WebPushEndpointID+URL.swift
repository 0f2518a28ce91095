internal import BelfryWire

extension WebPushEndpointID {
  /// Parses the URL of an endpoint whose service has this origin, or returns nil for any other text.
  ///
  /// An app receives the URL in only one form, so the origin is compared byte by byte.
  public init?(url: Span<UInt8>, origin: Span<UInt8>) {
    guard url.count > origin.count, url.extracting(0..<origin.count).equals(origin) else {
      return nil
    }
    let path = url.extracting(origin.count..<url.count)
    guard path.count > 6, path.extracting(0..<6).equals("/push/") else { return nil }
    self.init(path.extracting(6..<path.count))
  }
}
