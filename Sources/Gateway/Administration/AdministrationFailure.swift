internal import BelfryWire
internal import Storage

/// The lines of an answer, or why there are none.
typealias AdministrationAnswer = Result<[JSONObject], AdministrationFailure>

/// Why an administrator's request failed.
public struct AdministrationFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, by who can correct it.
  public enum Kind: Sendable, Equatable {
    /// The request makes no sense.
    case invalid
    /// Something that the request names does not exist.
    case missing
    /// The present state does not allow it.
    case conflict
    /// Another process holds the folder: a running gateway, or another command.
    case held
    /// An error of the gateway or its machine.
    case broken
  }

  /// The kind of failure, by who can correct it.
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

  /// Creates a failure from the store's, which says what to do.
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
