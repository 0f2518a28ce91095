import BelfryWire

import Gateway
import Transport

extension FuzzTarget {
  /// Parses the first line as `METHOD TARGET` and the rest as the body.
  ///
  /// If a valid request is written as a call and parsed again, its meaning must not change.
  static func runAdministration(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let line = input.piece(before: 0x0A)
    let body = input.remainder()
    let words = line.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
    let method = String(decoding: words.first ?? [], as: UTF8.self)
    let target = HTTP1Target(Array(words.dropFirst().first ?? []))
    var object: JSONObject?
    if let value = try? JSONValue(parsing: body) { object = value.objectValue }
    let call = AdministrationCall(method, target.path, query: target.query, body: object)
    if let request = understood(call) { precondition(understood(request.call) == request) }
    // Also parse the body separately, because random bytes rarely contain a valid path.
    guard let object else { return }
    for collection in ["teams", "keys", "tokens", "certificates", "topics", "channels", "faults"] {
      let call = AdministrationCall("POST", "/api/\(collection)", body: object)
      if let request = understood(call) { precondition(understood(request.call) == request) }
    }
  }

  private static func understood(_ call: AdministrationCall) -> AdministrationRequest? {
    do throws(AdministrationFailure) {
      return try call.request()
    } catch {
      precondition(
        !error.what.isEmpty && !error.advice.isEmpty, "a refusal has a message and advice")
      return nil
    }
  }
}
