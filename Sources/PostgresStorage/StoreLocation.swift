/// The place where a gateway or a provider service keeps its stores.
public enum StoreLocation: Sendable, Equatable {
  /// SQLite files in the data folder.
  case folder
  /// A PostgreSQL database; the data folder contains the keys and other files.
  case database(PostgresAddress)

  /// The URL that selects this place.
  public var url: String {
    switch self {
    case .folder: "sqlite:"
    case .database(let address): address.url
    }
  }

  /// The error for a URL that selects no place.
  public struct Invalid: Error {
    /// The URL, unless it contains a password, which must not get into a log.
    public let value: String
    /// A description of a valid URL.
    public let expected: String
  }

  /// Creates the location with this URL.
  public init(url: String) throws(Invalid) {
    if url == "sqlite:" {
      self = .folder
      return
    }
    do throws(PostgresAddress.Failure) {
      self = .database(try PostgresAddress(url))
    } catch .hasPassword {
      throw Invalid(
        value: "postgres://…", expected: "\(PostgresAddress.Failure.hasPassword)")
    } catch {
      throw Invalid(value: url, expected: "sqlite: or \(error)")
    }
  }
}
