import AppWire
import Scheduling

/// A command's change to the device's settings (`belfry settings --languages`, `--location`).
package struct DeviceSettingsChange {
  /// The key of the languages' record.
  static let languagesKey = "languages"
  /// The key of the record that turns location services on or off.
  package static let locationKey = "location"

  /// The languages; nil for no change.
  let languages: [String]?
  /// True to turn location services on, false to turn them off; nil for no change.
  let isLocationOn: Bool?

  /// Parses a command's values.
  ///
  /// - Throws: A description of the invalid value.
  init(_ words: [String: String]) throws(AppLinkFailure) {
    languages = words[Self.languagesKey]?.split(separator: ",").map(String.init)
    if let tag = languages?.first(where: { !LanguageTag.isWellFormed($0) }) {
      throw AppLinkFailure(.invalidArgument, "invalid language \"\(tag)\": use a tag such as fr-CA")
    }
    isLocationOn = words[Self.locationKey].flatMap(AppSwitches.isOn)
    if let word = words[Self.locationKey], isLocationOn == nil {
      throw AppLinkFailure(.invalidArgument, "location=\(word): use on or off")
    }
  }
}
