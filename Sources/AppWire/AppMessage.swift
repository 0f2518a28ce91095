internal import BelfryWire

/// A message of the app link.
///
/// Either end can send requests; a request that expects an answer has a number.
public enum AppMessage: Sendable, Hashable {
  /// `{"type":…}` or, if the sender expects an answer, `{"type":…,"number":…}`.
  case request(type: String, number: Int64?, AppFrame)
  /// `{"answers":…}`: the answer to the other end's request with this number.
  case answer(number: Int64, AppFrame)
  /// `{"answers":…,"error":{"reason":…,"message":…}}`: the refusal of the other end's request with this number.
  case refusal(number: Int64, AppLinkFailure)

  /// Parses the envelope; `AppRequest`, `AppEvent`, or `AppAnswer` parses its content.
  public init(_ frame: AppFrame) throws(AppLinkDecodingFailure) {
    let fields = AppLinkFields(frame.object, frame.attached)
    if let number = try fields.optionalInteger("answers") {
      guard let error = try fields.optionalFields("error") else {
        self = .answer(number: number, frame)
        return
      }
      // A newer version can send an unknown reason. The answer is still a refusal.
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
  /// Returns a copy of this frame as a request with a number.
  public func numbered(_ number: Int64) -> AppFrame {
    assert(object["answers"] == nil, "a numbered request is not an answer")
    var frame = self
    frame.object["number"] = .integer(number)
    return frame
  }

  /// Returns a copy of this frame as the answer to the request with this number.
  public func answering(_ number: Int64) -> AppFrame {
    assert(object["number"] == nil, "an answer is not a numbered request")
    var frame = self
    frame.object["answers"] = .integer(number)
    return frame
  }
}
