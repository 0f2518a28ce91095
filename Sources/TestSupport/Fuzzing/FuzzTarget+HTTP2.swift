extension FuzzTarget {
  /// Runs the script that the bytes determine with both codecs.
  ///
  /// The first byte determines the form of the script; see `HTTP2Script`.
  static func runHTTP2(_ bytes: [UInt8]) {
    let difference = HTTP2Differential.difference(bytes)
    precondition(difference == nil, difference ?? "both codecs do the same")
  }
}
