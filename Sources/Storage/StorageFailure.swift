public import System

/// Why a store could not be opened, read or written.
public enum StorageFailure: Error, Sendable, CustomStringConvertible {
  /// The file at `path` holds something else than this store.
  case foreign(path: String)
  /// The file was written by a newer Belfry: its schema has `version`, this one knows `known`.
  case newerSchema(path: String, version: Int, known: Int)
  /// No space is left on the disk of `path`; nothing of the transaction was written.
  case diskFull(path: String)
  /// The disk of `path` did not take or give what was asked, for the reason `why`.
  case inputOutput(path: String, operation: String, why: String)
  /// Another process holds `path` for longer than `Limits.busyMilliseconds`.
  case busy(path: String)
  /// The file at `path` cannot be written.
  case readOnly(path: String)
  /// The file at `path` is damaged, or holds a row that cannot be.
  case corrupt(path: String, detail: String)
  /// A row of `table` is not what was written: its checksum does not hold.
  case damagedRow(path: String, table: String)
  /// SQLite could not do `operation`.
  case engine(path: String, operation: String, detail: String)
  /// The operating system refused.
  case system(SystemFailure)
  /// The store has been closed.
  case closed
  /// What is to be added is there already.
  case exists(what: String)
  /// What is named is not there.
  case missing(what: String)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .foreign(let path): "\(path) is not this store's file: choose another data folder"
    case .newerSchema(let path, let version, let known):
      "\(path) has schema \(version), this Belfry knows up to \(known): use the newer Belfry"
    case .diskFull(let path): "no space left for \(path): free some disk space"
    case .inputOutput(let path, let operation, let why):
      "the disk failed to \(operation) in \(path) (\(why)): "
        + "free some disk space, or check the disk and the file size limit"
    case .busy(let path): "\(path) is held by another process: stop that process"
    case .readOnly(let path): "\(path) cannot be written: check its owner and mode"
    case .corrupt(let path, let detail): "\(path) is damaged (\(detail)): restore a copy"
    case .damagedRow(let path, let table):
      "a row of \(table) in \(path) is damaged: its checksum does not hold; restore a copy"
    case .engine(let path, let operation, let detail):
      "SQLite could not \(operation) in \(path): \(detail)"
    case .system(let failure): failure.description
    case .closed: "the store is closed: start the gateway again"
    case .exists(let what): "\(what) exists already: choose another"
    case .missing(let what): "\(what) does not exist: list what there is"
    }
  }

  /// Whether the store's file or its disk is to blame, and not what was asked of it.
  public var isOfDisk: Bool {
    switch self {
    case .diskFull, .inputOutput, .busy, .readOnly, .corrupt, .damagedRow, .engine, .foreign,
      .system:
      true
    case .newerSchema, .closed, .exists, .missing: false
    }
  }

  /// Whether the store's file cannot be used as it is: it is damaged, or something else.
  public var isDamage: Bool {
    switch self {
    case .corrupt, .foreign: true
    case .diskFull, .inputOutput, .busy, .readOnly, .damagedRow, .engine, .system, .newerSchema,
      .closed, .exists, .missing:
      false
    }
  }

  /// Whether a look through the rows may find what is wrong: one of them, or an index that lacks one.
  var mayBeOfRows: Bool {
    switch self {
    case .damagedRow, .corrupt: true
    default: false
    }
  }
}
