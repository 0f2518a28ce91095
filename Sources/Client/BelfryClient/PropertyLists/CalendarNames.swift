import Foundation

extension Calendar {
  /// The calendar's name on the app link and in archives.
  package var name: String { Self.names.first { $0.1 == identifier }?.0 ?? "gregorian" }

  /// Returns the calendar with the given name; nil if the name is unknown.
  package static func named(_ name: String) -> Calendar? {
    names.first { $0.0 == name }.map { Calendar(identifier: $0.1) }
  }

  private static let names: [(String, Calendar.Identifier)] = [
    ("gregorian", .gregorian), ("buddhist", .buddhist), ("chinese", .chinese), ("coptic", .coptic),
    ("ethiopicAmeteMihret", .ethiopicAmeteMihret), ("ethiopicAmeteAlem", .ethiopicAmeteAlem),
    ("hebrew", .hebrew), ("iso8601", .iso8601), ("indian", .indian), ("islamic", .islamic),
    ("islamicCivil", .islamicCivil), ("japanese", .japanese), ("persian", .persian),
    ("republicOfChina", .republicOfChina), ("islamicTabular", .islamicTabular),
    ("islamicUmmAlQura", .islamicUmmAlQura),
  ]
}
