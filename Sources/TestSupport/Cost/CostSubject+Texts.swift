import BelfryWire
import Scheduling

extension CostSubject {
  /// The formats of localized strings, in a frame or in an app's file.
  static var texts: [CostSubject] {
    func format(
      _ name: String, _ make: @escaping @Sendable (Int) -> (String, [String], PluralVariables?)
    ) -> CostSubject {
      CostSubject("format: \(name)", limit: WireLimits.appFrameBytesMaxFromApp) { bytes in
        let (format, arguments, variables) = make(bytes)
        return { _ = LocalizedFormat.fill(format, with: arguments, variables: variables) }
      }
    }
    @Sendable func forms(_ text: String) -> PluralVariables {
      PluralVariables([
        "a": ["NSStringFormatSpecTypeKey": "NSStringPluralRuleType", "other": text] as [String: Any]
      ])
    }
    return [
      format("one long argument referenced often") {
        (String(repeating: "%1$@", count: $0 / 8), [String(repeating: "x", count: $0 / 2)], nil)
      },
      format("a long number referenced often") {
        (String(repeating: "%1$d", count: $0 / 8), [String(repeating: "7", count: $0 / 2)], nil)
      },
      format("forms that reference each other") {
        ("%#@a@", ["3"], forms(String(repeating: "%#@a@", count: $0 / 5)))
      },
      format("forms without text") {
        (String(repeating: "%#@a@", count: $0 / 5), [""], forms(""))
      },
      format("a form of a long argument") {
        (
          String(repeating: "%1$#@a@", count: $0 / 14), [String(repeating: "7", count: $0 / 2)],
          forms("x")
        )
      },
      format("many arguments") {
        (String(repeating: "%@", count: $0 / 5), Array(repeating: "x", count: $0 / 5), nil)
      },
      format("percent signs") { (String(repeating: "%", count: $0), [], nil) },
      format("digits after each percent sign") {
        (String(repeating: "%123456789012345", count: $0 / 16), ["x"], nil)
      },
      format("unterminated variables") { (String(repeating: "%#@", count: $0 / 3), ["x"], nil) },
      format("a name of combining marks") { ("%#@\(Hostile.marks($0))@", ["x"], forms("y")) },
      format("combining marks") { (Hostile.marks($0) + "%@", ["x"], nil) },
      CostSubject("language tag: many parts", limit: 65_536) { bytes in
        let tag = "de" + String(repeating: "-a", count: bytes / 2)
        return { _ = LanguageFolders.names(tag) }
      },
    ]
  }
}
