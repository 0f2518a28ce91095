internal import BelfryWire

/// A request to the Matrix push gateway that is refused as a whole, in the form that every Matrix API uses for errors.
///
/// A homeserver does not delete a pushkey because of a refusal. It repeats the request, whatever the status is, and the
/// user's later notifications wait.
public struct MatrixRefusal: Error, Sendable {
  /// The kind of error.
  public enum Code: CaseIterable, Sendable {
    /// The body is not JSON, or a member has a value of another type than required.
    case badJSON
    /// A required member is missing.
    case missingParameter
    /// The request has too many bytes or too many devices.
    case tooLarge
    /// The method is not allowed for the path.
    case unrecognized
    /// The request was not complete in time.
    case incomplete
    /// At least one message could not be stored, but can be sent again later.
    case unavailable

    /// The HTTP status of the answer.
    public var status: Int {
      switch self {
      case .badJSON, .missingParameter: 400
      case .unrecognized: 405
      case .incomplete: 408
      case .tooLarge: 413
      case .unavailable: 503
      }
    }

    /// The value of `errcode`.
    public var word: StaticString {
      switch self {
      case .badJSON: "M_BAD_JSON"
      case .missingParameter: "M_MISSING_PARAM"
      case .tooLarge: "M_TOO_LARGE"
      case .unrecognized: "M_UNRECOGNIZED"
      case .incomplete, .unavailable: "M_UNKNOWN"
      }
    }
  }

  /// The kind of error.
  public let code: Code
  /// A description of the error with the values, in ASCII.
  public let message: String

  /// Creates a refusal with a description of the error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The JSON body of the answer.
  public var body: [UInt8] {
    JSONObject([("errcode", .string("\(code.word)")), ("error", .string(message))]).bytes
  }
}
