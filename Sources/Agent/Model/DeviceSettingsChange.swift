import BelfryWire

/// What a command sets for the whole device (`belfry settings --languages`, `--location`).
struct DeviceSettingsChange {
  /// The key of the languages' record.
  static let languagesKey = "languages"
  /// The key of the record that says whether places are told to anyone.
  static let locationKey = "location"

  /// nil leaves them.
  let languages: [String]?
  /// nil leaves it.
  let isLocationOn: Bool?

  /// Reads a command's words.
  ///
  /// - Throws: What is wrong with one of them.
  init(_ words: [String: String]) throws(AppLinkFailure) {
    languages = words[Self.languagesKey]?.split(separator: ",").map(String.init)
    if let tag = languages?.first(where: { !LanguageTag.isWellFormed($0) }) {
      throw AppLinkFailure(.invalidArgument, "\"\(tag)\" is no language: use tags like fr-CA")
    }
    isLocationOn = words[Self.locationKey].flatMap(AppSwitches.isOn)
    if let word = words[Self.locationKey], isLocationOn == nil {
      throw AppLinkFailure(.invalidArgument, "location=\(word): use on or off")
    }
  }
}
