/// The target of a WebSocket request, which contains the enrollment code.
public enum AutopushPath {
  /// Returns the first segment of a target's path, which is empty if the path is `/`.
  ///
  /// Clients append segments or a query to the URL that the user entered.
  public static func enrollmentCode(_ target: [UInt8]) -> [UInt8] {
    guard target.first == UInt8(ascii: "/") else { return [] }
    let segment = target.dropFirst().prefix { byte in
      byte != UInt8(ascii: "/") && byte != UInt8(ascii: "?")
    }
    return Array(segment)
  }
}
