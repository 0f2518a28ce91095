import Storage

/// A store that the simulation of power cuts tests, defined by its operations and contents.
protocol PowerCutSubject {
  associatedtype Store
  associatedtype Operation
  associatedtype Contents: Equatable

  static var name: String { get }
  /// Opens the store as its program does at startup. An empty path opens the store in memory.
  static func open(path: String, now: @escaping @Sendable () -> Int64) throws(PowerCutFault)
    -> Store
  static func close(_ store: Store)
  /// Returns a random operation for a store with these contents.
  static func operation(
    after contents: Contents, number: UInt64, _ random: inout SeededGenerator
  ) -> Operation
  /// Performs the operation. The operation is acknowledged once this method returns.
  static func perform(_ operation: Operation, on store: Store) throws(StorageFailure)
  static func contents(of store: Store) throws(StorageFailure) -> Contents
  /// Returns the contents as one line per record.
  static func records(_ contents: Contents) -> Set<String>
  /// Returns a readable description of the difference between two contents.
  static func difference(_ expected: Contents, _ found: Contents) -> String
}

/// The reason that a store could not be opened, or was found to be damaged or incomplete.
enum PowerCutFault: Error {
  case storage(StorageFailure)
  case broken(String)
}

extension SeededGenerator {
  mutating func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
  mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }
  mutating func bytes(_ range: ClosedRange<Int>) -> [UInt8] {
    let count = draw(range)
    let first = UInt8(truncatingIfNeeded: next())
    return (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
  }
}

/// Checks and opens a store as a gateway does at startup.
///
/// Throws an error if any data is damaged or missing.
func inspectThenOpen<Store>(
  _ path: String, inspect: (String) throws(StorageFailure) -> StoreInspection,
  open: () throws(StorageFailure) -> Store, lost: (Store) throws(StorageFailure) -> UInt64
) throws(PowerCutFault) -> Store {
  do throws(StorageFailure) {
    if !path.isEmpty {
      let inspection = try inspect(path)
      guard inspection == .whole else { throw .corrupt(path: path, detail: "\(inspection)") }
    }
    let store = try open()
    let count = try lost(store)
    guard count == 0 else {
      throw .corrupt(path: path, detail: "\(count) writes are reported as lost")
    }
    return store
  } catch {
    throw .storage(error)
  }
}
