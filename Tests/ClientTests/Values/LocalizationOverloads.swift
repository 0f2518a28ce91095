import UserNotifications

// A file that imports only one of Belfry's modules.

/// The overloads that the calls in such a file resolve to.
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
