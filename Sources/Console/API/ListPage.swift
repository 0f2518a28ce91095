internal import BelfryWire
internal import Gateway
internal import Transport

/// The part of a list that a request asks for with `limit` and `after`.
enum ListPage {
  /// The field of an answer that says how many lines the whole list has.
  static let totalField = "belfry-total"

  /// The lines behind the one whose first member is `after`, the first `limit` of them; without `after` the last
  /// `limit`.
  static func lines(
    of lines: [JSONObject], _ request: HTTP1Request
  ) throws(AdministrationFailure) -> ArraySlice<JSONObject> {
    let limit = request.queryValue("limit").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    guard let after = request.queryValue("after") else { return lines.suffix(limit ?? lines.count) }
    var rest = lines[...]
    if !after.isEmpty {
      guard let index = lines.firstIndex(where: { id(of: $0) == after }) else {
        throw AdministrationFailure(
          .missing, "the list has no '\(after)' to go on after", do: "begin again with an empty one"
        )
      }
      rest = lines[(index + 1)...]
    }
    return rest.prefix(limit ?? rest.count)
  }

  /// What a line begins with: its id, number or serial.
  private static func id(of line: JSONObject) -> String? {
    guard let value = line.members.first?.value else { return nil }
    return value.stringValue ?? value.integerValue.map { "\($0)" }
  }
}
