import BelfryWire

/// A push as a curl command line.
enum CurlLine {
  /// Returns the command line.
  ///
  /// `token` and `providerToken` can contain shell substitutions.
  static func text(
    host: String, port: Int64, caFile: String, topic: String, token: String, providerToken: String,
    title: String? = nil, body: String
  ) -> String {
    let address = host.contains(":") ? "[\(host)]" : host
    let alert: JSONValue =
      title.map { ["title": .string($0), "body": .string(body)] } ?? .string(body)
    let payload: JSONValue = ["aps": ["alert": alert]]
    return [
      "curl --http2 --cacert \(ShellWords.quoted(caFile))",
      "-H \"authorization: bearer \(providerToken)\"",
      "-H \(ShellWords.quoted("apns-topic: \(topic)")) -H 'apns-push-type: alert'",
      "-d \(ShellWords.quoted(payload.text))",
      "\"https://\(address):\(port)/3/device/\(token)\"",
    ].joined(separator: " ")
  }
}
