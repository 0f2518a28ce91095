package import AppWire
package import Foundation

extension UNError {
  /// Creates the error that an app receives if the agent refuses a request or cannot be reached.
  ///
  /// If Apple defines a code for the failure, the error has that code. Otherwise, the code is
  /// `notificationsNotAllowed`, and the underlying error contains the failure.
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
  /// The failure as an error object in the domain of the app link.
  ///
  /// The error code is the index of the reason in `Reason.allCases`.
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
      // The device does not support remote notifications. Early versions of Apple's simulator report the same code.
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
