import BelfryWire
package import AppWire
package import Scheduling
package import Foundation
import Synchronization
import System

/// Strings from apps' `Localizable.strings` and `.stringsdict` files, found by RFC 4647 lookup when they are shown
/// (linux-parts 4: Foundation's own choice of language does not work on Linux).
package final class LocalizedTexts: Sendable {
  private struct Table {
    package let modified: Int64
    let bytes: Int
    /// The entries, keyed by bytes; empty if the file is neither a strings file nor a property list.
    ///
    /// The keys are bytes because apps and pushes choose the keys to look up, and comparing strings can be slow.
    let texts: [[UInt8]: Entry]
  }

  /// A cache of tables, keyed by the paths of their files, which apps choose.
  private struct Cache {
    private var tables: [String: Table] = [:]
    private(set) var bytes = 0

    subscript(path: String) -> Table? { tables[path] }

    /// Adds or replaces a table; if the cache is full, drops all other tables, which are read again when needed.
    mutating func put(_ path: String, _ table: Table) {
      let bytes = Self.bytes(path, table)
      self.bytes += bytes - (tables[path].map { Self.bytes(path, $0) } ?? 0)
      tables[path] = table
      guard self.bytes > Limits.cachedLanguageBytes else { return }
      tables = [path: table]
      self.bytes = bytes
    }

    private static func bytes(_ path: String, _ table: Table) -> Int {
      path.utf8.count + table.bytes + Limits.recordOverheadBytes
    }
  }

  /// A string, or a string with plural forms.
  private enum Entry {
    case text(String)
    case plural(PluralText)

    /// Creates an entry from a value of a property list; nil if the value is not a string or a dictionary of plural
    /// forms.
    init?(_ value: Any) {
      if let text = value as? String {
        self = .text(text)
      } else if let plural = (value as? [String: Any]).flatMap(PluralText.init) {
        self = .plural(plural)
      } else {
        return nil
      }
    }

    /// Creates an entry from a value of a strings file.
    init?(_ value: JSONValue) { self.init(Self.list(value)) }

    private static func list(_ value: JSONValue) -> Any {
      guard case .object(let object) = value else { return value.stringValue ?? "" }
      return Dictionary(
        object.members.map { ($0.key, list($0.value)) }, uniquingKeysWith: { $1 })
    }
  }

  private let cache = Mutex(Cache())

  package init() {}

  /// The bytes of the files whose strings are in memory, including an overhead per file.
  var cachedBytes: Int { cache.withLock(\.bytes) }

  /// Returns the string for a key with its arguments inserted, or the given text itself if the key is not found.
  package func text(
    _ text: NotificationText, folder: String?, languages: [String]
  ) -> LocalizedFormat.Filled {
    guard let key = text.key else { return LocalizedFormat.Filled(text.text) }
    switch folder.flatMap({ find(Array(key.utf8), in: $0, languages) }) {
    case (.text(let format), _)?: return LocalizedFormat.fill(format, with: text.arguments)
    case (.plural(let plural), let language)?:
      return plural.filled(with: text.arguments, language: language)
    // Text that is not a key can contain a percent sign that is not part of a directive.
    case nil:
      return text.arguments.isEmpty
        ? LocalizedFormat.Filled(text.text)
        : LocalizedFormat.fill(text.text, with: text.arguments)
    }
  }

  private func find(
    _ key: [UInt8], in folder: String, _ languages: [String]
  ) -> (Entry, language: String)? {
    let developed = developmentLanguage(folder)
    let order =
      languages.flatMap(LanguageFolders.names) + [developed ?? "Base", "Base", developed ?? "en"]
    // The files of a lookup share one limit, because an app can specify a hundred languages.
    var bytes = 0
    for language in order {
      for base in [folder, folder + "/Resources", folder + "/Contents/Resources"] {
        let stem = "\(base)/\(language).lproj/Localizable"
        for path in ["\(stem).stringsdict", "\(stem).strings"] {
          guard let table = table(path, limit: Limits.languageFileBytes - bytes) else { continue }
          bytes += table.bytes
          if let entry = table.texts[key] {
            return (entry, language == "Base" ? developed ?? "en" : language)
          }
        }
      }
    }
    return nil
  }

  /// Returns `CFBundleDevelopmentRegion` of the app's manifest.
  private func developmentLanguage(_ folder: String) -> String? {
    for path in ["\(folder)/Info.plist", "\(folder)/Contents/Info.plist"] {
      guard
        case .text(let language)? = table(path, limit: Limits.languageFileBytes)?.texts[
          Self.regionKey]
      else { continue }
      return language
    }
    return nil
  }

  private static let regionKey = Array("CFBundleDevelopmentRegion".utf8)

  /// Returns the table of a file; nil if the file does not exist, or is larger than `limit` bytes.
  private func table(_ path: String, limit: Int) -> Table? {
    guard let status = try? FileManager.default.attributesOfItem(atPath: path),
      let date = status[.modificationDate] as? Date
    else { return nil }
    let modified = Int64(date.timeIntervalSince1970 * 1_000)
    if let known = cache.withLock({ $0[path] }), known.modified == modified {
      return known.bytes <= limit ? known : nil
    }
    guard let bytes = try? FileSystem.readRegularFile(path, limit: limit) else { return nil }
    // A file that cannot be parsed is remembered too, because parsing it again would take just as long.
    let table = Table(
      modified: modified, bytes: bytes.count,
      texts: Self.texts(of: Self.withoutBareUTF16(bytes)) ?? [:])
    cache.withLock { $0.put(path, table) }
    return table
  }

  /// Returns the entries of a file, or nil if it is neither a strings file nor a property list.
  private static func texts(of data: Data) -> [[UInt8]: Entry]? {
    var texts: [[UInt8]: Entry] = [:]
    let bytes = [UInt8](data)
    // Plural forms are looked up by `String`, whose comparison is slow for long runs of combining characters.
    guard !CombiningRuns.areLong(inList: bytes) else { return nil }
    do {
      // Do not use Foundation for strings files, because its parsing time grows faster than the size of the file.
      if let object = try StringsParser.parse(file: bytes) {
        for member in object.members { texts[Array(member.key.utf8)] = Entry(member.value) }
        return texts
      }
    } catch {
      return nil
    }
    guard let list = PropertyListFile.dictionary(data) else { return nil }
    for (key, value) in list { texts[Array(key.utf8)] = Entry(value) }
    return texts
  }

  /// Converts UTF-16 without a byte-order mark to UTF-8, because the parsers recognize UTF-16 only by its mark, which
  /// old tools did not write.
  package static func withoutBareUTF16(_ bytes: [UInt8]) -> Data {
    let data = Data(bytes)
    guard bytes.count >= 4, bytes.count.isMultiple(of: 2) else { return data }
    let encoding: String.Encoding
    switch (bytes[0] == 0, bytes[1] == 0) {
    case (false, true): encoding = .utf16LittleEndian
    case (true, false): encoding = .utf16BigEndian
    default: return data
    }
    return String(data: data, encoding: encoding).map { Data($0.utf8) } ?? data
  }
}

/// The user's languages, as specified by the environment.
enum DeviceLanguages {
  static var current: [String] {
    let environment = ProcessInfo.processInfo.environment
    return tags(
      language: environment["LANGUAGE"],
      locale: environment["LC_ALL"] ?? environment["LC_MESSAGES"] ?? environment["LANG"])
  }

  /// Returns the BCP 47 tags of `LANGUAGE` (a list) and of the locale; English if neither is set.
  static func tags(language: String?, locale: String?) -> [String] {
    var tags: [String] = []
    let names = (language ?? "").split(separator: ":").map(String.init) + [locale ?? ""]
    for name in names {
      let plain = name.prefix { $0 != "." && $0 != "@" }
      guard !plain.isEmpty, plain != "C", plain != "POSIX" else { continue }
      let tag = plain.replacingOccurrences(of: "_", with: "-")
      if !tags.contains(tag) { tags.append(tag) }
    }
    return tags.isEmpty ? ["en"] : tags
  }
}
