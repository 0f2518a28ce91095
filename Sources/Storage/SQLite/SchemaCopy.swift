internal import System

/// The copy of a store that is made before its schema is upgraded: the way back to the former release.
enum SchemaCopy {
  /// Where the copy of the file at `path` with that schema lies.
  static func path(of path: String, schema: Int) -> String { "\(path).schema-\(schema)" }

  /// Copies the store; the copy is whole and on disk once this returns.
  ///
  /// One of an earlier upgrade is replaced.
  static func make(of path: String, schema: Int) throws(StorageFailure) {
    assert(schema > 0, "a store without a schema has nothing to go back to")
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
      // A disk without room for the copy needs what is left.
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
