internal import BelfryWire
internal import Storage

/// The lines of an answer, or why there are none.
typealias AdministrationAnswer = Result<[JSONObject], AdministrationFailure>

/// Why something that an administrator asked for was not done.
public struct AdministrationFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// Whose fault it is.
  public enum Kind: Sendable, Equatable {
    /// What was asked cannot be meant.
    case invalid
    /// What was named is not there.
    case missing
    /// It cannot be done as things are.
    case conflict
    /// Another process has the folder: a running gateway, or another command.
    case held
    /// The gateway could not, though it should.
    case broken
  }

  /// Whose fault it is.
  public let kind: Kind
  /// What is wrong.
  public let what: String
  /// What to do about it.
  public let advice: String

  /// A failure from its parts.
  public init(_ kind: Kind, _ what: String, do advice: String) {
    self.kind = kind
    self.what = what
    self.advice = advice
  }

  /// A store's failure, whose own words say what to do.
  init(_ failure: StorageFailure) {
    let text = failure.description
    let parts = text.split(separator: ": ", maxSplits: 1)
    let kind: Kind =
      switch failure {
      case .busy: .held
      case .exists: .conflict
      case .missing: .missing
      default: .broken
      }
    self.init(
      kind, parts.first.map(String.init) ?? text,
      do: parts.count > 1 ? String(parts[1]) : "see the gateway's log")
  }

  /// One line: what is wrong, and what to do.
  public var description: String { "\(what): \(advice)" }
}
