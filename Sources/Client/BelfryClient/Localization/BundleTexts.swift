import Scheduling
import Foundation
import Synchronization

/// The strings of bundles in the user's languages.
///
/// Foundation on Linux does not use the user's languages: it looks up strings in the development language, or in the
/// first folder that it finds.
package final class BundleTexts: Sendable {
  /// The value for a key: a string, or a format with plural forms.
  enum Entry: Sendable {
    case text(String)
    case plural(PluralFormat)
  }

  package static let shared = BundleTexts()

  private struct State {
    var tables: [String: [String: Entry]] = [:]
    /// The plural formats that lookups have found, keyed by their format strings.
    var plurals: [String: PluralFormat] = [:]
  }

  private let state = Mutex(State())

  /// Returns the string for a key in the user's languages; nil if no language folder of the bundle contains the key.
  package func text(forKey key: String, table: String?, of bundle: Bundle) -> String? {
    var folders: [String] = []
    for folder in [bundle.resourcePath, bundle.bundlePath, bundle.bundlePath + "/Resources"] {
      if let folder, !folders.contains(folder) { folders.append(folder) }
    }
    return text(
      forKey: key, table: table, folders: folders, languages: Locale.userPreferredLanguages,
      // Foundation's `developmentLocalization` property crashes if there is no manifest.
      development: bundle.object(forInfoDictionaryKey: "CFBundleDevelopmentRegion") as? String)
  }

  /// Returns the string for a key in the first language that contains the key; falls back to the development language.
  func text(
    forKey key: String, table: String?, folders: [String], languages: [String],
    development: String?
  ) -> String? {
    let table = table.flatMap { $0.isEmpty ? nil : $0 } ?? "Localizable"
    let order =
      languages.map { ($0, LanguageFolders.names($0)) }
      + [(development ?? "en", LanguageFolders.names(development ?? "en") + ["Base"])]
    for (language, names) in order {
      for name in names {
        for folder in folders {
          let stem = "\(folder)/\(name).lproj/\(table)"
          for path in [stem + ".stringsdict", stem + ".strings"] {
            guard let entry = entries(path, language)[key] else { continue }
            return text(entry)
          }
        }
      }
    }
    return nil
  }

  private func text(_ entry: Entry) -> String {
    switch entry {
    case .text(let text): return text
    case .plural(let plural):
      state.withLock { state in
        if state.plurals.count >= Limits.localizedTexts { state.plurals = [:] }
        state.plurals[plural.format] = plural
      }
      return plural.format
    }
  }

  /// Returns the plural format for a format string that a lookup returned; nil if the string has no plural forms.
  func plural(of format: String) -> PluralFormat? {
    guard format.contains("%") else { return nil }
    return state.withLock { $0.plurals[format] }
  }

  /// Returns the entries of a file, or an empty dictionary if the file cannot be read.
  ///
  /// Each file is read only once, because the files of a bundle do not change.
  private func entries(_ path: String, _ language: String) -> [String: Entry] {
    if let known = state.withLock({ $0.tables[path] }) { return known }
    var entries: [String: Entry] = [:]
    if let data = FileManager.default.contents(atPath: path),
      let list = unsafe try? PropertyListSerialization.propertyList(
        from: data, options: [], format: nil) as? [String: Any]
    {
      entries = list.compactMapValues { value in
        if let text = value as? String { return .text(text) }
        return (value as? [String: Any]).flatMap { PluralFormat($0, language: language) }
          .map(Entry.plural)
      }
    }
    state.withLock { $0.tables[path] = entries }
    return entries
  }
}
