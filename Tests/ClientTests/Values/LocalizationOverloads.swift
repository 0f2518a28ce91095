import UserNotifications

// A file that imports one of Belfry's modules alone.

/// What the calls of such a file find.
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
