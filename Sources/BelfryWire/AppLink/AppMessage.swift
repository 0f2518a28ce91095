/// A message of the app link.
///
/// Either end may send requests, with a number if it expects an answer.
public enum AppMessage: Sendable, Hashable {
  /// `{"type":…}` or, when an answer is awaited, `{"type":…,"number":…}`.
  case request(type: String, number: Int64?, AppFrame)
  /// `{"answers":…}`: the answer to the other end's request of that number.
  case answer(number: Int64, AppFrame)
  /// `{"answers":…,"error":{"reason":…,"message":…}}`: the refusal of the other end's request with that number.
  case refusal(number: Int64, AppLinkFailure)

  /// Parses the envelope; `AppRequest`, `AppEvent` or `AppAnswer` parses its content.
  public init(_ frame: AppFrame) throws(AppLinkDecodingFailure) {
    let fields = AppLinkFields(frame.object, frame.attached)
    if let number = try fields.optionalInteger("answers") {
      guard let error = try fields.optionalFields("error") else {
        self = .answer(number: number, frame)
        return
      }
      // An unknown reason, from a newer version, is still a refusal.
      let reason = AppLinkFailure.Reason(word: try error.string("reason"))
      let failure = AppLinkFailure(
        reason ?? .unsupportedMessage, try error.optionalString("message") ?? "")
      self = .refusal(number: number, failure)
      return
    }
    self = .request(
      type: try fields.string("type"), number: try fields.optionalInteger("number"), frame)
  }

  /// Returns the frame of a refusal.
  public static func refusing(_ number: Int64, _ failure: AppLinkFailure) -> AppFrame {
    AppFrame([
      "answers": .integer(number),
      "error": [
        "reason": .string(failure.reason.rawValue), "message": .string(failure.message),
      ],
    ])
  }
}

extension AppFrame {
  /// Returns the same frame as a request with a number.
  public func numbered(_ number: Int64) -> AppFrame {
    assert(object["answers"] == nil, "a numbered request is not an answer")
    var frame = self
    frame.object["number"] = .integer(number)
    return frame
  }

  /// Returns the same frame as the answer to a request.
  public func answering(_ number: Int64) -> AppFrame {
    assert(object["number"] == nil, "an answer is not a numbered request")
    var frame = self
    frame.object["answers"] = .integer(number)
    return frame
  }
}
