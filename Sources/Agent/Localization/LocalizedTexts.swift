import BelfryWire
import Foundation
import Synchronization
import System

/// Finds texts in apps' `Localizable.strings` by RFC 4647 look-up (linux-parts 4: Foundation's own
/// choice of language does not work on Linux).
final class LocalizedTexts: Sendable {
  private struct Table {
    let modified: Int64
    let texts: [String: String]
  }

  private let tables = Mutex<[String: Table]>([:])

  /// The text for a key, its arguments filled in; without a find, the text itself.
  func text(_ text: NotificationText, folder: String?, languages: [String]) -> String {
    guard let key = text.key else { return text.text }
    let format = folder.flatMap { find(key, in: $0, languages) } ?? text.text
    return Self.fill(format, text.arguments)
  }

  private func find(_ key: String, in folder: String, _ languages: [String]) -> String? {
    for language in languages.flatMap(Self.fallbacks) + ["Base", "en"] {
      for base in [folder, folder + "/Resources", folder + "/Contents/Resources"] {
        let path = "\(base)/\(language).lproj/Localizable.strings"
        if let text = table(path)?[key] { return text }
      }
    }
    return nil
  }

  private func table(_ path: String) -> [String: String]? {
    guard let status = try? FileManager.default.attributesOfItem(atPath: path),
      let date = status[.modificationDate] as? Date
    else { return nil }
    let modified = Int64(date.timeIntervalSince1970 * 1_000)
    if let known = tables.withLock({ $0[path] }), known.modified == modified { return known.texts }
    guard let bytes = try? FileSystem.read(path, limit: 4 << 20),
      let list = try? unsafe PropertyListSerialization.propertyList(
        from: Data(bytes), options: [], format: nil) as? [String: String]
    else { return nil }
    tables.withLock { $0[path] = Table(modified: modified, texts: list) }
    return list
  }

  /// `fr-CA`, then `fr`.
  static func fallbacks(_ tag: String) -> [String] {
    var tags: [String] = []
    var parts = tag.split(separator: "-").map(String.init)
    while !parts.isEmpty {
      tags.append(parts.joined(separator: "-"))
      parts.removeLast()
      // A single letter introduces an extension and is no tag by itself (RFC 4647 3.4).
      if let last = parts.last, last.count == 1 { parts.removeLast() }
    }
    return tags
  }

  /// Puts arguments in for `%@` and `%1$@`; `%%` is a percent sign.
  static func fill(_ format: String, _ arguments: [String]) -> String {
    var result = ""
    var rest = format[...]
    var next = 0
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[rest.index(after: percent)...]
      if rest.first == "%" {
        result += "%"
        rest.removeFirst()
      } else if rest.first == "@" {
        result += next < arguments.count ? arguments[next] : ""
        next += 1
        rest.removeFirst()
      } else {
        let digits = rest.prefix(while: \.isWholeNumber)
        let after = rest[digits.endIndex...]
        if let number = Int(digits), number >= 1, after.hasPrefix("$@") {
          result += number <= arguments.count ? arguments[number - 1] : ""
          rest = after.dropFirst(2)
        } else {
          result += "%"
        }
      }
    }
    return result + rest
  }
}

/// The languages that the person uses, by the environment.
enum DeviceLanguages {
  static var current: [String] {
    let environment = ProcessInfo.processInfo.environment
    return tags(
      language: environment["LANGUAGE"],
      locale: environment["LC_ALL"] ?? environment["LC_MESSAGES"] ?? environment["LANG"])
  }

  /// BCP 47 tags of `LANGUAGE` (a list) and of the locale; English without either.
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
