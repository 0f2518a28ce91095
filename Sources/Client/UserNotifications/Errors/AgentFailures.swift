package import AppWire
package import Foundation

extension UNError {
  /// Creates the error that an app receives if the agent refuses a request or cannot be reached.
  ///
  /// The error has Apple's code if one exists. Otherwise, the code is `notificationsNotAllowed`, and the underlying
  /// error is the link's error.
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
  /// The failure as an error object: the domain is that of the link, and the code is the index of the reason in
  /// `Reason.allCases`.
  package var nsError: NSError {
    NSError(
      domain: "BelfryAppLink", code: Reason.allCases.firstIndex(of: reason) ?? 0,
      userInfo: [NSLocalizedDescriptionKey: message])
  }
}

extension AppLinkFailure {
  /// The error for a failed registration for remote notifications.
  ///
  /// The error has the domain and code that Apple's systems use, if any.
  package var registrationError: NSError {
    let (domain, code): (String, Int) =
      switch reason {
      // The app has no valid entitlement.
      case .registrationRefused: (NSCocoaErrorDomain, 3000)
      // The device does not support remote notifications, like early versions of Apple's simulator.
      case .noGateway: (NSCocoaErrorDomain, 3010)
      case .gatewayUnreachable: (NSURLErrorDomain, NSURLErrorCannotConnectToHost)
      default: (NSCocoaErrorDomain, 3000)
      }
    return DescribedError(
      domain: domain, code: code,
      userInfo: [NSLocalizedDescriptionKey: message, NSUnderlyingErrorKey: nsError])
  }
}

/// An error whose description contains its message, as on Apple's systems; Foundation on Linux prints `(null)` instead.
private final class DescribedError: NSError, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  override var description: String {
    "Error Domain=\(domain) Code=\(code) \"\(localizedDescription)\""
  }
}
