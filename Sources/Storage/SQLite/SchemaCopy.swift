internal import System

/// The copy of a store that is created before the store's schema is upgraded.
///
/// With this copy, an operator can return to the previous release.
enum SchemaCopy {
  /// Returns the path of the copy for the file at `path` with this schema version.
  static func path(of path: String, schema: Int) -> String { "\(path).schema-\(schema)" }

  /// Copies the store.
  ///
  /// The copy is complete and on disk when this method returns. It replaces the copy from an earlier upgrade.
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
      // Remove the unfinished copy: if the disk is full, other files need the space that it occupies.
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
