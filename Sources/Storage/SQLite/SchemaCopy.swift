internal import System

/// The copy of a store that is created before its schema is upgraded, so that an operator can return to the previous
/// release.
enum SchemaCopy {
  /// Returns the path of the copy of the file at `path` with this schema.
  static func path(of path: String, schema: Int) -> String { "\(path).schema-\(schema)" }

  /// Copies the store.
  ///
  /// The copy is complete and on disk once this returns. The copy of an earlier upgrade is replaced.
  static func make(of path: String, schema: Int) throws(StorageFailure) {
    assert(schema > 0, "the store has a schema version")
    let copy = Self.path(of: path, schema: schema)
    let unfinished = copy + ".unfinished"
    do throws(StorageFailure) {
      try system { () throws(SystemFailure) in try FileSystem.remove(unfinished) }
      try StoreBackup.copy(store: path, to: unfinished)
      try system { () throws(SystemFailure) in
        try FileSystem.synchronize(file: unfinished)
        try FileSystem.move(unfinished, to: copy)
      }
    } catch {
      // On a disk without space for the copy, other files need the space that the unfinished copy occupies.
      try? FileSystem.remove(unfinished)
      throw error
    }
  }

  private static func system(_ body: () throws(SystemFailure) -> Void) throws(StorageFailure) {
    do throws(SystemFailure) {
      try body()
    } catch {
      throw .system(error)
    }
  }
}
