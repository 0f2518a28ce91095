package import BelfryWire
package import Foundation

extension UNError {
  /// The error for an app when the agent refuses, or cannot be reached: Apple's own code where
  /// there is one, else `notificationsNotAllowed` with the link's error beneath.
  package init(_ failure: AppLinkFailure) {
    if let code = failure.reason.userNotificationsCode.flatMap(Code.init(rawValue:)) {
      self = .because(code, failure.message.isEmpty ? nil : failure.message)
    } else {
      self = .because(
        .notificationsNotAllowed,
        "Notifications are not allowed for this application: \(failure.message)",
        underlying: failure.nsError)
    }
  }
}

extension AppLinkFailure {
  /// The same as an error object: the domain is the link's, the code the reason's place in its
  /// list.
  package var nsError: NSError {
    NSError(
      domain: "BelfryAppLink", code: Reason.allCases.firstIndex(of: reason) ?? 0,
      userInfo: [NSLocalizedDescriptionKey: message])
  }
}
