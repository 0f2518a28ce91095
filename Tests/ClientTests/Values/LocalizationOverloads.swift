import UserNotifications

// This file imports only one of Belfry's modules.

/// The overloads that are chosen for calls in a file with a single import.
enum AloneFile {
  static func texts(_ bundle: Bundle) -> [String] {
    [
      NSLocalizedString("K", bundle: bundle, comment: ""),
      NSLocalizedString("K", tableName: nil, bundle: bundle, value: "", comment: ""),
      bundle.localizedString(forKey: "K", value: nil, table: nil),
      String(localized: "K", bundle: bundle),
    ]
  }
}
