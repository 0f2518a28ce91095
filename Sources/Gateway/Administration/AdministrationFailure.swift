internal import BelfryWire
internal import Storage
internal import System

/// The lines of an answer, or the reason for the failure.
typealias AdministrationAnswer = Result<[JSONObject], AdministrationFailure>

/// An error that describes why an administrator's request failed.
public struct AdministrationFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, which indicates who can correct the problem.
  public enum Kind: Sendable, Equatable {
    /// The request is malformed or contradictory.
    case invalid
    /// Something that the request refers to does not exist.
    case missing
    /// The current state doesn't allow the request.
    case conflict
    /// Another process (a running gateway or another command) has locked the folder.
    case held
    /// The gateway is too busy to answer in time.
    case busy
    /// An error occurred in the gateway or on its machine.
    case broken
  }

  /// The kind of failure, which indicates who can correct the problem.
  public let kind: Kind
  /// A description of the problem.
  public let what: String
  /// A suggestion for how to fix the problem.
  public let advice: String

  /// Creates a failure from its parts.
  public init(_ kind: Kind, _ what: String, do advice: String) {
    self.kind = kind
    self.what = what
    self.advice = advice
  }

  /// Creates a failure from a storage failure, whose description includes advice.
  init(_ failure: StorageFailure) {
    let text = ProblemText(failure.description, atLastColon: true)
    let kind: Kind =
      switch failure {
      case .busy: .held
      case .exists: .conflict
      case .missing: .missing
      default: .broken
      }
    self.init(kind, text.problem, do: text.advice ?? "check the gateway's log")
  }

  /// The problem and the advice, in one line.
  public var description: String { "\(what): \(advice)" }
}
