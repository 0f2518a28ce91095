internal import Console
internal import BelfryWire
internal import Gateway
internal import Transport

/// The part of a list that a request selects with `limit` and `after`.
enum ListPage {
  /// The response field with the number of lines in the entire list.
  static let totalField = "belfry-total"
  /// The response field with the names of the nodes of a cluster whose lines are missing, separated by spaces.
  static let missingNodesField = "belfry-missing-nodes"
  /// The response field with the names of the nodes of a cluster that have stopped, separated by spaces.
  static let stoppedNodesField = "belfry-stopped-nodes"

  /// Returns up to `limit` lines that follow the line whose first member is `after`.
  ///
  /// Without `after`, returns the last `limit` lines.
  static func lines(
    of lines: [JSONObject], _ request: HTTP1Request
  ) throws(AdministrationFailure) -> ArraySlice<JSONObject> {
    let limit = try Self.limit(request)
    guard let after = request.queryValue("after") else { return lines.suffix(limit ?? lines.count) }
    var rest = lines[...]
    if !after.isEmpty {
      guard let index = lines.firstIndex(where: { id(of: $0) == after }) else {
        throw AdministrationFailure(
          .missing, "'\(after)' is not in the list", do: "start again with an empty 'after'"
        )
      }
      rest = lines[(index + 1)...]
    }
    return rest.prefix(limit ?? rest.count)
  }

  /// Returns the maximum number of lines that a request wants; nil for all.
  private static func limit(_ request: HTTP1Request) throws(AdministrationFailure) -> Int? {
    guard let text = request.queryValue("limit"), !text.isEmpty else { return nil }
    guard let limit = Int(text), limit >= 0 else {
      throw AdministrationFailure(
        .invalid, "invalid value '\(text)' for 'limit'", do: "expected 0 or a larger whole number")
    }
    return limit
  }

  /// Returns the first member of a line: its ID, number, or serial number.
  private static func id(of line: JSONObject) -> String? {
    guard let value = line.members.first?.value else { return nil }
    return value.stringValue ?? value.integerValue.map { "\($0)" }
  }
}
