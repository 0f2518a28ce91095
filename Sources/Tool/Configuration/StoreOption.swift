import PostgresStorage
import System

extension CommandLineOptions {
  /// Returns the place of the stores according to `--store`, by default the data folder.
  func storeLocation() throws(Problem) -> StoreLocation {
    guard let url = value("store") else { return .folder }
    do throws(StoreLocation.Invalid) {
      return try StoreLocation(url: url)
    } catch {
      throw .badValue(key: "store", value: error.value, wanted: error.expected)
    }
  }
}
