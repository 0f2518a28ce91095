public import System

/// The reason that a store could not be opened, read, or written.
public enum StorageFailure: Error, Sendable, CustomStringConvertible {
  /// The file at `path` contains something other than this store.
  case foreign(path: String)
  /// The file was written by a newer Belfry: its schema has version `version`, and this release supports versions up to
  /// `known`.
  case newerSchema(path: String, version: Int, known: Int)
  /// The disk that contains `path` is full; no part of the transaction was written.
  case diskFull(path: String)
  /// The disk that contains `path` failed to read or write, for the reason `why`.
  case inputOutput(path: String, operation: String, why: String)
  /// Another process has locked `path` for longer than `Limits.busyMilliseconds`.
  case busy(path: String)
  /// The file at `path` cannot be written.
  case readOnly(path: String)
  /// The file at `path` is damaged, or contains an invalid row.
  case corrupt(path: String, detail: String)
  /// A row of `table` has changed since it was written: its checksum is wrong.
  case damagedRow(path: String, table: String)
  /// SQLite could not perform `operation`.
  case engine(path: String, operation: String, detail: String)
  /// The database server cannot be reached, or did not answer in time, for the reason `why`.
  case unreachable(server: String, why: String)
  /// The database server rejected a statement for the reason `why`.
  case rejected(server: String, why: String)
  /// The database cannot be used as it is, for example because it is not empty; `why` includes the remedy.
  case unsuitable(server: String, why: String)
  /// Another process has taken over the database.
  case takenOver(server: String)
  /// Another node has claimed these devices, so this node cannot write their data.
  case claimLost(devices: [UInt64])
  /// Another process is using the database.
  case inUse(server: String)
  /// The operating system returned an error.
  case system(SystemFailure)
  /// The store has been closed.
  case closed
  /// The record to add already exists.
  case exists(what: String)
  /// A referenced record does not exist.
  case missing(what: String)

  /// A description of the error and its remedy.
  public var description: String {
    switch self {
    case .foreign(let path): "\(path) does not belong to this store: choose another data folder"
    case .newerSchema(let path, let version, let known):
      "\(path) has schema version \(version), but this release supports up to \(known): use the newer release"
    case .diskFull(let path): "no space left for \(path): free some disk space"
    case .inputOutput(let path, let operation, let why):
      "the disk failed to \(operation) in \(path) (\(why)): "
        + "free some disk space, or check the disk and the file size limit"
    case .busy(let path): "\(path) is locked by another process: stop that process"
    case .readOnly(let path):
      "cannot write \(path): check the owner and mode of the file and its folders"
    case .corrupt(let path, let detail): "\(path) is damaged (\(detail)): restore a copy"
    case .damagedRow(let path, let table):
      "a row of \(table) in \(path) is damaged: its checksum does not match; restore a copy"
    case .engine(let path, let operation, let detail):
      "SQLite could not \(operation) in \(path): \(detail)"
    case .unreachable(let server, let why):
      "cannot use the database \(server) (\(why)): check the URL, the password file and the server"
    case .rejected(let server, let why): "the database \(server) rejected a statement: \(why)"
    case .unsuitable(let server, let why): "cannot use the database \(server): \(why)"
    case .takenOver(let server):
      "another process has taken over the database \(server) (in a cluster: this node): stop one of the two, and "
        + "restart the other"
    case .claimLost(let devices):
      "another node has claimed \(devices.count) devices: the devices try again"
    case .inUse(let server):
      "another process is using the database \(server): stop it, or specify another database"
    case .system(let failure): failure.description
    case .closed: "the store is closed: restart the gateway"
    case .exists(let what): "\(what) already exists: choose another name or ID"
    case .missing(let what): "\(what) does not exist"
    }
  }

  /// True if the cause is the store's file or its disk, not the request.
  public var isOfDisk: Bool {
    switch self {
    case .diskFull, .inputOutput, .busy, .readOnly, .corrupt, .damagedRow, .engine, .foreign,
      .unreachable, .rejected, .unsuitable, .takenOver, .inUse, .system:
      true
    case .newerSchema, .closed, .exists, .missing, .claimLost: false
    }
  }

  /// True if the database server is absent, or serves another process.
  public var isOfServer: Bool {
    switch self {
    case .unreachable, .takenOver, .inUse: true
    default: false
    }
  }

  /// True if the store's file cannot be used as it is: the file is damaged, or is not a store.
  public var isDamage: Bool {
    switch self {
    case .corrupt, .foreign: true
    case .diskFull, .inputOutput, .busy, .readOnly, .damagedRow, .engine, .unreachable,
      .rejected, .unsuitable, .takenOver, .inUse, .system, .newerSchema, .closed, .exists,
      .missing, .claimLost:
      false
    }
  }

  /// True if a search through the rows might find the cause: a damaged row, or an index without an entry for a row.
  var mayBeOfRows: Bool {
    switch self {
    case .damagedRow, .corrupt: true
    default: false
    }
  }
}
