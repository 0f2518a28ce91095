internal import System

/// How much a store has committed, in a file beside it.
///
/// The store counts its writes in its own file, in the transaction of each; the mark is written after the
/// commit is synced. So the store is never behind the mark, unless its write-ahead file is gone or cut, or an
/// older copy is in its place. The mark itself is not synced: after a loss of power it may be behind, which
/// says nothing.
///
/// Confined to one thread, as its store's connection.
final class CommitMark {
  private let file: RandomAccessFile
  private var number: UInt64 = 0

  /// Opens the mark of the store at `path`, and makes it where there is none.
  init(ofStore path: String) throws(SystemFailure) {
    file = try RandomAccessFile(path + Self.suffix)
    let digits = try file.read(Self.bytes, at: 0).prefix { $0 != UInt8(ascii: "\n") }
    // A mark that cannot be read says nothing.
    number = UInt64(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  /// The mark of the store at `path`; nil where it is in memory.
  static func open(ofStore path: String) throws(StorageFailure) -> CommitMark? {
    if path.isEmpty { return nil }
    do throws(SystemFailure) {
      return try CommitMark(ofStore: path)
    } catch {
      throw .system(error)
    }
  }

  /// What a mark's name adds to its store's.
  static let suffix = "-mark"
  /// Twenty digits and the line's end: one length, so that a shorter number never leaves digits of a longer.
  private static let bytes = 21

  /// How many writes a store lacks that has `count`.
  func missing(from count: UInt64) -> UInt64 { number > count ? number - count : 0 }

  /// Notes that `count` writes are synced; a store that lacks some has no new mark until ``reset(to:)``.
  func advance(to count: UInt64) {
    if count > number { put(count) }
  }

  /// Forgets what the store lacks: somebody was told.
  func reset(to count: UInt64) { put(count) }

  private func put(_ count: UInt64) {
    number = count
    let digits = String(count)
    let text = String(repeating: "0", count: Self.bytes - 1 - digits.count) + digits + "\n"
    let bytes = Array(text.utf8)
    assert(bytes.count == Self.bytes, "a mark of \(bytes.count) bytes")
    // The commit is durable whether or not its mark can be written.
    unsafe bytes.withUnsafeBytes { unsafe try? file.write($0, at: 0) }
  }
}
