package import BelfryWire
package import Transport

extension HTTP1Response {
  /// Returns the answer to a client that has guessed too often.
  package static func tooManyGuesses(retryAfterSeconds seconds: Int64) -> HTTP1Response {
    var response = HTTP1Response.failure(
      "too many wrong admin tokens",
      "use the contents of the admin-token file, which are always accepted; other tokens get this response for "
        + "\(seconds) \(seconds == 1 ? "second" : "seconds")", status: 429)
    response.fields.append(("retry-after", "\(seconds)"))
    return response
  }

  /// The content type for one JSON object per line.
  package static let linesType = "application/x-ndjson"

  /// Returns the objects as JSON text, one object per line.
  package static func bytes(of lines: [JSONObject]) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines {
      line.append(to: &bytes)
      bytes.append(0x0A)
    }
    return bytes
  }

  /// Returns a 200 response with one line for each object.
  package static func lines(_ lines: some Sequence<JSONObject>) -> HTTP1Response {
    HTTP1Response(status: 200, contentType: linesType, body: bytes(of: Array(lines)))
  }

  /// Returns a response that contains `text`, by default as plain text in UTF-8 with the status 200.
  package static func text(
    _ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200
  ) -> HTTP1Response {
    HTTP1Response(status: status, contentType: type, body: Array(text.utf8))
  }

  /// Returns a response with a JSON object that says what failed and what to do.
  package static func failure(_ what: String, _ advice: String, status: Int) -> HTTP1Response {
    let body: JSONObject = ["error": .string(what), "advice": .string(advice)]
    return HTTP1Response(
      status: status, contentType: "application/json", body: bytes(of: [body]))
  }
}
