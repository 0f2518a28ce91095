internal import BelfryWire

extension VAPIDToken {
  /// Throws if the token is not for any of the origins of an endpoint.
  func checkAudience(_ accepted: [WebPushOrigin]) throws(WebPushRefusal) {
    guard !origins.contains(where: { accepted.contains($0) }) else { return }
    let own = accepted.map(\.text).joined(separator: " or ")
    throw WebPushRefusal(
      .audienceOther, "the token's aud is \(audienceExcerpt), this endpoint's origin is '\(own)'")
  }

  /// Throws if the token has expired, or expires too far in the future.
  ///
  /// A token that expires in this second is valid (RFC 8292 section 2).
  func checkExpiration(atSeconds now: Int64) throws(WebPushRefusal) {
    let (ahead, overflow) = expiresAtSeconds.subtractingReportingOverflow(now)
    let isPast = overflow ? expiresAtSeconds < now : ahead < 0
    if isPast {
      let time = overflow ? "long" : TimeText.text(seconds: ahead)
      throw WebPushRefusal(.expirationPast, "the token expired \(time) ago (exp)")
    }
    let most = WebPushLimits.tokenSecondsMax
    guard !overflow, ahead <= most + WebPushLimits.tokenSkewSecondsMax else {
      let time = overflow ? "too far" : TimeText.text(seconds: ahead)
      // A distance of years is usually a time in milliseconds.
      let hint = overflow || ahead > 366 * 86_400 ? " (exp is in seconds)" : ""
      throw WebPushRefusal(
        .expirationTooFar,
        "the token's exp is \(time) ahead; at most \(most / 3_600) hours are allowed\(hint)")
    }
  }

  /// Throws if `sub` is missing, or is not a URI that Apple accepts.
  ///
  /// RFC 8292 section 2.1 only recommends the claim, and autopush accepts any text.
  func checkSubject() throws(WebPushRefusal) {
    guard let subject else {
      throw WebPushRefusal(.subjectInvalid, "the token does not have sub, which Apple requires")
    }
    let text = Array(subject.utf8)
    guard VAPIDSubject.isAccepted(text.span) else {
      throw WebPushRefusal(
        .subjectInvalid,
        "the token's sub is \(text.span.excerpt); it must be mailto:NAME@DOMAIN or https://DOMAIN")
    }
  }
}
