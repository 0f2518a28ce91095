internal import System

/// The number of writes to a store, in a file next to the store.
///
/// Each transaction also counts its writes in the store's own file, and the mark is written after the commit is synced.
/// The store is therefore never behind the mark, unless the store's write-ahead log was lost or truncated, or an older
/// copy has replaced the store. The mark itself is not synced. After a power failure, the mark can be behind the store,
/// which does not indicate a loss.
///
/// The type is confined to one thread, like the store's connection.
final class CommitMark {
  private let file: RandomAccessFile
  private var number: UInt64 = 0

  /// Opens the mark of the store at `path`, and creates it if it is missing.
  init(ofStore path: String) throws(SystemFailure) {
    file = try RandomAccessFile(path + Self.suffix)
    let digits = try file.read(Self.bytes, at: 0).prefix { $0 != UInt8(ascii: "\n") }
    // An unreadable mark counts as absent.
    number = UInt64(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  /// Opens the mark of the store at `path`.
  ///
  /// Returns nil if the store is in memory.
  static func open(ofStore path: String) throws(StorageFailure) -> CommitMark? {
    if path.isEmpty { return nil }
    do throws(SystemFailure) {
      return try CommitMark(ofStore: path)
    } catch {
      throw .system(error)
    }
  }

  /// The suffix of a mark's file name.
  static let suffix = "-mark"
  /// The length of the mark in bytes: twenty digits and a line feed.
  ///
  /// Because the length is fixed, a shorter number completely overwrites a longer one.
  private static let bytes = 21

  /// Returns the number of writes that are missing from a store with `count` writes.
  func missing(from count: UInt64) -> UInt64 { number > count ? number - count : 0 }

  /// Records that `count` writes are synced.
  ///
  /// A store with missing writes keeps its mark until ``reset(to:)``.
  func advance(to count: UInt64) {
    if count > number { put(count) }
  }

  /// Discards the record of missing writes, after an operator has been notified.
  func reset(to count: UInt64) { put(count) }

  private func put(_ count: UInt64) {
    number = count
    let digits = String(count)
    let text = String(repeating: "0", count: Self.bytes - 1 - digits.count) + digits + "\n"
    let bytes = Array(text.utf8)
    assert(
      bytes.count == Self.bytes, "the commit mark has the required size, not \(bytes.count) bytes")
    // The commit is durable whether or not its mark can be written.
    unsafe bytes.withUnsafeBytes { unsafe try? file.write($0, at: 0) }
  }
}
