internal import BelfryWire
internal import Storage
internal import Transport

/// The revision of a campaign's content: a digest of each part that an edit can change.
///
/// A client sends the revision that it has read together with a change. If another client has changed the campaign since
/// then, the service refuses the change, and the digests show which parts differ.
struct CampaignRevision: Sendable {
  /// The parts of a document, with the members that each part contains.
  private static let parts: [(name: String, members: [String])] = [
    ("name", ["name"]), ("text", ["alert", "arguments", "fallback"]),
    ("time", ["at", "quietHours"]), ("app", ["topic"]), ("payload", ["payload"]),
    ("options", ["pushType", "priority", "expiration", "collapseID", "environment"]),
  ]
  /// The parts that are stored beside the document, in the order of their digests.
  private static let ownParts = ["recipients", "rate limit"]
  /// The bytes of a digest: different contents of a part have the same digest once in 4 billion times.
  private static let digestBytes = 4

  /// A digest of each part.
  private let digests: [[UInt8]]

  /// Creates the revision of a stored campaign with its document.
  init(_ campaign: CampaignRecord, _ document: JSONObject) {
    var contents = Self.parts.map { part in
      JSONObject(part.members.compactMap { key in document[key].map { (key, $0) } }).bytes
    }
    contents.append(Array(campaign.audience.text.utf8))
    contents.append(Array("\(campaign.rate ?? 0)".utf8))
    assert(
      contents.count == Self.parts.count + Self.ownParts.count, "each part has its own digest")
    digests = contents.map { Array(SHA256.hash($0).bytes.prefix(Self.digestBytes)) }
  }

  /// Parses a revision that a client sends; returns nil if the text is not a revision.
  init?(_ text: String) {
    let count = Self.parts.count + Self.ownParts.count
    guard let bytes = Hexadecimal.decode(text), bytes.count == count * Self.digestBytes else {
      return nil
    }
    digests = stride(from: 0, to: bytes.count, by: Self.digestBytes).map { start in
      Array(bytes[start..<start + Self.digestBytes])
    }
  }

  /// The revision as clients receive it and send it.
  var text: String { Hexadecimal.encode(digests.flatMap { $0 }) }

  /// Returns the names of the parts that differ from an earlier revision, such as "text"; empty if none differs.
  func changes(since earlier: CampaignRevision) -> [String] {
    let names = Self.parts.map(\.name) + Self.ownParts
    return zip(names, zip(digests, earlier.digests)).filter { $1.0 != $1.1 }.map { $0.0 }
  }

  /// Returns the names of the parts as a list for a sentence: "name, text and time".
  static func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.joined() }
    return "\(names.dropLast().joined(separator: ", ")) and \(last)"
  }
}
