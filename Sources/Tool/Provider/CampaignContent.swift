import BelfryWire
import System

/// The content of a stored campaign, in the format of a campaign file.
enum CampaignContent {
  /// Prints a campaign's content.
  static func show(_ options: CommandLineOptions, _ access: ProviderAccess) throws -> Int32 {
    let path = "/campaigns/\(try CampaignCommand.id(options))/document"
    for document in try access.perform("GET", path) {
      let value = JSONValue.object(document)
      Output.line(options.has("json") ? value.text : value.indented())
    }
    return 0
  }
}

extension JSONValue {
  /// Returns the JSON document with one member or element per line; `indent` precedes the last line.
  fileprivate func indented(by indent: String = "") -> String {
    let inner = indent + "  "
    switch self {
    case .object(let object) where !object.isEmpty:
      let lines = object.members.map { member in
        "\(inner)\(JSONValue.string(member.key).text): \(member.value.indented(by: inner))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
    case .array(let elements) where !elements.isEmpty:
      let lines = elements.map { inner + $0.indented(by: inner) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
    case .null, .bool, .integer, .double, .string, .array, .object: return text
    }
  }
}
