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

extension AppLinkFailure {
  /// The error of a registration for remote notifications, with the domain and code that Apple's systems have for
  /// it where there are some.
  package var registrationError: NSError {
    let (domain, code): (String, Int) =
      switch reason {
      // No valid entitlement.
      case .registrationRefused: (NSCocoaErrorDomain, 3000)
      // The device has no remote notifications, as Apple's simulator had none.
      case .noGateway: (NSCocoaErrorDomain, 3010)
      case .gatewayUnreachable: (NSURLErrorDomain, NSURLErrorCannotConnectToHost)
      default: (NSCocoaErrorDomain, 3000)
      }
    return DescribedError(
      domain: domain, code: code,
      userInfo: [NSLocalizedDescriptionKey: message, NSUnderlyingErrorKey: nsError])
  }
}

/// An error whose description has its message, as on Apple's systems; Foundation's own prints `(null)` here.
private final class DescribedError: NSError, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  override var description: String {
    "Error Domain=\(domain) Code=\(code) \"\(localizedDescription)\""
  }
}
